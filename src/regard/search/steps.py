"""What a search tells: a record of each time step, and when it is over each sentence's hypotheses.

N sentences still searched, K beams, C candidates.
"""

from collections.abc import Generator
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.search.hypothesis import Hypothesis


@dataclass(frozen=True, eq=False)
class Choices:
    """Continuations of beams, best first; each tensor [N, C]."""

    parents: Tensor  # which beam of the step before is continued
    ids: Tensor  # by which token
    log_probs: Tensor  # that token's log-probability
    scores: Tensor  # the sum of log-probabilities so far; minus infinity: no continuation stands at this place

    def pick(self, places: Tensor) -> "Choices":
        """Those at places [N, K]."""
        parts = (self.parents, self.ids, self.log_probs, self.scores)
        return Choices(*(gather(part, places) for part in parts))


@dataclass(frozen=True)
class Ended:
    """A hypothesis that became complete at a step."""

    sentence: int  # its place in the batch
    parent: int  # the beam of the step before that it continues
    hypothesis: Hypothesis


@dataclass(frozen=True, eq=False)
class Step:
    """One time step. Step after step, the survivors' parents are the branches of the tree that the search has grown."""

    time: int  # from 0
    sentences: Tensor  # [N] the places in the batch of the sentences still searched: the rows of what follows
    candidates: Choices  # the best continuations, twice as many as beams: [N, 2K]; when sampling the one drawn: [N, 1]
    survivors: Choices  # [N, K] what the beams are from here on
    ended: tuple[Ended, ...]


Steps = Generator[Step, None, list[list[Hypothesis]]]


def finish(steps: Steps) -> list[list[Hypothesis]]:
    """Runs a search to its end, for who wants nothing but the hypotheses: for each sentence a list, best first."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            hypotheses: list[list[Hypothesis]] = stop.value
            return hypotheses


def gather(x: Tensor, places: Tensor) -> Tensor:
    """x [N, K, ...] at places [N, C] of its second axis: [N, C, ...]."""
    return x[torch.arange(x.size(0), device=x.device)[:, None], places]
