"""Where tokens become vectors, and vectors logits; and a front for sources that are vectors already.

B batch, S length, D model width, F width of a source vector, V vocabulary.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from regard.errors import InputError


class Embedding(nn.Module):
    """One learned vector a token: ids [B, S] -> [B, S, D]."""

    def __init__(self, vocabulary: int, width: int, deviation: float | None = None) -> None:
        super().__init__()
        self.tokens = vocabulary
        self.weight = nn.Parameter(torch.randn(vocabulary, width) * (deviation or width**-0.5))

    def forward(self, ids: Tensor) -> Tensor:
        return F.embedding(ids, self.weight)

    def set_rows(self, ids: Sequence[int], vectors: NDArray[np.floating]) -> None:
        """Puts word vectors of one's own (word2vec, GloVe) in the place of the first, random ones; training goes on."""
        if vectors.shape != (len(ids), self.weight.size(1)):
            wanted = [len(ids), self.weight.size(1)]
            raise InputError(f"word vectors of shape {list(vectors.shape)}; this embedding takes {wanted}")
        with torch.no_grad():
            self.weight[torch.tensor(ids, dtype=torch.long)] = torch.as_tensor(vectors).to(self.weight)


class Logits(nn.Module):
    """Scores for each piece of the vocabulary: x [..., D] -> [..., V]."""

    def __init__(self, vocabulary: int, width: int, bias: bool = False) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(vocabulary, width) * width**-0.5)
        self.bias = nn.Parameter(torch.zeros(vocabulary)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias)


class VectorFront(nn.Module):
    """Source vectors of another width (image regions, sound frames), brought to the model's: [B, S, F] -> [B, S, D]."""

    def __init__(self, vectors: int, width: int) -> None:
        super().__init__()
        self.vectors = vectors
        self.project = nn.Linear(vectors, width)
        nn.init.normal_(self.project.weight, std=1 / math.sqrt(vectors * width))

    def forward(self, source: Tensor) -> Tensor:
        out: Tensor = self.project(source)
        return out


def source_front(vectors: int, vocabulary: int, width: int) -> Embedding | VectorFront:
    """What reads the source: an embedding for tokens, a projection for vectors."""
    return VectorFront(vectors, width) if vectors else Embedding(vocabulary, width)


def tie(names: Sequence[str], source: nn.Module, target: Embedding, output: Logits) -> None:
    """Makes the named matrices (of source, target, output) one and the same."""
    modules: dict[str, Any] = {"source": source, "target": target, "output": output}
    shared: nn.Parameter | None = None
    for name in names:
        module = modules[name]
        shape, first = list(module.weight.shape), None if shared is None else list(shared.shape)
        if shared is not None and shape != first:
            raise InputError(f"tied {', '.join(names)}: matrices of {first} and {shape}; they need one vocabulary")
        shared = shared if shared is not None else module.weight
        module.weight = shared
