import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text.protect import find
from regard.translate.parts import parts


def words(texts):
    return [len(text.split()) for text in texts]


def letters(texts):
    return list(map(len, texts))


def cut(text, most, size=words):
    kept = [span for item in find(text) for span in item.spans]
    return parts(text, kept, size, most, "en"), kept


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("One two. Three four five.", ["One two.", "Three four five."]),
        ("One two three, four five six, seven.", ["One two three,", "four five six, seven."]),
        ("a b c d e f g", ["a b c d", "e f g"]),
        ("Mr. Smith is here.", ["Mr. Smith is here."]),
        ("你好。我很好！", ["你好。", "我很好！"]),
        ("see and <a href='x. y, z'>here</a> then", ["see and", "<a href='x. y, z'>here</a>", "then"]),
    ],
)
def test_a_text_in_parts_of_four_words(text, wanted):
    assert [part.text for part in cut(text, 4)[0]] == wanted


def test_a_word_without_end_is_cut_but_what_must_stay_is_not():
    text = "x" * 23 + " http://a.b/" + "y" * 40 + " z" + "%s" * 9
    found, _ = cut(text, 7, letters)
    assert "http://a.b/" + "y" * 40 in [part.text for part in found]
    assert max(len(part.text) for part in found if "http" not in part.text) <= 7
    assert "".join(part.text + part.space for part in found) == text


@given(st.text("ab .,;:!?()%s<b>/{}\t\u00a0\u3002\n", max_size=60), st.integers(2, 9))
def test_joined_they_are_the_text_and_no_cut_is_inside_what_must_stay(text, most):
    found, kept = cut(text, most, letters)
    assert "".join(part.text + part.space for part in found) == text
    at, cuts = 0, set()
    for part in found:
        at += len(part.text) + len(part.space)
        cuts.add(at)
    assert not any(start < place < end for start, end in kept for place in cuts)
