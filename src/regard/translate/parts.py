"""A text in parts that a model can read: its sentences, and where one is too long its clauses, words, characters.

Nothing is lost: each part knows the white space behind it, and all joined are the text. No cut is inside what must stay
whole (a placeholder, a tag, an address).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import sentencex  # type: ignore[import-untyped]

from regard.text.protect import Span

HELD, LAST = "\ue0fd", "\ue0fe"  # stand for each character that must stay with the next one, and the one behind them
CLAUSES = re.compile(r"[^,;:–—)]*[,;:–—)]+\s+|[^,;:–—)]+|[,;:–—)]+")
WORDS = re.compile(r"\s*\S+\s*|\s+")

Size = Callable[[Sequence[str]], list[int]]


class Part(NamedTuple):
    """Some of a text, and the white space behind it."""

    text: str
    space: str


def parts(text: str, kept: Iterable[Span], size: Size, most: int, language: str) -> list[Part]:
    """The text in parts of at most so many tokens; only what must stay whole may be longer."""
    found = []
    for start, end in spans(text, masked(text, kept), size, most, language):
        inner = text[start:end].rstrip()
        found.append(Part(inner, text[start + len(inner) : end]))
    return found


def masked(text: str, kept: Iterable[Span]) -> str:
    """The text, as long, with nothing in the kept spans that looks like a place to cut."""
    letters = list(text)
    for start, end in kept:
        letters[start:end] = HELD * (end - start - 1) + LAST
    return "".join(letters)


def spans(text: str, mask: str, size: Size, most: int, language: str) -> Iterator[Span]:
    """Where the parts begin and end: sentences each by itself, of what is smaller as much together as goes."""
    sentences = cut(text, (0, len(text)), sentencex.segment(language or "en", mask))
    levels = [CLAUSES, WORDS, characters(most)]
    for sentence, tokens in sized(text, sentences, size):
        yield from [sentence] if tokens <= most else smaller(text, mask, sentence, size, most, levels)


def characters(most: int) -> re.Pattern[str]:
    """So many characters as make that many tokens at most, and what must stay whole."""
    return re.compile(f"{HELD}*{LAST}|[^{HELD}{LAST}]{{1,{max(most - 1, 1)}}}")


def smaller(
    text: str, mask: str, span: Span, size: Size, most: int, levels: Sequence[re.Pattern[str]]
) -> Iterator[Span]:
    """A span cut by the first pattern, what is still too long by the next ones."""
    if not levels:
        yield span
        return
    start, end, held = span[0], span[0], 0
    for piece, tokens in sized(text, cut(text, span, levels[0].findall(mask[slice(*span)])), size):
        if held and held + tokens > most:
            yield start, end
            start, held = end, 0
        if tokens > most:
            yield from smaller(text, mask, piece, size, most, levels[1:])
            start = piece[1]
        else:
            held += tokens
        end = piece[1]
    if start < end:
        yield start, end


def cut(text: str, span: Span, pieces: Iterable[str]) -> list[Span]:
    """Where each of the pieces that make up a span stands."""
    found, start = [], span[0]
    for piece in pieces:
        found.append((start, start + len(piece)))
        start += len(piece)
    assert start == span[1], "the pieces make up the span"
    return found


def sized(text: str, some: list[Span], size: Size) -> Iterator[tuple[Span, int]]:
    return zip(some, size([text[start:end] for start, end in some]), strict=True)
