"""What training makes small: for each task how pairs become a batch, and the loss of a batch.

A loss is a sum over what is counted (tokens, sentences, ratings) and their number, so that the pieces of a step add up.

B batch, S source length, T target length, N counted positions, C labels.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from regard.corpus.batches import Batch, Rows, fill, make_batch
from regard.models.interface import Labeller, Ratings, Seq2Seq
from regard.recipe import Recipe, TrainingSpec
from regard.text.symbols import EOS, PAD
from regard.training.guide import Guide, gathered
from regard.training.speech import agreeing_loss, smoothed_loss

Ids = Sequence[int] | NDArray[np.integer]

HIDDEN = 0.15  # the share of tokens that a model for filling in must guess (Devlin et al. 2019, section 3.1)


class Sum(NamedTuple):
    """A loss summed over so many things."""

    total: Tensor
    things: int


class Material(Protocol):
    """Pairs as ids, by their rows: corpus/pairs.py's, or some in memory."""

    @property
    def values(self) -> NDArray[np.float32] | None: ...

    def ids(self, row: int) -> tuple[Ids, Ids]: ...

    def links(self, row: int) -> NDArray[np.integer]: ...

    def sampled(self, rows: Sequence[int], alpha: float, seed: int) -> Sequence[tuple[Ids, Ids]]: ...

    def relinked(self, row: int, ids: tuple[Ids, Ids]) -> NDArray[np.integer]: ...


class Objective(Protocol):
    """A task's way from rows of pairs to a loss; `seed` fixes all that is drawn on the way to the batch."""

    def batch(self, pairs: Material, rows: Rows, seed: int) -> Any: ...

    def loss(self, module: Any, batch: Any, learning: bool = True) -> Sum:
        """While not learning, what regularises is left out: the loss is the mean -log p, or the squared error."""


class Lesson(NamedTuple):
    """A batch, and where it is known which source token each target token translates."""

    batch: Batch
    links: Tensor | None  # [L, 3]: sentence, source token, target token


class Speaking:
    """One sequence becomes another, or, without a source, a language model goes on: each token's cross-entropy."""

    def __init__(
        self, spec: TrainingSpec, dtype: torch.dtype, sampling: float = 0.0, guide: Guide | None = None
    ) -> None:
        self.spec, self.sampling, self.dtype, self.guide = spec, sampling, dtype, guide

    def batch(self, pairs: Material, rows: Rows, seed: int) -> Lesson:
        ids = split(pairs, rows, self.sampling, seed)
        if not self.guide:
            return Lesson(make_batch(ids), None)
        if self.sampling:
            links = [pairs.relinked(int(row), pair) for row, pair in zip(rows, ids, strict=True)]
        else:
            links = [pairs.links(int(row)) for row in rows]
        return Lesson(make_batch(ids), gathered(links))

    def loss(self, module: Seq2Seq, lesson: Lesson, learning: bool = True) -> Sum:
        source, lengths, given, wanted = here(lesson.batch, module)
        if not module.reads:
            source, lengths = source[:, :0], torch.zeros_like(lengths)
        twice = learning and self.spec.r_drop > 0
        if twice:
            source, lengths, given = (torch.cat((part, part)) for part in (source, lengths, given))
        guide = self.guide if learning and lesson.links is not None else None
        watching = guide.watching(module) if guide else nullcontext(list[Tensor]())
        with watching as seen, autocast(self.dtype, source.device):
            x = module.features(source, lengths, given)
        counted = (wanted.flatten() != PAD).nonzero()[:, 0]
        said, weight, bias = wanted.flatten()[counted], module.logits.weight, module.logits.bias
        smoothing = self.spec.smoothing if learning else 0.0
        halves = [half.flatten(0, 1)[counted] for half in x.chunk(2 if twice else 1)]
        if twice:
            total = agreeing_loss(halves[0], halves[1], weight, bias, said, smoothing, self.spec.r_drop, self.dtype)
        else:
            total = smoothed_loss(halves[0], weight, bias, said, smoothing, self.dtype)
        if guide and seen and lesson.links is not None:  # nothing is seen where layer dropout left the head's layer out
            total = total + guide.loss(torch.cat(seen, 2)[: len(wanted)], lesson.links.to(source.device))
        return Sum(total, len(said))


class Filling:
    """Some tokens are hidden, and guessed from those on both sides (Devlin et al. 2019): their cross-entropy.

    A hidden token is the MASK symbol; unlike in the paper never another word or itself, as no other task follows.
    """

    def __init__(self, spec: TrainingSpec, dtype: torch.dtype, mask: int, sampling: float = 0.0) -> None:
        self.spec, self.dtype, self.mask, self.sampling = spec, dtype, mask, sampling

    def batch(self, pairs: Material, rows: Rows, seed: int) -> tuple[NDArray[np.int64], ...]:
        rng = np.random.default_rng(seed)
        whole = [one for _, one in split(pairs, rows, self.sampling, seed)]
        ids = fill([[*one, EOS] for one in whole])
        lengths = np.array([len(one) + 1 for one in whole], dtype=np.int64)
        hidden = (rng.random(ids.shape) < HIDDEN) & (ids != PAD) & (ids != EOS)
        hidden[np.arange(len(whole)), (rng.random(len(whole)) * (lengths - 1)).astype(np.int64)] = True  # one at least
        return np.where(hidden, self.mask, ids), lengths, np.where(hidden, ids, PAD)

    def loss(self, module: Labeller, batch: tuple[NDArray[np.int64], ...], learning: bool = True) -> Sum:
        ids, lengths, wanted = here(batch, module)
        found = wanted != PAD
        said = [logits[found] for logits in heard(module, ids, lengths, self.spec, self.dtype, learning)]
        return Sum(chosen(said, wanted[found], self.spec, learning), int(found.sum()))


