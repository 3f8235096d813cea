"""Where a translator is good and where it fails: by the source's length, and its worst sentences."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regard.errors import InputError
from regard.evaluate.counts import bleu_counts, bleu_of, chrf_counts, chrf_of
from regard.evaluate.score import References

EDGES = (5, 10, 15, 20, 30, 40)


@dataclass(frozen=True)
class Band:
    """The sentences whose sources have so many words, and the BLEU of their translations."""

    shortest: int
    longest: int | None  # None: without end
    sentences: int
    bleu: float


def by_length(
    sources: list[str],
    hypotheses: list[str],
    references: References,
    edges: Sequence[int] = EDGES,
    language: str = "",
) -> list[Band]:
    """BLEU for each band of source lengths in words; an edge is the longest of its band. Empty bands are left out.

    In a band where no translation has four words, BLEU counts the n-grams that there are: else it were 0 throughout.
    """
    if len(sources) != len(hypotheses):
        raise InputError(f"{len(sources)} sources, but {len(hypotheses)} hypotheses; give as many of both")
    counts = bleu_counts(hypotheses, references, language)
    place = np.array([bisect_left(edges, len(source.split())) for source in sources])
    bands = []
    for i, (below, longest) in enumerate(zip((-1, *edges), (*edges, None), strict=True)):
        members = place == i
        if members.any():
            score = bleu_of(counts[members].sum(0), short=True)
            bands.append(Band(below + 1, longest, int(members.sum()), score))
    return bands


def worst(hypotheses: list[str], references: References, count: int = 10) -> list[int]:
    """Which sentences have the lowest chrF, the lowest first; of equally bad ones the earlier."""
    each = [chrf_of(one) for one in chrf_counts(hypotheses, references)]
    return sorted(range(len(each)), key=lambda i: (each[i], i))[:count]
