"""Batches: sentences of ids, filled up to one length. NumPy only; training makes tensors of them.

A step of training is cut into pieces of sentences alike in length, so that next to nothing is filled up; which pieces
make up a step is drawn anew each epoch. On a processor small pieces are also faster: what they hold stays in its cache.

B batch, S source length, T target length, N pairs.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.errors import InputError
from regard.text.symbols import BOS, EOS, PAD

Ids = NDArray[np.int64]
Rows = NDArray[np.int64]  # which pairs of a corpus
Lengths = NDArray[np.int32]  # [N, 2] tokens of source and target

BANDS = (1, 2, 3, 4, 6, 8)  # widths of the bands of target lengths that are tried; the one that fills up least is taken
WIDE = 2  # a piece may hold so many times as many source tokens as target tokens, filling counted
BLOCK = 2**20  # pairs that are shuffled together: an epoch's order is never held for more


class Batch(NamedTuple):
    """What a step of training sees, or a piece of one."""

    source: Ids  # [B, S], each closed by EOS, filled with PAD
    lengths: Ids  # [B]
    given: Ids  # [B, T], opened by BOS: what the decoder is told
    wanted: Ids  # [B, T], closed by EOS: what it should say, one token ahead


def fill(rows: Sequence[Sequence[int] | NDArray[np.integer]]) -> Ids:
    """Rows of ids as one array, the shorter ones filled with PAD."""
    if not rows:
        raise InputError("an empty batch; give at least one sentence")
    out = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int64)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out


def make_batch(
    pairs: Iterable[tuple[Sequence[int] | NDArray[np.integer], Sequence[int] | NDArray[np.integer]]],
) -> Batch:
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


def cut(lengths: Lengths, rows: Rows, tokens: int, rng: np.random.Generator) -> list[Rows]:
    """The rows as pieces of at most so many target tokens, alike in length, in random order."""
    source, target = lengths[rows, 0].astype(np.int64) + 1, lengths[rows, 1].astype(np.int64) + 1
    chance = rng.random(len(rows))
    best: list[Rows] = []
    least = np.inf
    for width in BANDS:
        band = target // width
        snake = np.where(band % 2 == 0, source, -source)  # up one band and down the next, so that neighbours are alike
        order = np.lexsort((chance, target, snake, band))
        ends = piece_ends(source[order], target[order], tokens)
        pieces = np.split(order, ends[:-1])
        filled = sum(len(p) * (int(source[p].max()) + int(target[p].max())) for p in pieces)
        if filled < least:
            best, least = pieces, filled
    return [rows[best[i]] for i in rng.permutation(len(best))]


def piece_ends(source: NDArray[np.int64], target: NDArray[np.int64], tokens: int) -> list[int]:
    """Where each piece ends: before it would hold more than `tokens` target tokens, or WIDE as many source tokens."""
    ends, held, longest, start = [], 0, 0, 0
    for i, (s, t) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        longest = max(longest, s)
        if i > start and (held + t > tokens or longest * (i + 1 - start) > WIDE * tokens):
            ends.append(i)
            held, longest, start = 0, s, i
        held += t
    return [*ends, len(source)]


def steps(pieces: Sequence[Rows], lengths: Lengths, tokens: int) -> list[list[Rows]]:
    """The pieces put together to steps of about so many target tokens, in their order."""
    sizes = np.array([int(lengths[piece, 1].sum()) + len(piece) for piece in pieces])
    ends = np.cumsum(sizes)
    count = max(1, round(int(ends[-1]) / tokens))
    which = (ends - sizes / 2) * count // ends[-1]  # where the middle of each piece falls
    bounds = np.searchsorted(which, np.arange(count + 1))
    return [list(pieces[a:b]) for a, b in pairwise(bounds) if a < b]


def padding(pieces: Iterable[Rows], lengths: Lengths) -> float:
    """The share of the batches that is filled with PAD, both sides counted."""
    held = filled = 0
    for piece in pieces:
        sizes = lengths[piece].astype(np.int64) + 1
        held += int(sizes.sum())
        filled += len(piece) * int(sizes.max(0).sum())
    return 1 - held / filled if filled else 0.0


class Position(NamedTuple):
    """How far a run is in its data."""

    block: int  # of BLOCK pairs at most; an epoch is one or more
    step: int  # of that block


START = Position(0, 0)


class Stream:
    """The steps of a training without end, epoch after epoch: each a list of pieces, each piece the rows it holds.

    What comes is a function of the seed and the position alone, so a run goes on where it stood.
    """

    def __init__(
        self,
        lengths: Lengths,
        weights: NDArray[np.float32] | None,
        seed: int,
        batch: int,
        piece: int,
        at: Position = START,
    ) -> None:
        self.lengths, self.weights, self.seed, self.at = lengths, weights, seed, at
        self.batch, self.piece = batch, min(piece, batch)
        self.blocks = max(1, -(-len(lengths) // BLOCK))
        self.now = self.block(at.block)

    @property
    def epoch(self) -> int:
        return self.at.block // self.blocks

    def __iter__(self) -> Iterator[list[Rows]]:
        return self

    def __next__(self) -> list[Rows]:
        while self.at.step >= len(self.now):
            self.at = Position(self.at.block + 1, 0)
            self.now = self.block(self.at.block)
        step = self.now[self.at.step]
        self.at = Position(self.at.block, self.at.step + 1)
        return step

    def block(self, number: int) -> list[list[Rows]]:
        """All steps of one block: every so many-th pair of the corpus, each as often as its weight says."""
        rng = np.random.default_rng((self.seed, number))
        rows = np.arange(number % self.blocks, len(self.lengths), self.blocks, dtype=np.int64)
        if self.weights is not None:
            weights = self.weights[rows]
            rows = np.repeat(rows, np.floor(weights + rng.random(len(rows))).astype(np.int64))
        if not len(rows):
            return []
        return steps(cut(self.lengths, rows, self.piece, rng), self.lengths, self.batch)
