"""The beams of a batch: plain tensors, and the pure functions that move them from one step to the next.

B sentences, N of them still searched, K beams, T tokens so far, C candidates, V vocabulary.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.search.steps import Choices, gather


@dataclass(frozen=True, eq=False)
class Beams:
    """What has been said so far, K times over for each sentence."""

    sentences: Tensor  # [N] the sentences' places in the batch
    ids: Tensor  # [N, K, 1 + T] the start token first
    log_probs: Tensor  # [N, K, T]
    scores: Tensor  # [N, K] the sum of log_probs; minus infinity: an empty place

    @property
    def time(self) -> int:
        return self.log_probs.size(-1)


def first(batch: int, width: int, start: int, device: torch.device) -> Beams:
    """Before the first step all beams are the same: one counts, the other places are empty."""
    scores = torch.full((batch, width), -torch.inf, device=device)
    scores[:, 0] = 0.0
    ids = torch.full((batch, width, 1), start, dtype=torch.long, device=device)
    return Beams(torch.arange(batch, device=device), ids, scores.new_zeros(batch, width, 0), scores)


def extend(beams: Beams, by: Choices) -> Beams:
    """The beams that the choices [N, K] make of these."""
    ids = torch.cat((gather(beams.ids, by.parents), by.ids[..., None]), -1)
    log_probs = torch.cat((gather(beams.log_probs, by.parents), by.log_probs[..., None]), -1)
    return Beams(beams.sentences, ids, log_probs, by.scores)


def keep(beams: Beams, rows: Tensor) -> Beams:
    """The beams of the rows [N'] that go on."""
    return Beams(beams.sentences[rows], beams.ids[rows], beams.log_probs[rows], beams.scores[rows])


def look_up(parents: Tensor, ids: Tensor, log_probs: Tensor, beams: Beams) -> Choices:
    """The beams' continuations by chosen ids [N, C], with what the log_probs [N, K, V] say of them."""
    chosen = gather(log_probs.flatten(1), parents * log_probs.size(-1) + ids)
    return Choices(parents, ids, chosen, gather(beams.scores, parents) + chosen)


def best(totals: Tensor, log_probs: Tensor, beams: Beams) -> Choices:
    """The 2K continuations of the highest totals [N, K, V].

    Twice the beams, so that K remain to go on with even if each of the K best is an end.
    """
    width, vocabulary = totals.shape[1:]
    scores, places = totals.flatten(1).topk(min(2 * width, width * vocabulary))
    parents, ids = places // vocabulary, places % vocabulary
    return Choices(parents, ids, look_up(parents, ids, log_probs, beams).log_probs, scores)


def go_on(candidates: Choices, end: int, width: int) -> Choices:
    """The first K candidates that do not end; where there are fewer, the places behind them are empty."""
    stopped = (candidates.ids == end) | candidates.scores.isneginf()
    places = stopped.long().argsort(dim=1, stable=True)[:, :width]
    survivors = candidates.pick(places)
    scores = survivors.scores.masked_fill(gather(stopped, places), -torch.inf)
    return Choices(survivors.parents, survivors.ids, survivors.log_probs, scores)
