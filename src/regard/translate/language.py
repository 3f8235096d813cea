"""Texts that a language model goes on with, and how well it foresees them."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from regard.evaluate.score import Score
from regard.text.tokens import Tokens

if TYPE_CHECKING:
    from regard.engines.interface import Engine

MORE = 50  # pieces that are added at most
REPEATED = 3  # the likeliest pieces alone go round in circles: no sequence of so many comes twice


class Writer:
    """A language model and its tokens."""

    def __init__(self, engine: "Engine", tokens: Tokens) -> None:
        self.engine, self.tokens = engine, tokens

    def go_on(self, texts: Sequence[str]) -> list[str]:
        """Each text, and what is likeliest to follow, piece by piece."""
        texts = [text.rstrip() for text in texts]
        begun = [self.latest(ids) for ids in self.tokens.encode_all(texts)]
        limits = [len(ids) + MORE for ids in begun]
        found = self.engine.search([[]] * len(begun), beam=1, prefix=begun, limits=limits, no_repeat=REPEATED)
        decode = self.tokens.decode
        rest = [decode(best.ids)[len(decode(ids)) :] for ids, (best, *_) in zip(begun, found, strict=True)]
        return [text + more for text, more in zip(texts, rest, strict=True)]

    def latest(self, ids: list[int]) -> list[int]:
        """What of a text the model is told: where it knows so many positions only, half of them."""
        longest = self.engine.longest
        return ids if longest is None else ids[-(longest // 2) :]

    def measure(self, texts: Sequence[str]) -> dict[str, Score]:
        """The perplexity of a piece, and the bits a character takes, which models with other pieces compare by.

        Each text's end counts as a piece and as a character. What is too long for the model is read in parts.
        """
        parts = [self.parts(ids) for ids in self.tokens.encode_all(texts)]
        flat = [part for some in parts for part in some]
        forced = self.engine.score([[]] * len(flat), flat)
        ends = [i == len(some) - 1 for some in parts for i in range(len(some))]
        each = [one.log_probs if end else one.log_probs[:-1] for one, end in zip(forced, ends, strict=True)]
        total, pieces = sum(map(sum, each)), sum(map(len, each))
        characters = sum(len(text) + 1 for text in texts)
        return {
            "perplexity": Score(math.exp(-total / pieces), "a piece, ends counted"),
            "bits_per_character": Score(-total / math.log(2) / characters, "a character, ends counted"),
        }

    def parts(self, ids: list[int]) -> list[list[int]]:
        """The ids in parts of which each, with its begin, has as many positions as the model knows."""
        size = self.engine.longest - 1 if self.engine.longest else len(ids)
        cuts = [*range(0, len(ids), max(size, 1)), len(ids)] if ids else [0, 0]
        return [ids[start:end] for start, end in pairwise(cuts)]
