import pytest

from regard.translate.shape import shaped, spaced, speaks


@pytest.mark.parametrize(
    ("source", "said", "wanted"),
    [
        ("dog", "Chien.", "chien"),
        ("Dog", "chien", "Chien"),
        ("DOG", "chien", "CHIEN"),
        ("I", "je", "Je"),
        ("dog", "ABC", "ABC"),
        ("New mail", "Nouveau courriel.", "Nouveau courriel"),
        ("Go!", "Va", "Va!"),
        ("Go!", "Va !", "Va !"),
        ("Is it?", "C'est ça.", "C'est ça."),
        ("He said “yes.”", "Il a dit « oui »", "Il a dit « oui »"),
        ("so on…", "et ainsi de suite", "et ainsi de suite…"),
        ("Save…", "…", "…"),
        ("File:", "Fichier.", "Fichier."),
        ("17", ".", "."),
    ],
)
def test_the_shape_of_a_source(source, said, wanted):
    assert shaped(said, source, "fr") == wanted


def test_nouns_keep_their_capital_where_they_have_one():
    assert shaped("Hund", "dog", "de") == "Hund"
    assert shaped("Hund.", "dog", "de") == "Hund"


def test_what_has_letters_speaks():
    assert all(map(speaks, ["a", "1 字"]))
    assert speaks("%s a", [(0, 2)])
    assert not any(map(speaks, ["", "1.5 %", "😀", "—", "\u0301"]))
    assert not speaks("%s {a}", [(0, 2), (3, 6)])


def test_white_space_around_is_the_sources():
    assert spaced(" a b ", "\u00a0x\r") == "\u00a0a b\r"
