"""Drawn splits: what they may be, how often each comes, and that a seed fixes them in whatever process."""

import subprocess
import sys
from collections import Counter
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.text.sampling import Ways, merged
from regard.text.tokens import Tokens

TEXTS = ["the cat sat on the mat", "a dog ran over the hill", "mats and cats sat", "hills over dogs there"] * 9
TOKENS = {kind: Tokens.train(TEXTS, kind, 60, symbols=True) for kind in ("unigram", "bpe")}
WORDS = st.text("acdeghilmnorstvß ", max_size=30)


@pytest.mark.parametrize("kind", TOKENS)
@settings(max_examples=60)
@given(text=WORDS, seed=st.integers(0, 2**63 - 1))
def test_a_draw_is_the_text_in_other_pieces(kind, text, seed):
    tokens = TOKENS[kind]
    (ids,) = tokens.sample([text], 0.3, seed)
    assert tokens.decode(ids) == tokens.decode(tokens.encode(text))


@settings(max_examples=60)
@given(word=st.text("acdeghilmnorstvß", min_size=1, max_size=12))
def test_without_dropout_it_is_sentencepieces_own_bpe(word):
    tokens = TOKENS["bpe"]
    assert merged(tokens._model, word, 0.0, np.random.default_rng(1)) == tokens.encode(word)


def test_all_merges_dropped_leaves_characters():
    tokens = TOKENS["bpe"]
    assert len(merged(tokens._model, "there", 1.0, np.random.default_rng(1))) == 6  # the space and five letters


def test_unigrams_ways_come_as_often_as_their_probabilities_to_the_power_of_alpha():
    tokens, rng = TOKENS["unigram"], np.random.default_rng(3)
    ways = Ways(tokens._model, 0.5)
    drawn = Counter(tuple(ways.draw("cats", rng)) for _ in range(4001))
    scores = {ids: sum(map(tokens._model.get_score, ids)) for ids in drawn}
    whole = sum(exp(0.5 * score) for score in scores.values())
    assert len(drawn) > 1
    for ids, count in drawn.items():
        assert count / 4001 == pytest.approx(exp(0.5 * scores[ids]) / whole, abs=0.03)


@pytest.mark.parametrize("kind", TOKENS)
def test_the_same_seed_draws_the_same_in_another_process(kind, tmp_path):
    (tmp_path / "tokens").write_bytes(TOKENS[kind].data)
    code = f"""
from pathlib import Path
from regard.text.tokens import Tokens
tokens = Tokens.load(Path({str(tmp_path / "tokens")!r}).read_bytes())
tokens.sample(["something else before"], 0.3, 5)
print(tokens.sample({TEXTS[:4]!r}, 0.3, 7))
"""
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    here = TOKENS[kind].sample(TEXTS[:4], 0.3, 7)
    assert there.strip() == str(here)
    assert here != TOKENS[kind].sample(TEXTS[:4], 0.3, 8)
