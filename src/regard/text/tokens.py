"""A sentence and its tokens, by SentencePiece: pieces of words, characters, or words; learnt from text, kept as a file.

    tokens = Tokens.train(sentences, "unigram", size=8000)
    tokens.decode(tokens.encode("le chat noir"))        # "le chat noir"

The first four ids are those of text/symbols.py. White space is kept as it is, so that decoding gives the text again.
"""

import io
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sentencepiece

from regard.errors import FolderError, InputError, RecipeError
from regard.recipe.data import TokenKind, TokensSpec
from regard.text.sampling import SPACE, Ways
from regard.text.symbols import ALL, BOS, EOS, PAD, SPECIALS, UNK

LEAST, MOST = 400, 32_000  # tokens, where their number is chosen
ALPHABET = 8000  # characters at most that are tokens; rarer ones are unknown
LONGEST = 2**16  # bytes of a sentence; SentencePiece passes over longer ones
MODELS: dict[TokenKind, str] = {"unigram": "unigram", "bpe": "bpe", "characters": "char", "words": "word"}


class Tokens:
    """One SentencePiece model; where `lower`, all letters are made small first."""

    def __init__(self, data: bytes, lower: bool = False) -> None:
        self.data, self.lower = data, lower
        self._model = sentencepiece.SentencePieceProcessor(model_proto=data)
        self.ways: dict[float, Ways] = {}  # by alpha
        self._prefix = len("".join(self.cut("a"))) - 1  # a space that SentencePiece puts before a text

    def __reduce__(self) -> tuple[type["Tokens"], tuple[bytes, bool]]:
        return Tokens, (self.data, self.lower)

    @classmethod
    def load(cls, data: bytes, lower: bool = False) -> "Tokens":
        """The model out of a file's bytes."""
        try:
            return cls(data, lower)
        except RuntimeError:
            raise FolderError("the tokens are no SentencePiece model; copy the model again") from None

    @classmethod
    def train(
        cls, texts: Iterable[str], kind: TokenKind, size: int, symbols: bool, lower: bool = False, of: int = 0
    ) -> "Tokens":
        """A model out of texts, which may be a sample `of` so many; with `symbols`, each character of ours is a token.

        Size 0 is chosen from how many texts there are; of characters and words, all that are worth it are taken.
        """
        texts = [text.lower() for text in texts] if lower else list(texts)
        if not any(texts):
            raise InputError("no text to learn tokens from; give some sentences")
        alphabet = characters(texts)
        fixed = SPECIALS + len(ALL) * symbols
        if 0 < size < (least := least_size(kind, fixed, alphabet)):
            raise RecipeError(f"tokens.size is {size}; these texts need at least {least}; or 0, to have it chosen")
        wanted = size or good_size(texts, kind, fixed, alphabet, of or len(texts))
        tokens = cls(learnt(texts, kind, wanted, symbols, alphabet), lower)
        if kind == "bpe" and size > len(tokens):
            raise RecipeError(
                f"tokens.size is {size}; these texts have {len(tokens)} at most by BPE; say so, or 0, to have it chosen"
            )
        return tokens

    def __len__(self) -> int:
        return len(self._model)

    def encode(self, text: str) -> list[int]:
        """The ids of a text's tokens, without begin and end."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text's tokens."""
        ids: list[list[int]] = self._model.encode(self.seen(texts), num_threads=1)
        return ids

    def sample(self, texts: Sequence[str], alpha: float, seed: int) -> list[list[int]]:
        """The ids of tokens that each text might have as well, drawn at random (Kudo 2018); alike for the same seed.

        Unigram: probabilities to the power of alpha. BPE: each merge is left out with probability alpha.
        Characters and words have but one way.
        """
        if not self.divisible:
            return self.encode_all(texts)
        ways, rng = self.ways.setdefault(alpha, Ways(self._model, alpha)), np.random.default_rng(seed)
        return [ways.draw(text, rng) for text in self.seen(texts)]

    @cached_property
    def divisible(self) -> bool:
        """Whether a text has several ways to be split: pieces have, characters and words have not."""
        try:
            self._model.encode("a", enable_sampling=True, nbest_size=-1, alpha=1.0)
        except RuntimeError:
            return False
        return True

    def seen(self, texts: Sequence[str]) -> list[str]:
        """The texts as the model sees them."""
        return [text.lower() for text in texts] if self.lower else list(texts)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of tokens; begin, end and filling are silent."""
        text: str = self._model.decode([int(i) for i in ids])
        return text

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """Each token as SentencePiece writes it, with SPACE for a space."""
        return self._model.id_to_piece([int(i) for i in ids])

    def cut(self, text: str) -> list[str]:
        """The text's pieces; an unknown one as it stands in the text."""
        pieces: list[str] = self._model.encode(self.seen([text])[0], out_type=str)
        return pieces

    def places(self, pieces: Iterable[str]) -> list[tuple[int, int]]:
        """Where each piece of a text begins and ends in it."""
        ends = list(accumulate(map(len, pieces), initial=-self._prefix))
        return [(max(start, 0), end) for start, end in pairwise(ends)]

    def knows(self, piece: str) -> bool:
        """Whether there is a token for that piece."""
        return self._model.piece_to_id(piece) != UNK

    def symbol(self, character: str) -> int:
        """The id of one of our symbols, which among words stands behind a space; UNK where there is none."""
        return max(self._model.piece_to_id([character, SPACE + character]))


