"""From gradients to better weights: clip, AdamW, and the weights' running mean."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor

from regard.recipe import TrainingSpec
from regard.training.flat import Flat

BETAS = (0.9, 0.98)  # of Adam (2017, section 5.3)
MOMENTS = ("exp_avg", "exp_avg_sq", "step")  # what Adam remembers of each group


class Improver:
    """From summed gradients to better weights, and to their running mean."""

    def __init__(self, flat: Flat, spec: TrainingSpec) -> None:
        self.flat, self.spec = flat, spec
        matrices, rest = flat.groups()
        groups = [{"params": [matrices], "weight_decay": spec.decay}, {"params": [rest], "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=spec.rate, betas=BETAS, fused=True)
        self.average = flat.values.clone()

    def improve(self, step: int, count: int, rate: float) -> float:
        """Takes the gradients of a loss summed over `count` things; returns the length of their mean."""
        norm = float(self.flat.grads.norm()) / count
        self.flat.grads.mul_(min(1.0, self.spec.clip / max(norm, 1e-12)) / count)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.average.lerp_(self.flat.values, 1 - min(self.spec.average, step / (step + 10)))
        return norm

    def tensors(self) -> dict[str, Tensor]:
        """All that a checkpoint must hold of weights and optimizer."""
        held = {"weights": self.flat.values, "average": self.average}
        for i, group in enumerate(self.optimizer.param_groups):
            state = self.optimizer.state[group["params"][0]]
            held |= {f"{name}.{i}": state[name] for name in MOMENTS if name in state}
        return held

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Goes on where a checkpoint was made."""
        self.flat.values.copy_(tensors["weights"])
        self.average.copy_(tensors["average"])
        for i, group in enumerate(self.optimizer.param_groups):
            part = group["params"][0]
            self.optimizer.state[part] = {
                name: tensors[f"{name}.{i}"].to(part.device) for name in MOMENTS if f"{name}.{i}" in tensors
            }

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Meanwhile the model has the running mean for weights: with it, it is asked and kept."""
        own = self.flat.values.clone()
        self.flat.values.copy_(self.average)
        try:
            yield
        finally:
            self.flat.values.copy_(own)
