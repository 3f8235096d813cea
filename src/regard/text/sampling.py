"""Subword regularisation: a text split in one of the ways that its tokens allow, drawn at random (Kudo 2018).

No piece goes on behind a space, so each word is split by itself, and its ways are worked out once. SentencePiece could
draw, but its draws differ from process to process, and a training that goes on must draw what it would have drawn.
"""

from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate, pairwise
from math import exp
from zlib import crc32

import numpy as np
from sentencepiece import SentencePieceProcessor

from regard.text.symbols import UNK

WAYS = 16  # of a word: the likeliest by unigram; by BPE so many draws
KNOWN = 2**15  # words whose ways are kept
SPACE = "\u2581"  # how SentencePiece writes it


class Ways:
    """How a model's pieces can make words: by a share alpha."""

    def __init__(self, model: SentencePieceProcessor, alpha: float) -> None:
        self.model, self.alpha = model, alpha
        self.of = lru_cache(KNOWN)(self.worked_out)

    def draw(self, text: str, rng: np.random.Generator) -> list[int]:
        """The ids of a text, each word split at random."""
        words = text.split(" ")
        ids: list[int] = []
        for word, chance in zip(words, rng.random(len(words)).tolist(), strict=True):
            ways, bounds = self.of(word)
            ids += ways[bisect_right(bounds, chance)]
        return ids

    def worked_out(self, word: str) -> tuple[list[list[int]], list[float]]:
        """A word's ways, and where the share of each but the last ends between 0 and 1."""
        if not word:  # between two spaces
            return [[self.model.piece_to_id(SPACE)]], []
        try:
            ways = self.model.nbest_encode(word, nbest_size=WAYS)
        except RuntimeError:  # BPE has no probabilities
            rng = np.random.default_rng(crc32(word.encode()))
            ways = [merged(self.model, word, self.alpha, rng) for _ in range(WAYS)]
            return ways, [i / WAYS for i in range(1, WAYS)]
        scores = [self.alpha * sum(self.model.get_score(ids)) for ids in ways]
        shares = [exp(score - max(scores)) for score in scores]
        return ways, [end / sum(shares) for end in accumulate(shares[:-1])]


def merged(model: SentencePieceProcessor, word: str, alpha: float, rng: np.random.Generator) -> list[int]:
    """BPE with dropout: at each step every merge is left out with probability alpha (Provilkov et al. 2020).

    Of the others the best is made, until none is left. With alpha 0 that is BPE itself.
    """
    pieces = [SPACE, *word]
    while len(pieces) > 1:
        joined = [one + other for one, other in pairwise(pieces)]
        found = model.piece_to_id(joined)
        chance = rng.random(len(found)).tolist()
        ranks = [(model.get_score(i), -at) for at, i in enumerate(found) if i != UNK and chance[at] >= alpha]
        if not ranks:
            break
        at = -max(ranks)[1]
        pieces[at : at + 2] = [joined[at]]
    ids = model.piece_to_id(pieces)
    return [i for at, i in enumerate(ids) if i != UNK or not at or ids[at - 1] != UNK]  # unknown ones are one
