import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text.context import in_context, parted, with_context
from regard.text.symbols import BREAK
from regard.text.tokens import Tokens

SENTENCES = ["the cat sat on the mat", "a dog ran over the hill", "the dog saw a man", "on a hill.", "the mat ran out"]


def test_by_hand():
    assert with_context([], "Elle rit.") == "Elle rit."
    assert with_context(["Il pleut."], "Elle rit.") == "Il pleut.\ue033 Elle rit."
    assert parted("Il pleut.\ue033 Elle rit.") == ("Il pleut.\ue033 ", "Elle rit.")
    assert parted("Elle rit.") == ("", "Elle rit.")
    assert parted("a\ue033 b\ue033 c") == ("a\ue033 b\ue033 ", "c")


def test_sentences_that_follow_each_other():
    mark = "\ue033 "
    asked = ["b", "", " c ", "d"]
    assert list(in_context(asked, 1, ["z", "a", " "])) == [f"a{mark}b", "", f"b{mark}c", f"c{mark}d"]
    assert list(in_context(asked, 2)) == ["b", "", f"b{mark}c", f"b{mark}c{mark}d"]


texts = st.text(st.characters(exclude_categories=["Co", "Cs"]))


@given(st.lists(texts, max_size=3), texts)
def test_what_is_put_together_comes_apart(before, text):
    front, last = parted(with_context(before, text))
    assert (front, last) == (with_context(before, ""), text)


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_each_sentence_has_the_tokens_that_it_has_alone(kind):
    tokens = Tokens.train(SENTENCES * 7, kind, 0, symbols=True)
    one, other, third = map(tokens.cut, SENTENCES[:3])
    assert tokens.cut(with_context(SENTENCES[:2], SENTENCES[2])) == [*one, BREAK, *other, BREAK, *third]
