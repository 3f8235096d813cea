"""The training loop, plain: forward, backward, clip, step, average. What lasts longer than a minute: see run.py."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch

from regard.corpus.batches import Batch
from regard.models.interface import Seq2Seq
from regard.recipe import TrainingSpec
from regard.training.flat import Flat
from regard.training.improver import Improver
from regard.training.objective import Lesson, Speaking
from regard.training.schedule import rate_at


class Progress(NamedTuple):
    """One step taken."""

    step: int
    loss: float
    norm: float  # the gradient's length before clipping


def train(model: Seq2Seq, batches: Iterable[Batch], spec: TrainingSpec) -> Iterator[Progress]:
    """Trains the model on the batches, at most spec.steps of them; yields after each step."""
    flat = Flat(model)
    improver, objective = Improver(flat, spec), Speaking(spec, torch.float32)
    model.train()
    for step, batch in zip(range(1, spec.steps + 1), batches, strict=False):
        flat.grads.zero_()
        total, count = objective.loss(model, Lesson(batch, None))
        total.backward()
        norm = improver.improve(step, count, rate_at(step, spec, spec.steps, model.logits.weight.size(1)))
        yield Progress(step, total.item() / count, norm)
