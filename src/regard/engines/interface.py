"""What an engine is to who asks it: token ids in, hypotheses out, whatever runs the model.

T target length, S source length.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from regard.recipe import ModelSpec, StackSpec
from regard.search.hypothesis import Hypothesis
from regard.text.symbols import BOS, PAD, UNK

Ids = Sequence[int]
Floats = NDArray[np.float32]

STRETCH, SPARE = 2, 10  # an answer is cut at so many times its source's tokens and so many more
UNSAID = (UNK, PAD, BOS)
POSITIONS = 1024  # that the fast engine is written with, where a model knows no longest one


class Forced(NamedTuple):
    """How likely a model finds a target that is given."""

    log_prob: float  # the sum
    log_probs: tuple[float, ...]  # of each token, and of the end token


class Engine(Protocol):
    """Who runs the search of a translator."""

    longest: int | None  # tokens that a sentence may have; None: any number

    def search(
        self,
        sources: Sequence[Ids],
        *,
        beam: int = 5,
        n_best: int = 1,
        length_penalty: float = 1.0,
        limits: Sequence[int] | None = None,
        prefix: Sequence[Ids] = (),
        no_repeat: int = 0,
    ) -> list[list[Hypothesis]]:
        """For each source its n best targets, best first; `limits`: how many tokens each may have, the end counted."""
        ...

    def score(self, sources: Sequence[Ids], targets: Sequence[Ids]) -> list[Forced]:
        """How likely each target is to follow its source."""
        ...


def longest_of(spec: ModelSpec) -> int | None:
    """The tokens that a model's learned positions end at; None where it knows no end."""
    return spec.longest if isinstance(spec, StackSpec) and spec.positions == "learned" else None


def limits_of(sources: Sequence[Ids], wanted: Sequence[int] | None, longest: int | None) -> list[int]:
    """How many tokens each answer may have."""
    limits = wanted or [STRETCH * len(source) + SPARE for source in sources]
    return [limit if longest is None else min(limit, longest) for limit in limits]


def batches(sizes: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Rows by falling size: as many together as, filled up to the longest, hold at most so many tokens."""
    rows = sorted(range(len(sizes)), key=lambda row: -sizes[row])
    start = 0
    while start < len(rows):
        end = start + max(1, tokens // sizes[rows[start]])
        yield rows[start:end]
        start = end
