"""Answers that go round in circles: the same few tokens come one behind the other, again and again."""

from collections.abc import Sequence

TIMES = 3  # that something may come one behind the other, or as often as in the source
SHORT = 12  # tokens: what comes again and again is more than that; a number may have many zeros
PERIODS = range(1, 9)  # tokens of what comes again


def circles(ids: Sequence[int], source: Sequence[int]) -> bool:
    """Whether an answer goes round in circles, more often than its source does."""
    return straightened(ids, source) != ids


def straightened(ids: Sequence[int], source: Sequence[int]) -> Sequence[int]:
    """The answer up to where it would begin to go round in circles."""
    most = max(TIMES, loops(source))
    ends = [end for period in PERIODS if (end := turning(ids, period, most))]
    return ids[: min(ends)] if ends else ids


def turning(ids: Sequence[int], period: int, most: int) -> int:
    """Where the first of so many tokens ends that come more than so often one behind the other; 0: none does."""
    run = 0
    for i in range(period, len(ids)):
        run = run + 1 if ids[i] == ids[i - period] else 0
        if run // period + 1 > most and run + period > SHORT:
            return i - run + 1
    return 0


def loops(ids: Sequence[int]) -> int:
    """How often the same few tokens come one behind the other, at most."""
    most = 1
    while any(turning(ids, period, most) for period in PERIODS):
        most += 1
    return most
