"""Which word is the translation of which: IBM model 2 with a prior that likes the diagonal, learnt from pairs alone.

Dyer, Chahuneau and Smith, A Simple, Fast, and Effective Reparameterization of IBM Model 2 (2013), in both directions,
by variational Bayes, then made one by growing along the diagonal from the links that both directions have.

A link is a source word's place and a target word's in one pair; a cell is two words, wherever they meet. All links of
many pairs lie in flat arrays: L links, S source words, T target words of a block of pairs, C cells, N pairs.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pairs = Sequence[tuple[Sequence[str], Sequence[str]]]
Links = list[tuple[int, int]]  # source word, target word, from 0

LONGEST = 100  # words; a longer sentence teaches nothing, it would hold too many links
BLOCK = 2**20  # links that are worked on at once
NULL = (
    0.2  # the prior probability that a word translates none; 0.08, the paper's, has more errors on two gold standards
)
ALPHA = 0.01  # of the Dirichlet prior: a word has few translations
TENSION = 4.0  # how much the diagonal is liked; fitted to the pairs, as the paper may do, it was no better
FLOOR = 1e-9  # the probability of two words that never met
SAME = 1e-2  # of two words that never met and are spelt alike

WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]"  # a script without spaces: each character
    r"|\b(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)['’](?=\w)"  # French: l' and homme are two words
    r"|(?<=\w)['’]\w+"  # English: so are Tom and 's
    r"|\d+(?:[.,:]\d+)*|[^\W\d\u3040-\u30ff\u3400-\u9fff]+|\w|[^\w\s]",
    re.IGNORECASE,
)


def spans(text: str) -> list[tuple[int, int]]:
    """Where the words and signs of a text stand."""
    return [match.span() for match in WORD.finditer(text)]


def words(text: str) -> list[str]:
    """The words and signs of a text in small letters, as the aligner wants them."""
    return [match[0].lower() for match in WORD.finditer(text)]


class Block(NamedTuple):
    """Some pairs, all their words one behind the other."""

    source: Ints  # [S] words as numbers
    target: Ints  # [T]
    sizes: Ints  # [N, 2] words of each sentence


class Lattice(NamedTuple):
    """All links of a block."""

    source_at: Ints  # [L] which of the S words
    target_at: Ints  # [L]
    distance: Floats  # [L] from the diagonal, 0 to 1


class Direction(NamedTuple):
    """How likely a word is, given one of the other side: one row of cells for each, and what no word explains."""

    cells: Floats  # [C]
    null: Floats

    def best(self, cells: Floats, distance: Floats, null: Floats) -> Ints:
        """For each made word (a row) the likeliest word of the other side (a column), or -1."""
        prior = np.exp(-TENSION * distance)
        belief = (1 - NULL) * prior / prior.sum(1, keepdims=True) * cells
        found = belief.argmax(1)
        return np.where(belief.max(1) > NULL * null, found, -1)


class Learning:
    """A direction while it is learnt: what it is now, and the counts from which it becomes another."""

    def __init__(self, given: Ints, words: int) -> None:
        self.given = given  # [C] each cell's word of the other side
        self.now = Direction(np.full(len(given), 1 / words), np.full(words, 1 / words))
        self.forget()

    def forget(self) -> None:
        """Sets all counts back for the next round."""
        self.cell_counts, self.null_counts = np.zeros(len(self.now.cells)), np.zeros(len(self.now.null))

    def expect(self, cells: NDArray[np.int32], distance: Floats, at: Ints, made: Ints) -> None:
        """Counts a block's links as often as they are believed in; `at` is each link's word among the made ones."""
        size = len(made)
        prior = np.exp(-TENSION * distance)
        prior /= np.bincount(at, prior, size)[at]
        belief = (1 - NULL) * prior * self.now.cells[cells]
        null = NULL * self.now.null[made]
        total = np.bincount(at, belief, size) + null
        belief /= total[at]
        self.cell_counts += np.bincount(cells, belief, len(self.cell_counts))
        self.null_counts += np.bincount(made, null / total, len(self.null_counts))

    def maximise(self) -> None:
        """New probabilities from the counts."""
        counts = self.cell_counts + ALPHA
        totals = digamma(np.bincount(self.given, counts).astype(np.float64))
        cells = np.exp(digamma(counts) - totals[self.given])
        counts = self.null_counts + ALPHA
        self.now = Direction(cells, np.exp(digamma(counts) - digamma(np.array([counts.sum()]))))
        self.forget()


class Aligner(NamedTuple):
    """Which words translate which, as pairs of sentences that were cut into words have it."""

    source_ids: dict[str, int]
    target_ids: dict[str, int]
    codes: Ints  # [C] sorted: source word * target words + target word
    forward: Direction
    backward: Direction

    @classmethod
    def train(cls, pairs: Pairs, rounds: int = 5) -> "Aligner":
        """An aligner from at most a few hundred thousand pairs; 4 bytes a link, next to the cells."""
        pairs = [pair for pair in pairs if 0 < len(pair[0]) <= LONGEST and 0 < len(pair[1]) <= LONGEST]
        if not pairs:
            raise InputError(f"no pair to align words with; give pairs of 1 to {LONGEST} words a side")
        source_ids, target_ids = number(source for source, _ in pairs), number(target for _, target in pairs)
        blocks = list(in_blocks(pairs, source_ids, target_ids))
        codes, cells = cells_of(blocks, len(target_ids))
        forward = Learning(codes // len(target_ids), len(target_ids))
        backward = Learning(codes % len(target_ids), len(source_ids))
        for _ in range(rounds):
            learn(blocks, cells, forward, backward)
        return cls(source_ids, target_ids, codes, forward.now, backward.now)

    def align(self, source: Sequence[str], target: Sequence[str]) -> Links:
        """The links of a pair, sorted: those that both directions have, grown by those that one has."""
        if not source or not target:
            return []
        forward, backward = self.both(source, target)
        one = {(int(i), j) for j, i in enumerate(forward) if i >= 0}
        other = {(i, int(j)) for i, j in enumerate(backward) if j >= 0}
        return sorted(grow(one & other, one | other))

    def both(self, source: Sequence[str], target: Sequence[str]) -> tuple[Ints, Ints]:
        """For each target word its source word, and for each source word its target word; -1: none."""
        s = np.array([self.source_ids.get(word, -1) for word in source])
        t = np.array([self.target_ids.get(word, -1) for word in target])
        codes = np.where((s[:, None] >= 0) & (t >= 0), s[:, None] * len(self.target_ids) + t, -1)
        cells = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        met = self.codes[cells] == codes
        strange = np.where(np.array(source)[:, None] == np.array(target), SAME, FLOOR)
        near = np.abs(middle(len(s))[:, None] - middle(len(t)))
        likely = [np.where(met, way.cells[cells], strange) for way in (self.forward, self.backward)]
        nulls = [np.where(i >= 0, way.null[i], FLOOR) for i, way in ((t, self.forward), (s, self.backward))]
        return self.forward.best(likely[0].T, near.T, nulls[0]), self.backward.best(likely[1], near, nulls[1])


def number(sentences: Iterator[Sequence[str]]) -> dict[str, int]:
    """Each word's number, in the order they come."""
    return {word: i for i, word in enumerate(dict.fromkeys(chain.from_iterable(sentences)))}


