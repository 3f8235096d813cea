"""Pairs that can be made without end: strings, dates, numbers in words; the same seed gives the same pairs.

for source, target in generate("dates", seed=1): ...   # third of May 2009 -> 2009-05-03
"""

from collections.abc import Callable, Iterator
from functools import partial

from regard.corpus.generate.dates import dates
from regard.corpus.generate.numbers import english_to_french, french_to_english, words_to_digits
from regard.corpus.generate.strings import TASKS, Pair, strings
from regard.errors import InputError, nearest

__all__ = ["KINDS", "TASKS", "Pair", "generate", "strings"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"

KINDS: dict[str, Callable[[int], Iterator[Pair]]] = {
    "copy": partial(strings, "copy", LETTERS, 2, 10),
    "reverse": partial(strings, "reverse", LETTERS, 2, 10),
    "dates": dates,
    "numbers": words_to_digits,
    "numbers-fr-en": french_to_english,
    "numbers-en-fr": english_to_french,
}


def generate(kind: str, seed: int) -> Iterator[Pair]:
    """Pairs of one of KINDS without end; some come again."""
    if kind not in KINDS:
        raise InputError(f"nothing generates {kind!r}{nearest(kind, KINDS)}; there are {', '.join(KINDS)}")
    return KINDS[kind](seed)
