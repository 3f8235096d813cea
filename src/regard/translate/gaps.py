"""Sentences with gaps, which a model for filling in closes; and how well it closes gaps that are made on purpose.

    "the cat sat on the ___."       # three underscores or more: one missing piece, usually a word

A gap behind white space is closed by a piece that begins a word, one behind a letter by a piece that goes on in it.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.errors import InputError
from regard.evaluate.score import Score
from regard.text.sampling import SPACE
from regard.text.symbols import MASK, SPECIALS, is_symbol
from regard.text.tokens import Tokens

if TYPE_CHECKING:
    from regard.engines.torch import TorchEngine

GAP = re.compile("_{3,}")
SEED, HIDDEN = 1, 0.15  # of the exam: which share of the pieces is hidden
TOGETHER = 256  # sentences of the exam whose probabilities are held at a time


class Gaps:
    """A model for filling in, and its tokens."""

    def __init__(self, engine: "TorchEngine", tokens: Tokens) -> None:
        self.engine, self.tokens = engine, tokens
        self.pieces = tokens.pieces(range(len(tokens)))
        self.mask = tokens.symbol(MASK)
        self.space = self.pieces.index(SPACE) if SPACE in self.pieces else -1
        text = np.array([i >= SPECIALS and not any(map(is_symbol, piece)) for i, piece in enumerate(self.pieces)])
        begins = text & np.array([piece.startswith(SPACE) and piece != SPACE for piece in self.pieces])
        self.whole = self.pieces[self.mask] != MASK  # each token is a whole word
        self.parted = bool(begins.any()) and not self.whole  # words have pieces that begin them, and others
        self.fits = {True: begins, False: text & ~begins} if self.parted else {True: text, False: text}

    def close(self, texts: Sequence[str]) -> list[str]:
        """Each text with its gaps closed, each by the likeliest piece."""
        for text in texts:
            if not GAP.search(text):
                raise InputError(f"{text!r} has no gap; put ___ in the place of a missing word")
        sources = [self.encode(text) for text in texts]
        places = [[place for place, token in enumerate(source) if token == self.mask] for source in sources]
        found = self.engine.fill(sources, places)
        return [self.closed(text, log_probs) for text, log_probs in zip(texts, found, strict=True)]

    def encode(self, text: str) -> list[int]:
        """The text's ids with one for each gap; the space before a gap is its piece's own."""
        if self.whole:
            return self.tokens.encode(re.sub(r"\s*_{3,}\s*", f" {MASK} ", text).strip())
        ids = self.tokens.encode(GAP.sub(MASK, text))
        if not self.parted:
            return ids
        return [one for one, behind in zip(ids, [*ids[1:], 0], strict=True) if (one, behind) != (self.space, self.mask)]

    def closed(self, text: str, log_probs: NDArray[np.float32]) -> str:
        """The text with the piece of the highest log-probability [P, V] that fits in each gap."""
        rows = iter(log_probs)

        def piece(gap: re.Match[str]) -> str:
            before = text[: gap.start()]
            fits = self.fits[not before or before[-1].isspace()]
            return self.pieces[int(np.where(fits, next(rows), -np.inf).argmax())].strip(SPACE)

        return GAP.sub(piece, text)

    def measure(self, texts: Sequence[str]) -> dict[str, Score]:
        """How often the likeliest piece is the hidden one, in percent, and the perplexity of what was hidden."""
        log_probs, right = [], []
        for hidden, places, wanted in self.exam(texts):
            for found, said in zip(self.engine.fill(hidden, places), wanted, strict=True):
                log_probs += found[np.arange(len(said)), said].tolist()
                right += (found.argmax(-1) == said).tolist()
        how = f"pieces|hidden:{HIDDEN}|seed:{SEED}"
        return {
            "accuracy": Score(100 * sum(right) / len(right), how),
            "perplexity": Score(math.exp(-sum(log_probs) / len(log_probs)), how),
        }

    def exam(self, texts: Sequence[str]) -> Iterator[tuple[list[list[int]], list[list[int]], list[list[int]]]]:
        """Some sentences with some pieces hidden, which places these are, and what stood there."""
        rng = np.random.default_rng(SEED)
        for start in range(0, len(texts), TOGETHER):
            sentences = [ids for ids in self.tokens.encode_all(texts[start : start + TOGETHER]) if ids]
            places = [
                sorted(rng.choice(len(ids), max(1, round(HIDDEN * len(ids))), False).tolist()) for ids in sentences
            ]
            wanted = [[ids[place] for place in some] for ids, some in zip(sentences, places, strict=True)]
            for ids, some in zip(sentences, places, strict=True):
                for place in some:
                    ids[place] = self.mask
            yield sentences, places, wanted
