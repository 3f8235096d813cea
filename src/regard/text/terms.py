r"""Inline terms: a word of a source with its wanted translation. Training and glossaries write them alike.

    with_terms("le chat noir", [(3, 7, "cat")])     # "le\ue030 chat\ue031 cat\ue032 noir"

TERM stands before the space before the word, WANTED behind the word, TERM_END behind its translation; so each word
keeps its own space and is the piece that SentencePiece always makes of it. At the begin of a text a space is put behind
TERM.
"""

from collections.abc import Iterable

from regard.text.symbols import TERM, TERM_END, WANTED

Term = tuple[int, int, str]  # where in the source it begins and ends, and its translation


def with_terms(text: str, terms: Iterable[Term]) -> str:
    """The source with its terms' translations; terms do not overlap."""
    for start, end, wanted in sorted(terms, reverse=True):
        marked = f"{text[start:end]}{WANTED} {wanted}{TERM_END}{text[end:]}"
        if start == 0:
            text = f"{TERM} {marked}"
        elif text[start - 1].isspace():
            text = f"{text[: start - 1]}{TERM}{text[start - 1]}{marked}"
        else:
            text = f"{text[:start]}{TERM}{marked}"
    return text
