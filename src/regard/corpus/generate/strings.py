"""Strings and what becomes of them: the smoke task of every model."""

import random
from collections.abc import Callable, Iterator

TASKS: dict[str, Callable[[str], str]] = {"copy": lambda text: text, "reverse": lambda text: text[::-1]}

Pair = tuple[str, str]


def strings(task: str, alphabet: str, shortest: int, longest: int, seed: int) -> Iterator[Pair]:
    """Random strings and their copies or reversals; the same seed gives the same strings."""
    rng = random.Random(seed)
    while True:
        text = "".join(rng.choices(alphabet, k=rng.randint(shortest, longest)))
        yield text, TASKS[task](text)
