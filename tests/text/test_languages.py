import pytest

from regard.errors import InputError
from regard.text.languages import NAMES, can_tell, check_language, is_other, language_of, own_words


@pytest.mark.parametrize(
    ("given", "code"), [("en", "en"), ("EN-GB", "en"), ("zh_Hant", "zh"), (" Fr ", "fr"), ("nb", "nb")]
)
def test_a_code_is_read_in_any_case_and_without_its_region(given: str, code: str) -> None:
    assert check_language(given) == code


@pytest.mark.parametrize(
    ("given", "meant"),
    [("jp", "ja"), ("eng", "en"), ("deu", "de"), ("spa", "es"), ("French", "fr"), ("xx", "xh"), ("us", "en")],
)
def test_an_unknown_code_names_the_one_that_was_meant(given: str, meant: str) -> None:
    with pytest.raises(InputError, match=rf"unknown language '{given}' \(did you mean '{meant}'\?\); give its code"):
        check_language(given)


@pytest.mark.parametrize("given", ["", "12", "klingon", "-fr"])
def test_where_nothing_is_near_nothing_is_suggested(given: str) -> None:
    with pytest.raises(InputError, match=f"unknown language '{given}'; give its code of ISO 639-1"):
        check_language(given)


def test_the_table() -> None:
    assert len(NAMES) == 185
    assert all(len(code) == 2 and code.islower() for code in NAMES)
    assert [NAMES[code] for code in ("en", "nb", "aa", "zu")] == ["English", "Norwegian Bokmål", "Afar", "Zulu"]


ENGLISH = "The children were playing in the garden while their mother read a book."
GERMAN = "Die Kinder spielten im Garten, während ihre Mutter ein langes Buch las und sich freute."
CHINESE = "孩子们在花园里玩耍的时候,他们的母亲正在读一本书。"


def test_a_text_in_another_language_is_noticed() -> None:
    assert is_other(GERMAN, "en")
    assert is_other(ENGLISH, "de")
    assert is_other(CHINESE, "en")
    assert is_other(ENGLISH, "zh")
    assert not any(is_other(text, own) for text, own in ((ENGLISH, "en"), (GERMAN, "de"), (CHINESE, "zh")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Guten Tag!",
        "Johann Sebastian Bach, Georg Friedrich Händel, Carl Maria von Weber",
        "%(user)s %(item)d /usr/lib",
    ],
)
def test_short_ones_names_and_codes_are_never_held_against_a_language(text: str) -> None:
    assert not is_other(text, "en")


def test_close_languages_are_not_told_apart() -> None:
    danish = "Børnene legede i haven, mens deres mor læste en lang bog og var glad for det."
    assert not is_other(danish, "nb")
    assert language_of(danish, "en") == "da"
    assert (can_tell("nb"), can_tell("ii"), can_tell("")) == (True, False, False)


def test_own_words_are_frequent_here_and_seldom_there() -> None:
    assert own_words([ENGLISH] * 5, [GERMAN] * 5, "en") >= {"the", "children", "while", "read"}
    assert "the" not in own_words([ENGLISH] * 5, [ENGLISH] * 5, "en")
    assert not own_words([GERMAN] * 50, [], "en")  # planted lines teach nothing
    assert own_words([ENGLISH] * 4, [], "en") == {"the"}  # a word has to come five times, the article comes twice
