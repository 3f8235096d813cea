"""What every model is to the rest of the house: three contracts, and trees of tensors that go along with them.

B batch, S source length, T target length, D model width, F width of a source vector, V target vocabulary, C labels.

Always true, and tested for every model: stepping equals forward; a later target token changes no earlier output;
padding and batching change nothing.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from regard.errors import InputError
from regard.models.embedding import Logits

Memory = Any  # what a model makes of the source: a tree of tensors, batch first
State = Any  # what a model carries from step to step: a tree of tensors, batch first

Tree = TypeVar("Tree")


class Seq2Seq(nn.Module, ABC):
    """One sequence becomes another. A language model is one with an empty source."""

    reads = True  # whether it has a source
    logits: Logits  # from features to scores of each piece

    @abstractmethod
    def encode(self, source: Tensor, lengths: Tensor) -> Memory:
        """source [B, S] tokens or [B, S, F] vectors, of which the first lengths [B] count."""

    @abstractmethod
    def start(self, memory: Memory) -> State:
        """The state before the first target token."""

    @abstractmethod
    def step(self, state: State, ids: Tensor) -> tuple[Tensor, State]:
        """ids [B], the newest target tokens, give logits [B, V] for the next ones, and the state behind them."""

    @abstractmethod
    def features(self, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        """target [B, T] gives features [B, T, D], all steps at once: what the logits are made of."""

    def forward(self, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        """target [B, T] gives logits [B, T, V], each for the token behind its position."""
        logits: Tensor = self.logits(self.features(source, lengths, target))
        return logits


class Labeller(nn.Module, ABC):
    """Each token, or the whole sentence, is given a label: filling in, classifying."""

    @abstractmethod
    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """ids [B, S] give logits [B, S, V] for each token or [B, C] for the sentence."""


class Ratings(nn.Module, ABC):
    """A user's rating of an item."""

    @abstractmethod
    def forward(self, users: Tensor, items: Tensor) -> Tensor:
        """users [B] and items [B] give ratings [B]."""


def no_source(batch: int, device: torch.device | None = None) -> tuple[Tensor, Tensor]:
    """The empty source of a language model: tokens [B, 0] and lengths [B]."""
    return torch.zeros(batch, 0, dtype=torch.long, device=device), torch.zeros(batch, dtype=torch.long, device=device)


def check_source(source: Tensor, lengths: Tensor, front: nn.Module) -> None:
    """Refuses what no model can read: an empty batch or sentence, vectors of another width, a token it does not have.

    front: the Embedding or VectorFront that will read it; each says how many `tokens` or `vectors` it knows.
    """
    vectors, tokens = getattr(front, "vectors", 0), getattr(front, "tokens", 0)
    given = tuple(source.shape)
    if vectors and (source.dim() != 3 or source.size(2) != vectors):
        raise InputError(f"a source of shape {list(given)}; this model reads vectors: [batch, length, {vectors}]")
    if not vectors and source.dim() != 2:
        raise InputError(f"a source of shape {list(given)}; this model reads tokens: [batch, length]")
    if source.size(0) == 0:
        raise InputError("an empty batch; give at least one sentence")
    if tuple(lengths.shape) != (source.size(0),):
        raise InputError(f"lengths of shape {list(lengths.shape)}; one number a sentence: [{source.size(0)}]")
    if source.size(1) == 0:
        raise InputError("sentences of no tokens; each needs at least one")
    low, high = (int(x) for x in torch.aminmax(lengths))
    if low < 1 or high > source.size(1):
        raise InputError(f"lengths from {low} to {high}; a sentence here has 1 to {source.size(1)} tokens")
    if tokens:
        low, high = (int(x) for x in torch.aminmax(source))
        if low < 0 or high >= tokens:
            raise InputError(f"source tokens from {low} to {high}; this model knows 0 to {tokens - 1}")


def check_no_source(source: Tensor) -> None:
    """A language model goes on from its own words; it has nothing that could read a source."""
    if source.size(1):
        raise InputError(f"a source of {source.size(1)} tokens; a language model has none: see `no_source`")


class Shared(NamedTuple):
    """A part of a state that is the same for all beams of a sentence: it has one row a sentence, not one a beam."""

    tree: Any


def reorder(tree: Tree, index: Tensor, sentences: Tensor | None = None) -> Tree:
    """The tree with rows `index` [B'] of every tensor in it: for beams that change places, end, or multiply.

    `sentences`: the rows of what is Shared, where a sentence has several beams; else they are those of `index`.
    """
    picked: Any
    if isinstance(tree, Tensor):
        picked = tree.index_select(0, index)
    elif isinstance(tree, Shared) and sentences is not None:
        picked = reorder(tree, sentences)
    elif isinstance(tree, tuple):
        parts = [reorder(part, index, sentences) for part in tree]
        picked = type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    else:
        picked = tree  # a number or None is the same for every row
    return picked
