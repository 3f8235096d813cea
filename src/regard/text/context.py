r"""A source and the sentences before it, which a model may read with it: one text, a symbol between them.

    with_context(["Il pleut."], "Elle rit.")    # "Il pleut.\ue033 Elle rit."

The symbol has a space behind it, so that a sentence's first word is the piece that SentencePiece always makes of it.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from regard.text.symbols import BREAK

MARK = f"{BREAK} "


def with_context(before: Iterable[str], text: str) -> str:
    """The text behind the sentences before it."""
    return MARK.join([*before, text])


def in_context(texts: Iterable[str], count: int, before: Iterable[str] = ()) -> Iterator[str]:
    """Each text behind the `count` before it, of which the first ones follow others; blank ones are none."""
    front = deque([one.strip() for one in before if one.strip()], maxlen=count)
    for text in texts:
        yield with_context(front, text.strip()) if text.strip() else text
        if text.strip():
            front.append(text.strip())


def parted(text: str) -> tuple[str, str]:
    """What stands before a sentence, mark included, and the sentence."""
    front, mark, last = text.rpartition(MARK)
    return front + mark, last
