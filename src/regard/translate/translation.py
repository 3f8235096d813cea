"""What a translator says of a sentence; the names are those of `regard translate --json`."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Word:
    """A word of a translation."""

    text: str
    prob: float  # how likely it is


@dataclass(frozen=True)
class Alternative:
    """Another translation of the same sentence."""

    text: str
    score: float


@dataclass(frozen=True)
class Translation:
    """One sentence's translation; as a string it is its text."""

    source: str
    text: str
    score: float | None = None  # the mean log-probability a piece; None where there was nothing to translate
    confidence: float | None = None  # from 0 to 1: about the chrF, as a share, that such a score had in validation
    words: tuple[Word, ...] = ()
    alignment: tuple[tuple[int, int], ...] = ()  # words of the source and of the text, split at white space, from 0
    alternatives: tuple[Alternative, ...] = ()
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    def plain(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        return asdict(self)
