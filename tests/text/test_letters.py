import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import InputError
from regard.text.letters import Letters
from regard.text.symbols import BOS, EOS, PAD, UNK


def test_by_hand():
    letters = Letters("cab")  # sorted: a, b, c stand behind the four special tokens
    assert letters.encode("abcc") == [4, 5, 6, 6]
    assert letters.decode([BOS, 6, 4, EOS, PAD, UNK]) == "ca"
    assert len(letters) == 7


@given(st.text(min_size=1))
def test_there_and_back(text):
    letters = Letters(text)
    assert letters.decode(letters.encode(text)) == text


def test_a_letter_that_is_not_in_the_alphabet():
    with pytest.raises(InputError, match="letters 'x', 'y' are not among 'ab'"):
        Letters("ab").encode("ayxb")
