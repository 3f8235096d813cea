import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import InputError
from regard.evaluate.edits import edit_distance, phone_error_rate, word_error_rate

PHONES = st.lists(st.sampled_from("abc"), max_size=7)


def by_definition(a, b):
    """The recursion of the definition: every way to begin."""

    @cache
    def rest(i, j):
        if i == len(a) or j == len(b):
            return len(a) - i + len(b) - j
        return min(rest(i + 1, j) + 1, rest(i, j + 1) + 1, rest(i + 1, j + 1) + (a[i] != b[j]))

    return rest(0, 0)


def test_by_hand():
    assert edit_distance("kitten", "sitting") == 3  # k to s, e to i, and a g
    assert edit_distance("", "abc") == edit_distance("abc", "") == 3


@given(PHONES, PHONES)
def test_it_is_the_definition(a, b):
    assert edit_distance(a, b) == by_definition(a, b)


def test_error_rates_by_hand():
    hypotheses = ["T AH M EY T OW", "R IY D", "K AE", ""]
    references = [["T AH M AA T OW", "T AH M EY T OW"], ["R EH D"], ["K  AE T", "K AA T S"], ["AH", "AH N"]]
    # right by its second; one of 3 phones wrong; one of 3 missing; nothing said where one phone would do
    assert word_error_rate(hypotheses, references) == 75
    assert phone_error_rate(hypotheses, references) == pytest.approx(100 * (0 + 1 + 1 + 1) / (6 + 3 + 3 + 1))


def test_of_equally_near_references_the_shorter_counts():
    for some in (["a b", "a b c d"], ["a b c d", "a b"]):
        assert phone_error_rate(["a b c"], [some]) == 50


def test_a_reference_without_phones():
    with pytest.raises(InputError, match="a reference of word 2 has no phones"):
        phone_error_rate(["a", "b"], [["a"], ["b", " "]])


def test_a_whole_dictionary_is_scored_in_seconds():
    words = ["a b c d e f g"[: 2 * (i % 7) + 1] for i in range(12_000)]
    began = time.process_time()
    assert phone_error_rate(words, [[word[::-1]] for word in words]) > 0
    assert time.process_time() - began < 3
