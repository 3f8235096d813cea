"""The training loop, plain: forward, backward, clip, step."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from regard.corpus.batches import Batch
from regard.models.interface import Seq2Seq
from regard.recipe import TrainingSpec
from regard.training.objective import smoothed_cross_entropy
from regard.training.schedule import SCHEDULES

BETAS = (0.9, 0.98)  # of Adam (2017, section 5.3)


class Progress(NamedTuple):
    """One step taken."""

    step: int
    loss: float
    norm: float  # the gradient's length before clipping


def train(model: Seq2Seq, batches: Iterable[Batch], spec: TrainingSpec) -> Iterator[Progress]:
    """Trains the model on the batches, at most spec.steps of them; yields after each step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=spec.rate, betas=BETAS, weight_decay=0.0, fused=True)
    share = SCHEDULES[spec.schedule]
    model.train()
    for step, batch in zip(range(1, spec.steps + 1), batches, strict=False):
        for group in optimizer.param_groups:
            group["lr"] = spec.rate * share(step, spec.warmup, spec.steps)
        loss = loss_of(model, batch, spec.smoothing)
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), spec.clip)
        optimizer.step()
        yield Progress(step, loss.item(), norm.item())


def loss_of(model: Seq2Seq, batch: Batch, smoothing: float) -> Tensor:
    """The objective on one batch."""
    source, lengths, given, wanted = (torch.from_numpy(ids) for ids in batch)
    return smoothed_cross_entropy(model(source, lengths, given), wanted, smoothing)
