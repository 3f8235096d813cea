"""Guided alignment: one cross-attention head is drawn to a word alignment (Chen et al. 2016; Garg et al. 2019).

B batch, T target length, S source length, L links of a batch.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from regard.attention.probe import Probe, probes
from regard.errors import RecipeError

HEAD = 0
SMALLEST = 1e-9  # of a weight whose logarithm is taken


class Guide:
    """The head that is drawn: the first of the last cross-attention but one, which the last layer still refines."""

    def __init__(self, module: nn.Module, strength: float) -> None:
        crosses = [path for path in probes(module) if path.endswith(".cross")]
        if not crosses:
            raise RecipeError("training.guided draws a cross-attention head to an alignment, and this model has none")
        self.path, self.strength = crosses[max(len(crosses) - 2, 0)], strength

    @contextmanager
    def watching(self, module: nn.Module) -> Iterator[list[Tensor]]:
        """Meanwhile the attention's weights [B, H, T, S] come into the list."""
        seen: list[Tensor] = []

        def keep(_: Probe, passed: tuple[str, Tensor], value: Tensor) -> None:
            if passed[0] == "weights":
                seen.append(value)

        handle = probes(module)[self.path].register_forward_hook(keep)
        try:
            yield seen
        finally:
            handle.remove()

    def loss(self, weights: Tensor, links: Tensor) -> Tensor:
        """strength * sum over linked target tokens t of the mean over their links s of -log weights[t, s].

        weights [B, H, T, S]; links [L, 3]: sentence, source token, target token.
        """
        sentence, source, target = links.unbind(1)
        each = -weights[sentence, HEAD, target, source].float().clamp_min(SMALLEST).log()
        places = sentence * weights.size(2) + target
        counts = torch.bincount(places)
        return self.strength * (each / counts[places]).sum()


def gathered(links: list[NDArray[np.integer]]) -> Tensor:
    """Each sentence's links [.., 2] as one tensor [L, 3], the sentence's number before them."""
    rows = [np.column_stack([np.full(len(some), i), some]) for i, some in enumerate(links)]
    return torch.from_numpy(np.concatenate(rows).astype(np.int64).reshape(-1, 3))
