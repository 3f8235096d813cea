"""How the learning rate rises and falls: each a share of the highest rate, at a step from 1."""

import math

from regard.recipe import TrainingSpec


def inverse_square_root(step: int, warmup: int, steps: int) -> float:
    """A line up to the highest rate, then 1/sqrt(step) (Vaswani et al. 2017, equation 3, where it is reached)."""
    return min(step / warmup, (warmup / step) ** 0.5)


def cosine(step: int, warmup: int, steps: int) -> float:
    """A line up to the highest rate, then half a cosine down to nothing behind the last step (Loshchilov 2017)."""
    if step < warmup:
        return step / warmup
    return 0.5 + 0.5 * math.cos(math.pi * (min(step, steps + 1) - warmup) / max(steps + 1 - warmup, 1))


SCHEDULES = {"noam": inverse_square_root, "inverse_square_root": inverse_square_root, "cosine": cosine}


WARM = 10  # the cosine of a run that ends by the clock begins to fall after a tenth of its steps at most


def rate_at(step: int, spec: TrainingSpec, steps: int, width: int) -> float:
    """The learning rate at a step of so many.

    By Noam's the highest is rate / sqrt(width * warmup): rate * width^-0.5 * min(step^-0.5, step * warmup^-1.5).
    A run that ends by the clock rises no faster, however few its steps turn out to be: it is lower where they meet.
    """
    highest = spec.rate * (width * spec.warmup) ** -0.5 if spec.schedule == "noam" else spec.rate
    share = SCHEDULES[spec.schedule](step, spec.warmup, steps)
    if spec.seconds and spec.schedule == "cosine":
        early = min(spec.warmup, max(steps // WARM, 1))
        share = min(step / spec.warmup, cosine(step, early, steps) if step > early else 1.0)
    return highest * share