class Vocabulary(NamedTuple):
    """The tokens of both sides; of a joint one both are the same object."""

    source: Tokens
    target: Tokens

    @property
    def joint(self) -> bool:
        return self.source is self.target

    def files(self) -> dict[str, bytes]:
        """What of it lies in a model's folder."""
        return {"tokens.model": self.source.data, **({} if self.joint else {"target.model": self.target.data})}

    @classmethod
    def open(cls, paths: Mapping[str, Path], spec: TokensSpec) -> "Vocabulary":
        """The tokens out of a model's folder, whose files have these paths."""
        source = Tokens.load(paths["tokens.model"].read_bytes(), spec.lower)
        if "target.model" not in paths:
            return cls(source, source)
        return cls(source, Tokens.load(paths["target.model"].read_bytes(), spec.lower))


def characters(texts: Sequence[str]) -> Counter[str]:
    """How often each character comes, spaces too."""
    counts: Counter[str] = Counter()
    for start in range(0, len(texts), 1000):
        counts.update(" ".join(["", *texts[start : start + 1000]]))
    for symbol in ALL:
        counts.pop(symbol, None)
    return counts


def least_size(kind: TokenKind, fixed: int, alphabet: Counter[str]) -> int:
    """The least number of tokens: pieces need every character."""
    return fixed + (min(len(alphabet), ALPHABET) if kind in ("unigram", "bpe") else 1)


def good_size(texts: Sequence[str], kind: TokenKind, fixed: int, alphabet: Counter[str], sentences: int) -> int:
    """How many tokens to learn, by a rule that fits from a thousand pairs to a million."""
    if kind == "characters":
        return fixed + min(len(alphabet), ALPHABET)
    if kind == "words":
        counts = Counter(word for text in texts for word in text.split())
        often = sum(count > 1 for count in counts.values())  # what comes once teaches nothing, but to be unknown
        return fixed + min(often or len(counts), MOST)
    wanted = 100 * round(0.28 * math.sqrt(sentences))  # 40 times the root of the pairs, where both sides are joined
    return max(min(wanted, MOST), LEAST, fixed + 2 * min(len(alphabet), ALPHABET))


def learnt(texts: Sequence[str], kind: TokenKind, size: int, symbols: bool, alphabet: Counter[str]) -> bytes:
    """A model's bytes, the same for the same texts."""
    pieces = kind in ("unigram", "bpe")
    common = sum(count for _, count in alphabet.most_common(ALPHABET)) / alphabet.total()
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=made,
        model_type=MODELS[kind],
        vocab_size=size,
        hard_vocab_limit=False,
        character_coverage=common,
        unk_id=UNK,
        pad_id=PAD,
        bos_id=BOS,
        eos_id=EOS,
        user_defined_symbols=[SPACE * (kind == "words") + symbol for symbol in ALL] if symbols else [],
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        add_dummy_prefix=kind != "characters",  # a word is the same at the begin as behind a space; a letter anyhow
        split_digits=pieces,
        max_sentence_length=LONGEST,
        num_threads=1,  # what is learnt depends on their number
        minloglevel=2,
    )
    return made.getvalue()
