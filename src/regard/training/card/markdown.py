"""Markdown's blocks, out of texts that cannot break them: what a text holds is shown, never obeyed."""

import re
from collections.abc import Iterable, Sequence

from regard.training.watch.words import clean

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "~": "&#126;", "$": "&#36;"}


def plain(text: str) -> str:
    """A text as it is read, on one line."""
    marked = re.sub(r"([\\`*_\[\]#!])", r"\\\1", clean(text))
    return re.sub("[&<>|~$]", lambda found: ENTITIES[found[0]], marked)


def code(text: str) -> str:
    """A text as code inside a line; not for a table, whose cells end at any bar."""
    text = clean(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{text}{fence}" if len(fence) == 1 else f"{fence} {text} {fence}"


def block(lines: Iterable[str]) -> str:
    """Lines as they are."""
    return "\n".join(f"    {clean(line)}" for line in lines)


def items(lines: Iterable[str]) -> str:
    """A list, each line a point of it."""
    return "\n".join(f"- {line}" for line in lines)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose columns are numbers, but for the first; its cells are Markdown."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
