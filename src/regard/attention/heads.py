"""Multi-head attention: several looks at once, each in a subspace of its own.

B batch, H heads, T queries, S keys, D width of the queries' sequence, M width of the other, K key width, V value width.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from regard.attention.attend import attend
from regard.attention.positions import Rotary
from regard.attention.probe import Probe
from regard.attention.scores import make_score
from regard.errors import RecipeError


class Keys(NamedTuple):
    """What is looked at, projected once: k [B, H, S, K] and v [B, H, S, V]. A decoder keeps them from step to step."""

    k: Tensor
    v: Tensor

    def extend(self, newer: "Keys") -> "Keys":
        """These, and the newer behind them."""
        return Keys(torch.cat((self.k, newer.k), 2), torch.cat((self.v, newer.v), 2))


class MultiHead(nn.Module):
    """Concat(head_1, ..., head_H) W_O with head_i = attend(Q W_Q, K W_K, V W_V) (Vaswani et al. 2017, 3.2.2)."""

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        memory_width: int | None = None,
        key_width: int | None = None,
        value_width: int | None = None,
        score: str = "scaled_dot",
        rotary: bool = False,
        bias: bool = True,
        dropout: nn.Module | None = None,
    ) -> None:
        super().__init__()
        if width % heads and (key_width is None or value_width is None):
            raise RecipeError(f"width {width} is not divided by {heads} heads; give key_width and value_width")
        memory_width = memory_width or width
        key_width, value_width = key_width or width // heads, value_width or width // heads
        self.heads = heads
        self.query = nn.Linear(width, heads * key_width, bias)
        self.key = nn.Linear(memory_width, heads * key_width, bias)
        self.value = nn.Linear(memory_width, heads * value_width, bias)
        self.output = nn.Linear(heads * value_width, width, bias)
        self.score = make_score(score, heads, key_width)
        self.rotary = Rotary(key_width) if rotary else None
        self.dropout = dropout
        self.probe = Probe(heads)

    def forward(self, x: Tensor, memory: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        """x [B, T, D] looks at memory [B, S, M], or at itself: [B, T, D]."""
        return self.look(x, self.project(x if memory is None else memory), mask)

    def project(self, memory: Tensor, offset: int = 0) -> Keys:
        """The keys and values of a sequence that begins at position `offset`."""
        k = self.split(self.key(memory))
        return Keys(k if self.rotary is None else self.rotary(k, offset), self.split(self.value(memory)))

    def look(self, x: Tensor, keys: Keys, mask: Tensor | None = None, offset: int = 0) -> Tensor:
        """x [B, T, D], whose first stands at position `offset`, looks at projected keys."""
        q = self.split(self.query(x))
        q = q if self.rotary is None else self.rotary(q, offset)
        mixed = attend(q, keys.k, keys.v, mask, score=self.score, probe=self.probe, dropout=self.active_dropout)
        output: Tensor = self.output(mixed.transpose(1, 2).flatten(2))
        return self.probe("output", output) if self.probe.watched else output

    def split(self, x: Tensor) -> Tensor:
        """[B, T, H*K] -> [B, H, T, K]"""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    @property
    def active_dropout(self) -> nn.Module | None:
        return self.dropout if self.training else None
