"""From a translation's own score to how good it will be: a curve fitted to translations whose quality is known."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

STEPS = 50  # of Newton's method, which is there long before
RIDGE = 1e-3  # keeps the curve finite where all are alike


class Curve(NamedTuple):
    """quality = 1 / (1 + exp(-(slope * score + offset)))"""

    slope: float
    offset: float

    def at(self, score: float) -> float:
        return float(1 / (1 + np.exp(-(self.slope * score + self.offset))))


def fitted(scores: Sequence[float], qualities: Sequence[float]) -> Curve:
    """The curve under which qualities from 0 to 1 are likeliest: logistic regression, by Newton's method."""
    x = np.column_stack((scores, np.ones(len(scores))))
    y, weights = np.asarray(qualities, np.float64), np.zeros(2)
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (y - p) - RIDGE * weights
        bend = (x * (p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(2)
        weights += np.linalg.solve(bend, slope)
    return Curve(float(weights[0]), float(weights[1]))
