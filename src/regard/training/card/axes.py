"""The axes of a picture: from values to places on them, and the round values that are written beside."""

import math
from collections.abc import Sequence
from typing import NamedTuple

ROUND = (1, 2, 5)  # times a power of ten
SMALL = 1e-6  # below it a value is written with its power of ten


class Axis(NamedTuple):
    """From its low end to its high one, with what is written at each round value."""

    low: float
    high: float
    ticks: dict[float, str]
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high one."""
        low, high, value = map(math.log, (self.low, self.high, value)) if self.logarithmic else (*self[:2], value)
        return (value - low) / (high - low)


def of_steps(last: int, count: int) -> Axis:
    """From 0 to the last step, with about so many ticks."""
    each = max(stride(last / count), 1)
    return Axis(0, last, {value: label(value, each) for value in range(0, last + 1, int(each))})


def of_values(values: Sequence[float], count: int, wide: float = math.inf) -> Axis:
    """Around all the values, with about so many ticks; logarithmic where the highest is `wide` times the lowest."""
    low, high = min(values), max(values)
    if low > 0 and low * wide <= high:
        return logarithmic(low, high, count)
    if high - low <= 1e-6 * abs(high):  # constant, or as good as that
        low, high = sorted((0.9 * high, high)) if high else (0.0, 1.0)
    each = stride((high - low) / count)
    numbers = range(math.floor(low / each + 1e-9), math.ceil(high / each - 1e-9) + 1)
    ticks = {round(number * each, decimals(each)): label(number * each, each) for number in numbers}
    return Axis(min(ticks), max(ticks), ticks)


def logarithmic(low: float, high: float, count: int) -> Axis:
    """Ends at round values; a tick at each of them, or where these are many at powers of ten alone."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    marks = [float(f"{one}e{power}") for power in powers for one in ROUND]
    first = max(i for i, mark in enumerate(marks) if mark <= low)
    end = min(i for i, mark in enumerate(marks) if mark >= high) + 1
    ticks = marks[first:end]
    if len(ticks) > count + 2:
        tens = [mark for mark in ticks if mark in marks[::3]]
        ticks = tens[:: -(-len(tens) // (count + 1))]
    return Axis(marks[first], marks[end - 1], {mark: label(mark, mark) for mark in ticks}, True)


def stride(least: float) -> float:
    """The smallest round number that is not less."""
    power = math.floor(math.log10(least))
    return next(one for one in (*(float(f"{i}e{power}") for i in ROUND), 10.0 ** (power + 1)) if one >= least)


def decimals(each: float) -> int:
    return max(0, -math.floor(math.log10(each)))


def label(value: float, each: float) -> str:
    """A value with as many decimals as the distance to the next one has."""
    return f"{value:.0e}" if each < SMALL else f"{value:,.{decimals(each)}f}"
