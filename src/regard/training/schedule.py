"""How the learning rate rises and falls: each a share of the highest rate, at a step from 1."""

import math


def inverse_square_root(step: int, warmup: int, steps: int) -> float:
    """A line up to the highest rate, then 1/sqrt(step) (Vaswani et al. 2017, equation 3, where it is reached)."""
    return min(step / warmup, (warmup / step) ** 0.5)


def cosine(step: int, warmup: int, steps: int) -> float:
    """A line up to the highest rate, then half a cosine down to nothing behind the last step (Loshchilov 2017)."""
    if step < warmup:
        return step / warmup
    return 0.5 + 0.5 * math.cos(math.pi * (step - warmup) / (steps + 1 - warmup))


SCHEDULES = {"inverse_square_root": inverse_square_root, "cosine": cosine}
