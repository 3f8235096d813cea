"""What a corpus score is made of: counts of each sentence that add up, and the score of their sum.

With them any choice of sentences is scored without looking at the texts again. The scores are sacreBLEU's own (tested).

N sentences, C counts of a sentence.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from regard.errors import needs
from regard.evaluate.bleu import tokens_of
from regard.evaluate.score import References, check

Counts = NDArray[np.int64]  # [N, C] or [C]

LONGEST = 6  # the longest of chrF's n-grams, in characters
BETA = 2  # how many times as much recall counts as precision


def bleu_counts(hypotheses: list[str], references: References, language: str = "") -> Counts:
    """Of each sentence: its length, the nearest reference's, n-grams of 1 to 4 words found there, n-grams in all."""
    check(hypotheses, references)
    with needs("evaluate"):
        from sacrebleu.metrics.bleu import BLEU
    metric = BLEU(tokenize=tokens_of(language), effective_order=True)  # effective_order: else it warns
    each = [metric.sentence_score(h, some) for h, some in zip(hypotheses, references, strict=True)]
    return np.array([[one.sys_len, one.ref_len, *one.counts, *one.totals] for one in each], dtype=np.int64)


def bleu_of(counts: Counts, short: bool = False) -> float:
    """Corpus BLEU of added counts; `short`: n-grams that no hypothesis is long enough for are left out, not 0."""
    with needs("evaluate"):
        from sacrebleu.metrics.bleu import BLEU
    length, nearest, *grams = counts.tolist()
    found, all_of_them = grams[:4], grams[4:]
    return BLEU.compute_bleu(found, all_of_them, length, nearest, smooth_method="exp", effective_order=short).score


def chrf_counts(hypotheses: list[str], references: References) -> Counts:
    """Of each sentence, for n-grams of 1 to 6 characters: how many it has, its best reference has, both have."""
    check(hypotheses, references)
    best = []
    for hypothesis, some in zip(hypotheses, references, strict=True):
        said = character_ngrams(hypothesis)
        each = [shared(said, character_ngrams(one)) for one in some]
        best.append(max(each, key=chrf_of))  # of equally good ones the first
    return np.array(best)


def character_ngrams(text: str) -> list[Counter[str]]:
    """The n-grams of each length, white space left out."""
    solid = "".join(text.split())
    return [Counter(solid[i : i + n] for i in range(len(solid) - n + 1)) for n in range(1, LONGEST + 1)]


def shared(said: list[Counter[str]], wanted: list[Counter[str]]) -> Counts:
    counts = []
    for ours, theirs in zip(said, wanted, strict=True):
        both = sum(min(count, theirs[gram]) for gram, count in ours.items() if gram in theirs)
        # where the reference is too short to have any, sacreBLEU counts none of the hypothesis either
        counts += [ours.total() if theirs else 0, theirs.total(), both]
    return np.array(counts, dtype=np.int64)


def chrf_of(counts: Counts) -> float:
    """chrF of added counts: precision and recall are means over the lengths of which both sides have n-grams."""
    triples = [counts[i : i + 3].tolist() for i in range(0, len(counts), 3)]
    known = [(said, wanted, both) for said, wanted, both in triples if said and wanted]
    if not any(both for _, _, both in known):
        return 0.0
    precision = sum(both / said for said, _, both in known) / len(known)
    recall = sum(both / wanted for _, wanted, both in known) / len(known)
    return 100 * (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall)
