"""The small parts of a block: norms, the feed-forward network, the sum around a sublayer.

B batch, T length, D model width.
"""

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention.heads import MultiHead
from regard.models.dropout import Dropout
from regard.recipe import StackSpec

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "swish": F.silu,
    "swiglu": F.silu,
}


def make_norm(spec: StackSpec) -> nn.Module:
    """LayerNorm (Ba et al. 2016) or RMSNorm (Zhang and Sennrich 2019) over the width."""
    kind = nn.LayerNorm if spec.norm_kind == "layer" else nn.RMSNorm
    return kind(spec.width, eps=spec.norm_epsilon)


def final_norm(spec: StackSpec) -> nn.Module:
    """A pre-norm stack's sum is never normed inside, so once at its end; a post-norm stack needs none."""
    return make_norm(spec) if spec.norm == "pre" else nn.Identity()


def self_attention(spec: StackSpec) -> MultiHead:
    """An attention of a sequence to itself; rotary positions turn its queries and keys."""
    return make_attention(spec, rotary=spec.positions == "rotary")


def make_attention(spec: StackSpec, rotary: bool = False) -> MultiHead:
    """An attention as the recipe wants it."""
    return MultiHead(
        spec.width,
        spec.heads,
        key_width=spec.key_width,
        value_width=spec.value_width,
        score=spec.score,
        rotary=rotary,
        bias=spec.bias,
        dropout=Dropout(spec.attention_dropout) if spec.attention_dropout else None,
    )


class FeedForward(nn.Module):
    """FFN(x) = W_2 f(W_1 x) (2017, section 3.3); with SwiGLU W_2 (swish(W_g x) * W_1 x) (Shazeer 2020)."""

    def __init__(self, spec: StackSpec) -> None:
        super().__init__()
        self.inner = nn.Linear(spec.width, spec.inner, spec.bias)
        self.gate = nn.Linear(spec.width, spec.inner, spec.bias) if spec.activation == "swiglu" else None
        self.outer = nn.Linear(spec.inner, spec.width, spec.bias)
        self.activation = ACTIVATIONS[spec.activation]
        self.dropout = Dropout(spec.inner_dropout)

    def forward(self, x: Tensor) -> Tensor:
        if self.gate is None:
            hidden = self.activation(self.inner(x))
        else:
            hidden = self.activation(self.gate(x)) * self.inner(x)
        out: Tensor = self.outer(self.dropout(hidden))
        return out


class Residual(nn.Module):
    """The sum around a sublayer f: x + f(norm(x)) before, or norm(x + f(x)) after.

    x = residual.leave(x, f(residual.enter(x)))
    """

    def __init__(self, spec: StackSpec) -> None:
        super().__init__()
        self.norm = make_norm(spec)
        self.before = spec.norm == "pre"
        self.dropout = Dropout(spec.dropout)

    def enter(self, x: Tensor) -> Tensor:
        """What the sublayer is given."""
        return self.norm(x) if self.before else x

    def leave(self, x: Tensor, change: Tensor) -> Tensor:
        """What the sublayer's answer makes of x."""
        total = x + self.dropout(change)
        return total if self.before else self.norm(total)