class Naming:
    """A sentence is given one of C labels: its cross-entropy."""

    def __init__(self, spec: TrainingSpec, dtype: torch.dtype, sampling: float = 0.0) -> None:
        self.spec, self.dtype, self.sampling = spec, dtype, sampling

    def batch(self, pairs: Material, rows: Rows, seed: int) -> tuple[NDArray[np.int64], ...]:
        ids = split(pairs, rows, self.sampling, seed)
        lengths = np.array([len(one) + 1 for one, _ in ids], dtype=np.int64)
        return fill([[*one, EOS] for one, _ in ids]), lengths, np.array([label[0] for _, label in ids], dtype=np.int64)

    def loss(self, module: Labeller, batch: tuple[NDArray[np.int64], ...], learning: bool = True) -> Sum:
        ids, lengths, wanted = here(batch, module)
        said = heard(module, ids, lengths, self.spec, self.dtype, learning)
        return Sum(chosen(said, wanted, self.spec, learning), len(wanted))


class Rating:
    """A user's rating of an item: the squared error (Koren et al. 2009, equation 5; its weights' sizes are `decay`)."""

    def __init__(self, spec: TrainingSpec) -> None:
        self.spec = spec

    def batch(self, pairs: Material, rows: Rows, seed: int) -> tuple[NDArray[Any], ...]:
        assert pairs.values is not None
        who = np.array([[one[0] for one in pairs.ids(int(row))] for row in rows], dtype=np.int64)
        return who[:, 0].copy(), who[:, 1].copy(), pairs.values[rows].astype(np.float32)

    def loss(self, module: Ratings, batch: tuple[NDArray[Any], ...], learning: bool = True) -> Sum:
        users, items, wanted = here(batch, module)
        return Sum((module(users, items) - wanted).square().sum(), len(wanted))


def make_objective(recipe: Recipe, module: nn.Module, dtype: torch.dtype, mask: int = 0) -> Objective:
    """A task's objective; `mask`: the id of the symbol that hides a token."""
    spec, sampling = recipe.training, recipe.tokens.sampling
    if recipe.task == "fill":
        return Filling(spec, dtype, mask, sampling)
    if recipe.task == "classify":
        return Naming(spec, dtype, sampling)
    if recipe.task == "ratings":
        return Rating(spec)
    return Speaking(spec, dtype, sampling, Guide(module, spec.guided) if spec.guided else None)


def split(pairs: Material, rows: Rows, sampling: float, seed: int) -> Sequence[tuple[Ids, Ids]]:
    """The rows' ids, with sampling of sentences that are split anew."""
    return pairs.sampled(rows.tolist(), sampling, seed) if sampling else [pairs.ids(int(row)) for row in rows]


def heard(
    module: Labeller, ids: Tensor, lengths: Tensor, spec: TrainingSpec, dtype: torch.dtype, learning: bool
) -> tuple[Tensor, ...]:
    """The logits of a batch; for R-Drop those of two dropouts."""
    times = 2 if learning and spec.r_drop > 0 else 1
    with autocast(dtype, ids.device):
        logits = module(torch.cat([ids] * times), torch.cat([lengths] * times))
    return logits.float().chunk(times)


def chosen(said: Sequence[Tensor], wanted: Tensor, spec: TrainingSpec, learning: bool) -> Tensor:
    """The cross-entropy of logits [N, C]; of two dropouts R-Drop, halved as in `agreeing_loss`."""
    smoothing = spec.smoothing if learning else 0.0
    each = [F.cross_entropy(logits, wanted, label_smoothing=smoothing, reduction="sum") for logits in said]
    if len(each) == 1:
        return each[0]
    p, q = (logits.log_softmax(-1) for logits in said)
    return (each[0] + each[1]) / 2 + spec.r_drop / 4 * ((p.exp() - q.exp()) * (p - q)).sum()


def here(batch: Sequence[NDArray[Any]], module: nn.Module) -> tuple[Tensor, ...]:
    """A batch's arrays as tensors where the module is."""
    device = next(module.parameters()).device
    return tuple(torch.from_numpy(array).to(device, non_blocking=True) for array in batch)


def autocast(dtype: torch.dtype, device: torch.device) -> torch.autocast:
    """Products in `dtype`, where that is not what they are in anyway."""
    return torch.autocast(device.type, torch.bfloat16, enabled=dtype != torch.float32)
