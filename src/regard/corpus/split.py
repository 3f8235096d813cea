"""Which pairs are held out: whole components of pairs with an equal source or target, so that nothing leaks.

The graph of all pairs is never in memory. Random rows are drawn, and what hangs together with each is found by passes
over the keys; a row that hangs together with too many is given up.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from regard.corpus.unique import Keys, chunks
from regard.errors import InputError

CAP = 50  # rows that a component may have
SEEDS = 20_000  # rows drawn together, at most
ROUNDS = 20  # of drawing: where nearly all hangs together, more would find no more
Rows = NDArray[np.int64]


def choose_held_out(pairs: int) -> int:
    """How many pairs validation takes, and as many the test: a hundredth, 100 to 2000, never above a twentieth."""
    return max(min(max(pairs // 100, 100), 2000, pairs // 20), min(pairs // 3, 1))


def split(keys: Keys, dropped: NDArray[np.bool_], valid: int, test: int, seed: int) -> tuple[Rows, Rows, Rows]:
    """The rows held out for validation and for the test, and rows left out of everything.

    Of the last component that a set takes, what is too much is left out, since train may not have it. There are
    fewer rows than wanted where too few pairs stand in small components.
    """
    free = len(keys) - int(np.count_nonzero(dropped))
    if valid + test >= free:
        raise InputError(f"{valid + test:,} pairs are to be held out of {free:,}; hold out fewer, or give more pairs")
    held: list[list[int]] = [[], []]
    left: list[int] = []
    components = small_components(keys, dropped, valid + test, np.random.default_rng(seed))
    for rows, wanted in zip(held, (valid, test), strict=True):
        while len(rows) < wanted and (component := next(components, None)):
            fits = wanted - len(rows)
            rows += component[:fits]
            left += component[fits:]
    return _sorted(held[0]), _sorted(held[1]), _sorted(left)


def _sorted(rows: Sequence[int]) -> Rows:
    return np.array(sorted(rows), np.int64)


def small_components(
    keys: Keys, dropped: NDArray[np.bool_], wanted: int, rng: np.random.Generator
) -> Iterator[list[int]]:
    """Whole components of at most CAP rows, each as often found as it has rows; none twice."""
    seen: set[int] = set()
    rows = (row for row in drawn(len(keys), rng) if not dropped[row] and row not in seen)
    for _ in range(ROUNDS):
        seeds = list(islice(rows, min(max(wanted, 256), SEEDS)))
        for component in grown(keys, dropped, seeds):
            seen.update(component)
            yield component


def drawn(count: int, rng: np.random.Generator) -> Iterator[int]:
    """Rows at random: each once where they are few, else most of them, some again."""
    if count <= 1 << 20:
        yield from rng.permutation(count).tolist()
    else:
        for _ in range(count >> 10):
            yield from rng.integers(count, size=1 << 12).tolist()


def grown(keys: Keys, dropped: NDArray[np.bool_], seeds: Sequence[int]) -> Iterator[list[int]]:
    """The components of these rows, without those that grow above CAP. A pass over all keys for each step outwards."""
    forest = Forest()
    for row in seeds:
        forest.add(row, *keys[row].tolist())
    while frontier := forest.frontier():
        died = 0
        for start, chunk in chunks(keys):
            if not start or died < forest.died:
                died, alive = forest.died, [node for node in frontier if forest.alive(node)]
                sources, targets = (
                    np.array(sorted(n >> 1 for n in alive if n & 1 == side), np.uint64) for side in (0, 1)
                )
            hit = (among(chunk[:, 0], sources) | among(chunk[:, 1], targets)) & ~dropped[start : start + len(chunk)]
            for place in np.flatnonzero(hit).tolist():
                forest.add(start + place, *chunk[place].tolist())
    done: set[int] = set()
    for row in seeds:
        root = forest.root_of(row)
        if root is not None and root not in done and forest.alive(root):
            done.add(root)
            yield forest.rows[root]


def among(keys: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which of the keys are among the wanted, which are sorted."""
    if not len(wanted):
        return np.zeros(len(keys), np.bool_)
    return wanted[np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)] == keys


class Forest:
    """Which rows hang together so far: a union-find whose nodes are the keys, 2 x key + side."""

    def __init__(self) -> None:
        self.rows: dict[int, list[int]] = {}  # of each root; above CAP no more are noted: the component is given up
        self.died = 0
        self._parent: dict[int, int] = {}
        self._node: dict[int, int] = {}  # of each row
        self._fresh: list[int] = []

    def add(self, row: int, source: int, target: int) -> None:
        """A row joins its two keys' components."""
        if row in self._node:
            return
        one, other = self.root(2 * source), self.root(2 * target + 1)
        if len(self.rows[one]) < len(self.rows[other]):
            one, other = other, one
        before = max(len(self.rows[one]), len(self.rows[other]))
        if one != other:
            self._parent[other] = one
            self.rows[one] += self.rows.pop(other)
        if len(self.rows[one]) <= CAP:
            self._node[row] = one
            self.rows[one].append(row)
        self.died += before <= CAP < len(self.rows[one])

    def root(self, node: int) -> int:
        """The root of a key's component; a new key is its own."""
        if node not in self._parent:
            self._parent[node] = node
            self.rows[node] = []
            self._fresh.append(node)
        while (above := self._parent[node]) != node:
            self._parent[node] = node = self._parent[above]
        return node

    def root_of(self, row: int) -> int | None:
        return self.root(self._node[row]) if row in self._node else None

    def alive(self, node: int) -> bool:
        """Whether the component of a key is still small enough."""
        return len(self.rows[self.root(node)]) <= CAP

    def frontier(self) -> list[int]:
        """The keys found since last asked, of components that may still grow."""
        fresh, self._fresh = self._fresh, []
        return [node for node in fresh if self.alive(node)]


def rows_with(keys: Keys, foreign: Keys) -> Rows:
    """The rows whose source or target is one of these pairs' too: what train loses to a test set of the user's."""
    sources, targets = np.unique(foreign[:, 0]), np.unique(foreign[:, 1])
    found = [
        start + np.flatnonzero(among(chunk[:, 0], sources) | among(chunk[:, 1], targets))
        for start, chunk in chunks(keys)
    ]
    return np.concatenate(found or [np.empty(0, np.int64)]).astype(np.int64)
