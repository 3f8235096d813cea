import math
import random

import numpy as np
import pytest

from regard.errors import InputError
from regard.evaluate.bleu import bleu, chrf
from regard.evaluate.bootstrap import paired_bootstrap, resampled
from regard.evaluate.counts import bleu_counts, bleu_of, chrf_counts, chrf_of

VOCABULARY = ["the", "a", "dog", "cat", "sees", "Runs", "house,", "park.", "isn't", "blue", "(very)", "1,500", "Über"]


def spoilt(sentences, share, seed):
    rng = random.Random(seed)
    return [" ".join(rng.choice(VOCABULARY) if rng.random() < share else w for w in s.split()) for s in sentences]


def corpus(n, seed=1):
    rng = random.Random(seed)
    return [
        [" ".join(rng.choices(VOCABULARY, k=rng.randint(1, 13))) for _ in range(rng.randint(1, 3))] for _ in range(n)
    ]


@pytest.mark.parametrize(
    ("counts", "score", "corpus_score"), [(bleu_counts, bleu_of, bleu), (chrf_counts, chrf_of, chrf)]
)
@pytest.mark.parametrize("share", [0, 0.2, 0.9])
def test_the_counts_add_up_to_sacrebleus_score(counts, score, corpus_score, share):
    references = corpus(101)
    said = spoilt([some[-1] for some in references], share, seed=2)
    said[3], references[5] = "", ["", "a"]
    expected = corpus_score(said, references).value
    assert expected > 1
    assert score(counts(said, references).sum(0)) == pytest.approx(expected, abs=1e-9)


def test_chrf_of_each_sentence_is_sacrebleus():
    from sacrebleu.metrics.chrf import CHRF

    references = corpus(31)
    said = spoilt([some[0] for some in references], 0.3, seed=2)
    ours = [chrf_of(one) for one in chrf_counts(said, references)]
    theirs = [CHRF().sentence_score(h, some).score for h, some in zip(said, references, strict=True)]
    assert ours == pytest.approx(theirs, abs=1e-9)


def test_it_draws_what_sacrebleus_own_paired_bootstrap_draws(monkeypatch):
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.significance import PairedTest

    monkeypatch.setenv("SACREBLEU_SEED", "7")
    references = [some[:1] for some in corpus(53)]
    plain = [some[0] for some in references]
    first, second = spoilt(plain, 0.2, seed=3), spoilt(plain, 0.3, seed=4)
    streams = [plain]
    test = PairedTest([("second", second), ("first", first)], {"bleu": BLEU()}, streams, "bs", n_samples=101)
    theirs = test()[1]["BLEU"][1]
    a, b = (resampled(bleu_counts(said, references), 101, seed=7) for said in (first, second))
    ends = np.sort(a)[[101 // 40, 101 - 101 // 40 - 1]]
    assert a.mean() == pytest.approx(theirs.mean, abs=1e-6)
    assert (ends[1] - ends[0]) / 2 == pytest.approx(theirs.ci, abs=1e-6)
    # their p, from the same samples by the formula of Moses' script
    got = paired_bootstrap(first, second, references, samples=101, seed=7)
    off = np.abs(a - b)
    assert (np.sum(off - off.mean() > got.difference) + 1) / 102 == pytest.approx(theirs.p_value)


def test_a_clear_difference_and_none():
    references = [some[:1] for some in corpus(211)]
    plain = [some[0] for some in references]
    good, bad = spoilt(plain, 0.1, seed=3), spoilt(plain, 0.4, seed=4)
    got = paired_bootstrap(good, bad, references, samples=199)
    assert got.difference == got.first - got.second
    assert 0 < got.low < got.difference < got.high
    assert got.p == 2 / 200  # the worse never won: (0 + 1) / (199 + 1), both ways
    back = paired_bootstrap(bad, good, references, samples=199)
    assert (back.low, back.high, back.p) == pytest.approx((-got.high, -got.low, got.p))
    same = paired_bootstrap(good, good, references, samples=199)
    assert (same.difference, same.low, same.high, same.p) == (0, 0, 0, 1)


def test_p_is_honest():
    # Two systems equally good by construction: p below 0.1 should come about one time in ten.
    below = 0
    for seed in range(59):
        references = [some[:1] for some in corpus(67, seed)]
        plain = [some[0] for some in references]
        one, two = spoilt(plain, 0.3, seed=2 * seed), spoilt(plain, 0.3, seed=2 * seed + 1)
        below += paired_bootstrap(one, two, references, samples=99).p < 0.1
    deviation = math.sqrt(59 * 0.1 * 0.9)
    assert abs(below - 5.9) < 3 * deviation


def test_what_cannot_be_compared():
    with pytest.raises(InputError, match="1 hypotheses, but references for 2 sentences"):
        paired_bootstrap(["a", "b"], ["a"], [["a"], ["b"]])
