"""Batches: sentences of ids, filled up to one length. NumPy only; training makes tensors of them.

B batch, S source length, T target length.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.errors import InputError
from regard.text.symbols import BOS, EOS, PAD

Ids = NDArray[np.int64]


class Batch(NamedTuple):
    """What a step of training sees."""

    source: Ids  # [B, S], each closed by EOS, filled with PAD
    lengths: Ids  # [B]
    given: Ids  # [B, T], opened by BOS: what the decoder is told
    wanted: Ids  # [B, T], closed by EOS: what it should say, one token ahead


def fill(rows: Sequence[Sequence[int]]) -> Ids:
    """Rows of ids as one array, the shorter ones filled with PAD."""
    if not rows:
        raise InputError("an empty batch; give at least one sentence")
    out = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int64)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out


def make_batch(pairs: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Batch:
    """Pairs of ids as one batch."""
    sources, targets = [], []
    for source, target in pairs:
        sources.append([*source, EOS])
        targets.append(target)
    lengths = np.array([len(source) for source in sources], dtype=np.int64)
    return Batch(fill(sources), lengths, fill([[BOS, *t] for t in targets]), fill([[*t, EOS] for t in targets]))


def in_batches(pairs: Iterable[tuple[Sequence[int], Sequence[int]]], tokens: int) -> Iterator[Batch]:
    """Batches in the pairs' order, each closed when it holds so many target tokens, EOS counted; the last as it is."""
    some: list[tuple[Sequence[int], Sequence[int]]] = []
    held = 0
    for pair in pairs:
        some.append(pair)
        held += len(pair[1]) + 1
        if held >= tokens:
            yield make_batch(some)
            some, held = [], 0
    if some:
        yield make_batch(some)
