"""Beam search: the K best beginnings of a target go on side by side."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from torch import Tensor

from regard.errors import InputError
from regard.models.interface import Seq2Seq
from regard.search.beams import best
from regard.search.constraints import Constrained
from regard.search.loop import Plan, Rank, search, stops_after
from regard.search.rules import Rules, SearchOptions
from regard.search.steps import Steps


@dataclass(frozen=True, kw_only=True, eq=False)
class BeamOptions(SearchOptions):
    """How wide to search, how long, and for what."""

    beams: int = 5  # K: how many beginnings go on side by side
    n_best: int = 1  # how many hypotheses to return for each sentence
    length_penalty: float = 1.0  # hypotheses are ranked by log_prob / length ** length_penalty; 0: by log_prob
    patience: float | None = None  # stop after round(patience * beams) hypotheses; None: when none better is expected
    phrases: Sequence[Sequence[Sequence[int]]] = ()  # for each sentence the phrases that its target must contain

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beams < 1:
            raise InputError(f"beams is {self.beams}; it must be at least 1")
        if not 0 <= self.length_penalty < math.inf:
            raise InputError(f"length_penalty is {self.length_penalty}; it must be a number from 0 (none)")
        if self.patience is not None and not self.patience > 0:
            raise InputError(f"patience is {self.patience}; it must be above 0, or None")
        stop = self.beams if self.patience is None else stops_after(self.patience, self.beams)
        if stop < 1:
            raise InputError(f"patience is {self.patience}; with {self.beams} beams that is not one hypothesis")
        if not 1 <= self.n_best <= min(self.beams, stop):
            raise InputError(f"n_best is {self.n_best}; this search gives 1 to {min(self.beams, stop)} hypotheses")
        for phrase in (phrase for sentence in self.phrases for phrase in sentence):
            if not phrase or self.end in phrase:
                raise InputError(f"phrase {list(phrase)}; it must have a token, and none may be the end ({self.end})")

    def named(self) -> Iterable[int]:
        return [*super().named(), *(token for sentence in self.phrases for phrase in sentence for token in phrase)]


def beam(model: Seq2Seq, source: Tensor, lengths: Tensor, options: BeamOptions) -> Steps:
    """The n best hypotheses for each sentence of source [B, S], of which the first lengths [B] count."""
    rules = Rules(options, source.size(0), source.device)
    rank: Rank = Constrained(options.phrases, rules) if options.phrases else best
    plan = Plan(rank, options.beams, options.n_best, options.length_penalty, options.patience)
    return search(model, source, lengths, rules, plan)