def in_blocks(pairs: Pairs, source_ids: dict[str, int], target_ids: dict[str, int]) -> Iterator[Block]:
    """The pairs as numbers, each block closed when it holds BLOCK links."""
    some: list[tuple[Sequence[str], Sequence[str]]] = []
    held = 0
    for i, pair in enumerate(pairs, 1):
        some.append(pair)
        held += len(pair[0]) * len(pair[1])
        if held >= BLOCK or i == len(pairs):
            source = np.array([source_ids[word] for one, _ in some for word in one], dtype=np.int64)
            target = np.array([target_ids[word] for _, other in some for word in other], dtype=np.int64)
            yield Block(source, target, np.array([(len(one), len(other)) for one, other in some], dtype=np.int64))
            some, held = [], 0


def lattice(sizes: Ints) -> Lattice:
    """All links of a block, pair by pair, in each target word by target word."""
    columns, rows = sizes.T
    counts = columns * rows
    pair = np.repeat(np.arange(len(sizes)), counts)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
    width, height = columns[pair], rows[pair]
    target, source = np.divmod(within, width)
    distance = np.abs((source + 0.5) / width - (target + 0.5) / height)
    starts = np.cumsum(sizes, axis=0) - sizes
    return Lattice(source + starts[pair, 0], target + starts[pair, 1], distance)


def cells_of(blocks: Sequence[Block], targets: int) -> tuple[Ints, list[NDArray[np.int32]]]:
    """The codes of all cells, and for each link of each block its cell's place among them."""
    uniques: list[Ints] = []
    places: list[NDArray[np.int32]] = []
    for block in blocks:
        links = lattice(block.sizes)
        met = block.source[links.source_at] * targets + block.target[links.target_at]
        unique, inverse = np.unique(met, return_inverse=True)
        uniques.append(unique)
        places.append(inverse.astype(np.int32))
    codes = np.unique(np.concatenate(uniques))
    for i, unique in enumerate(uniques):  # one after the other: twice all links would be the most that a corpus takes
        places[i] = np.searchsorted(codes, unique).astype(np.int32)[places[i]]
    return codes, places


def learn(blocks: Sequence[Block], cells: Sequence[NDArray[np.int32]], forward: Learning, backward: Learning) -> None:
    """One round of expectation and maximisation, both directions."""
    for block, where in zip(blocks, cells, strict=True):
        links = lattice(block.sizes)
        forward.expect(where, links.distance, links.target_at, block.target)
        backward.expect(where, links.distance, links.source_at, block.source)
    forward.maximise()
    backward.maximise()


def middle(size: int) -> Floats:
    """How far into its sentence each word stands, 0 to 1."""
    return (np.arange(size) + 0.5) / size


def grow(sure: set[tuple[int, int]], possible: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Adds possible links beside sure ones, for words that have none yet: grow-diag (Koehn, Och and Marcu 2003)."""
    links = set(sure)
    sources, targets = {i for i, _ in links}, {j for _, j in links}
    waiting = sorted(links)
    while waiting:
        i, j = waiting.pop(0)
        for near in (
            (i - 1, j),
            (i, j - 1),
            (i + 1, j),
            (i, j + 1),
            *((i + a, j + b) for a in (-1, 1) for b in (-1, 1)),
        ):
            if near in possible and near not in links and (near[0] not in sources or near[1] not in targets):
                links.add(near)
                sources.add(near[0])
                targets.add(near[1])
                waiting.append(near)
    return links


def digamma(x: Floats) -> Floats:
    """The derivative of the logarithm of the gamma function, for x > 0: recurrence, then the asymptotic series."""
    shifted = x + 6
    inverse = 1 / shifted**2
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse / 240)))
    out = np.log(shifted) - 0.5 / shifted - series
    for i in range(6):
        out -= 1 / (x + i)
    return out
