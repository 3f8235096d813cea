"""All of a model's numbers in one row of memory: one sum, one norm, one step of the optimizer for all of them.

The model's parameters become views of it, so nothing is copied; in shared memory several processes see the same model.
"""

import torch
from torch import Tensor, nn


class Flat:
    """Weights and gradients of a model, matrices first, then what has one dimension (biases, norms)."""

    def __init__(self, module: nn.Module, values: Tensor | None = None, grads: Tensor | None = None) -> None:
        """With `values`, another process's row of the same model, its numbers take the place of the model's own."""
        weights = sorted(module.parameters(), key=lambda weight: weight.dim() < 2)  # stable: the order is the model's
        count = sum(weight.numel() for weight in weights)
        self.matrices = sum(weight.numel() for weight in weights if weight.dim() >= 2)
        if values is None:
            values = torch.cat([weight.detach().flatten() for weight in weights])
        self.values = values
        self.grads = torch.zeros(count, device=values.device) if grads is None else grads
        start = 0
        for weight in weights:
            place = slice(start, start + weight.numel())
            weight.data = self.values[place].view_as(weight)
            weight.grad = self.grads[place].view_as(weight)
            start += weight.numel()

    def groups(self) -> list[nn.Parameter]:
        """What an optimizer is given: the matrices, which weight decay may shrink, and the rest, which it must not."""
        parts = []
        for place in (slice(0, self.matrices), slice(self.matrices, None)):
            part = nn.Parameter(self.values[place])
            part.grad = self.grads[place]
            parts.append(part)
        return parts
