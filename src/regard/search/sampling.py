"""Sampling: each token is drawn by its probability, perhaps from the likeliest alone.

B sentences, N of them still searched, T longest limit, V vocabulary.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.errors import InputError
from regard.models.interface import Seq2Seq
from regard.search.beams import Beams, look_up
from regard.search.loop import Plan, search
from regard.search.rules import Rules, SearchOptions, one_each
from regard.search.steps import Choices, Steps


@dataclass(frozen=True, kw_only=True, eq=False)
class SamplingOptions(SearchOptions):
    """How freely to draw."""

    seeds: Sequence[int]  # one for each sentence, which so draws the same alone and in any batch
    temperature: float = 1.0  # log-probabilities are divided by it: below 1 the likely become likelier
    top_k: int = 0  # only from so many of the likeliest tokens (Fan et al. 2018, section 5.4); 0: from all
    top_p: float = 1.0  # only from the smallest set of tokens with this probability (Holtzman et al. 2020, equation 2)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.temperature < math.inf:
            raise InputError(
                f"temperature is {self.temperature}; it must be a number above 0 (at 0 it would be greedy)"
            )
        if self.top_k < 0:
            raise InputError(f"top_k is {self.top_k}; it must be 0 (all tokens) or a number of tokens")
        if not 0 < self.top_p <= 1:
            raise InputError(f"top_p is {self.top_p}; it is a probability above 0, at most 1")


def sample(model: Seq2Seq, source: Tensor, lengths: Tensor, options: SamplingOptions) -> Steps:
    """One drawn hypothesis for each sentence of source [B, S], of which the first lengths [B] count.

    The log-probabilities it tells are the model's own, as if nothing had been sharpened or cut off.
    """
    one_each("seeds", len(options.seeds), source.size(0))
    rules = Rules(options, source.size(0), source.device)
    longest = int(rules.limits.max())
    lots = torch.stack([draw_lots(seed, longest) for seed in options.seeds]).to(source.device)

    def rank(totals: Tensor, log_probs: Tensor, beams: Beams) -> Choices:
        """The token drawn is the only candidate."""
        probs, order = likeliest(totals[:, 0], options)
        place = draw(probs, lots[beams.sentences, beams.time])
        ids = order.gather(1, place[:, None])
        drawn = look_up(torch.zeros_like(ids), ids, log_probs, beams)
        allowed = totals[:, 0].gather(1, ids)
        return Choices(drawn.parents, ids, drawn.log_probs, allowed)

    return search(model, source, lengths, rules, Plan(rank))


def draw_lots(seed: int, count: int) -> Tensor:
    """So many numbers from 0 to below 1; a larger count only adds to them."""
    return torch.rand(count, generator=torch.Generator().manual_seed(seed))


def likeliest(log_probs: Tensor, options: SamplingOptions) -> tuple[Tensor, Tensor]:
    """log_probs [N, V] -> the probabilities to draw by, falling, and their tokens; 0 for what is cut off."""
    sharpened, order = (log_probs / options.temperature).sort(descending=True, stable=True)
    if options.top_k:
        sharpened[:, options.top_k :] = -torch.inf
    probs = sharpened.softmax(-1)
    before = probs.cumsum(-1) - probs  # how much the likelier ones have together
    return probs.masked_fill(before >= options.top_p, 0.0), order


def draw(probs: Tensor, lots: Tensor) -> Tensor:
    """The place in probs [N, V] where their running sum passes the share lots [N] of the whole."""
    sums = probs.cumsum(-1)
    places = (sums <= lots[:, None] * sums[:, -1:]).sum(-1)
    last = (probs > 0).sum(-1) - 1  # rounding must not lead behind the last that can be drawn
    return places.minimum(last).clamp(min=0)
