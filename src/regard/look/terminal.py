"""An attention as blocks in a terminal: the darker, the more of it went there.

S source words (columns), T target words (rows).
"""

from collections.abc import Sequence

from rich.cells import cell_len

BLOCKS = " ░▒▓█"  # no weight to all of it, in quarters
CELL = 2  # a character is about half as wide as high


def blocks(weights: Sequence[Sequence[float]], source: Sequence[str], target: Sequence[str]) -> str:
    """One row a target word, one column a source word; weights [T][S] from 0 to 1."""
    width = max([CELL, *(cell_len(word) + 1 for word in source)])
    margin = max(map(cell_len, target), default=0)
    lines = [" " * (margin + 2) + "".join(centred(word, width) for word in source).rstrip()]
    for word, row in zip(target, weights, strict=True):
        lines.append(" " * (margin - cell_len(word)) + f"{word}  " + "".join(block(w) * width for w in row).rstrip())
    return "\n".join(lines)


def centred(word: str, width: int) -> str:
    """The word in the middle of so many cells; Chinese characters take two each."""
    return word.center(width - (cell_len(word) - len(word)))


def block(weight: float) -> str:
    """The block for a weight from 0 to 1."""
    return BLOCKS[min(max(round(weight * (len(BLOCKS) - 1)), 0), len(BLOCKS) - 1)]
