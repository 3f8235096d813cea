"""Sentences to sentences: what must stay is protected, the rest goes through tokens, a search, and tokens again."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from regard.text.context import parted
from regard.text.protect import Protected, protect, protect_pair, restore
from regard.text.symbols import CLOSING, OPENING, PLACEHOLDERS, UNK, is_symbol
from regard.text.tidy import tidy
from regard.text.tokens import Vocabulary
from regard.translate.translation import Translation

if TYPE_CHECKING:
    from regard.engines.interface import Engine
    from regard.search.hypothesis import Hypothesis

BEAM = 5
SILENT = "the model says nothing to this; it stays as it is"


class Said(NamedTuple):
    """An answer to a protected sentence."""

    text: str
    hypothesis: "Hypothesis"


class Translator:
    """Translates sentence by sentence, each by itself."""

    def __init__(
        self,
        engine: "Engine",
        vocabulary: Vocabulary,
        source: str,
        target: str,
        *,
        protects: bool = True,
        context: bool = False,
    ) -> None:
        """With context the texts may have sentences before them, as text/context.py puts them.

        A model that was not taught placeholders has them in its texts as they are.
        """
        self.engine, self.vocabulary = engine, vocabulary
        self.source, self.target, self.context = source, target, context
        symbols = (PLACEHOLDERS[0], OPENING[0], CLOSING[0])
        self.protects = protects and not any(UNK in vocabulary.source.encode(symbol) for symbol in symbols)

    def translate(self, texts: Sequence[str], beam: int = BEAM, length_penalty: float = 1.0) -> list[Translation]:
        """A translation for each text. White space around a text stays, and so does a text that is nothing else."""
        asked = [text for text in texts if text.strip()]
        protected = [self.protect(text.strip()) for text in asked]
        said = self.answer(protected, beam, length_penalty)
        silent = [row for row, one in enumerate(said) if one is None]
        if silent and beam < BEAM:
            again = self.answer([protected[row] for row in silent], BEAM, length_penalty)
            for row, one in zip(silent, again, strict=True):
                said[row] = one
        found = map(translation, [self.parted(text)[1] for text in asked], protected, said)
        return [next(found) if text.strip() else Translation(text, text) for text in texts]

    def parted(self, text: str) -> tuple[str, str]:
        """The sentences before, where the model reads any, and the sentence."""
        return parted(text) if self.context else ("", text)

    def protect(self, text: str) -> Protected:
        """With symbols in the place of what must stay, where the model has learnt them; the rest as it was learnt."""
        front, text = self.parted(text)
        text, kept = protect(text) if self.protects else Protected(text, {})
        return Protected(tidy(front + text), kept)

    def protect_pair(self, source: str, target: str) -> tuple[str, str]:
        """Both sides as the model has learnt such pairs."""
        both = protect_pair(source, target) if self.protects else None
        return (source, target) if both is None else (both[0].text, both[1].text)

    def answer(self, texts: Sequence[Protected], beam: int, length_penalty: float) -> list[Said | None]:
        """The best hypothesis for each text that is not empty."""
        sources = self.vocabulary.source.encode_all([text for text, _ in texts])
        found = self.engine.search(sources, beam=beam, n_best=beam, length_penalty=length_penalty)
        return [
            next((said for said in (self.said(one, kept) for one in some) if said.text), None)
            for some, (_, kept) in zip(found, texts, strict=True)
        ]

    def said(self, hypothesis: "Hypothesis", kept: Mapping[str, str]) -> Said:
        """A hypothesis as text, without symbols that stand for nothing here."""
        text = self.vocabulary.target.decode(hypothesis.ids)
        return Said("".join(c for c in text if c in kept or not is_symbol(c)).strip(), hypothesis)


def translation(source: str, protected: Protected, said: Said | None) -> Translation:
    if said is None:
        return Translation(source, source, warnings=(SILENT,))
    text, hypothesis = said
    return Translation(source, spaced(restore(text, protected.kept), source), hypothesis.mean)


def spaced(text: str, source: str) -> str:
    """The text with the white space that stands around the source."""
    start = len(source) - len(source.lstrip())
    return source[:start] + text.strip() + source[len(source.rstrip()) :]
