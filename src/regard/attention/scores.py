"""Scores: how well each query matches each key. Pure functions of (q, k), and their learned parts.

B batch, H heads, T queries, S keys, K key width. q [..., T, K] and k [..., S, K] give scores [..., T, S].
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.errors import RecipeError, nearest

Score = Callable[[Tensor, Tensor], Tensor]

COSINE_SHARPNESS = 8.0  # a cosine is at most 1, too flat for a softmax; the learned factor starts here


def dot(q: Tensor, k: Tensor) -> Tensor:
    """score = q . k"""
    return q @ k.transpose(-2, -1)


def scaled_dot(q: Tensor, k: Tensor) -> Tensor:
    """score = q . k / sqrt(K) (Vaswani et al. 2017, equation 1)"""
    return dot(q, k) / math.sqrt(q.size(-1))


def cosine(q: Tensor, k: Tensor) -> Tensor:
    """score = q . k / (|q| |k|)"""
    return dot(F.normalize(q, dim=-1), F.normalize(k, dim=-1))


def bilinear(q: Tensor, k: Tensor, weight: Tensor) -> Tensor:
    """score = q W k (Luong et al. 2015, "general"); W [..., K of q, K of k]"""
    return dot(q @ weight, k)


def additive(q: Tensor, k: Tensor, weight: Tensor) -> Tensor:
    """score = w . tanh(q + k) (Bahdanau et al. 2015, appendix A.1.2); w [..., K]

    There q = W s and k = U h are projections already, so this is the small network's second layer.
    """
    meeting = torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3))  # [..., T, S, K]
    return (meeting * weight[..., None, None, :]).sum(-1)


class Cosine(nn.Module):
    """The cosine times a learned sharpness per head."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.sharpness = nn.Parameter(torch.full((heads, 1, 1), COSINE_SHARPNESS))

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        return self.sharpness * cosine(q, k)


class Bilinear(nn.Module):
    """A learned matrix per head between query and key."""

    def __init__(self, heads: int, query_width: int, key_width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(heads, query_width, key_width) / math.sqrt(query_width * key_width))

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        return bilinear(q, k, self.weight)


class Additive(nn.Module):
    """A learned small network per head over query and key."""

    def __init__(self, heads: int, key_width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(heads, key_width) / math.sqrt(key_width))

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        return additive(q, k, self.weight)


def make_score(name: str, heads: int, key_width: int) -> Score:
    """The score of that name: a plain function, or a module where something is learned."""
    makers: dict[str, Callable[[], Score]] = {
        "dot": lambda: dot,
        "scaled_dot": lambda: scaled_dot,
        "cosine": lambda: Cosine(heads),
        "bilinear": lambda: Bilinear(heads, key_width, key_width),
        "additive": lambda: Additive(heads, key_width),
    }
    if name not in makers:
        raise RecipeError(f"score is {name!r}; it may be {', '.join(makers)}{nearest(name, makers)}")
    return makers[name]()
