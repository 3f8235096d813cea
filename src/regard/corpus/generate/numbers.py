"""Number words of French and English, and digits. A source comes in every spelling, a target always in one."""

import random
from collections.abc import Iterator

import regard.corpus.generate.english as english
import regard.corpus.generate.french as french
from regard.corpus.generate.strings import Pair

DIGITS = 0.1  # the share of sources that are digits, where the target is words
REGIONAL = 0.1  # the share of French sources that say septante and nonante


def words_to_digits(seed: int) -> Iterator[Pair]:
    """Number words, French or English, and the number: soixante et onze -> 71."""
    rng = random.Random(seed)
    while True:
        number = a_number(rng)
        yield any_french(number, rng) if rng.random() < 0.5 else any_english(number, rng), str(number)


def french_to_english(seed: int) -> Iterator[Pair]:
    """French number words, or digits, and English words: soixante et onze -> seventy-one."""
    rng = random.Random(seed)
    while True:
        number = a_number(rng)
        source = str(number) if rng.random() < DIGITS else any_french(number, rng)
        yield source, english.cardinal(number)


def english_to_french(seed: int) -> Iterator[Pair]:
    """English number words, or digits, and French words in the traditional spelling."""
    rng = random.Random(seed)
    while True:
        number = a_number(rng)
        source = str(number) if rng.random() < DIGITS else any_english(number, rng)
        yield source, french.cardinal(number)


def a_number(rng: random.Random) -> int:
    """Below a thousand million, as many of one digit as of nine; some with noughts within, as 3 000 012 has."""
    digits = rng.choices("123456789") + rng.choices("0123456789", k=rng.randint(0, 8))
    if rng.random() < 0.3:
        start = rng.randrange(1, len(digits) + 1)
        end = rng.randint(start, len(digits))
        digits[start:end] = "0" * (end - start)
    return 0 if rng.random() < 0.002 else int("".join(digits))


def any_french(number: int, rng: random.Random) -> str:
    region: french.Region = rng.choice(("belgium", "switzerland")) if rng.random() < REGIONAL else "france"
    return french.cardinal(number, joined=rng.random() < 0.5, region=region)


def any_english(number: int, rng: random.Random) -> str:
    return english.cardinal(number, british=rng.random() < 0.5, hyphens=rng.random() < 0.8)
