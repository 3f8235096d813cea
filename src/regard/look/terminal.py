"""An attention as blocks in a terminal: the darker, the more of it went there.

S source words (columns), T target words (rows).
"""

from collections.abc import Sequence

BLOCKS = " ░▒▓█"  # no weight to all of it, in quarters
CELL = 2  # a character is about half as wide as high


def blocks(weights: Sequence[Sequence[float]], source: Sequence[str], target: Sequence[str]) -> str:
    """One row a target word, one column a source word; weights [T][S] from 0 to 1."""
    width = max([CELL, *(len(word) + 1 for word in source)])
    margin = max(map(len, target), default=0)
    lines = [" " * (margin + 2) + "".join(word.center(width) for word in source).rstrip()]
    for word, row in zip(target, weights, strict=True):
        lines.append(f"{word:>{margin}}  " + "".join(block(weight) * width for weight in row).rstrip())
    return "\n".join(lines)


def block(weight: float) -> str:
    """The block for a weight from 0 to 1."""
    return BLOCKS[min(round(weight * (len(BLOCKS) - 1)), len(BLOCKS) - 1)]
