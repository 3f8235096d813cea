"""Rows in chunks, each cleaned by itself, and the keys that tell which pairs are the same."""

from collections import deque
from collections.abc import Iterator
from functools import partial
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.corpus.clean import Example, Rules, Sides, example, normal
from regard.corpus.read import Row
from regard.corpus.workers import in_order
from regard.text.context import with_context
from regard.text.tidy import tidy

ROWS, LETTERS = 4096, 1_000_000  # a chunk ends when it has either


class Chunk(NamedTuple):
    """Rows of one file on their way to be cleaned, and the sources in front of them."""

    group: int
    file: str
    numbers: list[int]
    sources: list[str]
    targets: list[str]
    broken: list[bool]
    before: list[str]


class Kept(NamedTuple):
    """What is left of a chunk: the bytes for each file of the stage, and what was dropped."""

    chunk: tuple[int, str]  # group, file
    read: int
    parts: tuple[bytes, NDArray[np.uint64], bytes]  # text, ends, keys
    dropped: dict[str, list[Example | None]]  # of each rule its pairs: the first three shown


def sides_of(row: Row) -> tuple[str, str]:
    """A row's source and target; of more than two fields, the target has all but the first, tabs between."""
    rest = row.fields[1:]
    return row.fields[0], "\t".join(rest) if all(map(str.strip, rest)) else ""


def chunked(rows: Iterator[Row], group: int, context: int) -> Iterator[Chunk]:
    """Rows put together; each chunk knows the sources in front of its first."""
    chunk, letters = None, 0
    for row in rows:
        if chunk is None:
            chunk = Chunk(group, row.file, [], [], [], [], [])
        elif len(chunk.numbers) >= ROWS or letters >= LETTERS:
            yield chunk
            spoken = [one for one in chunk.before + chunk.sources if one.strip()] if context else []
            chunk, letters = Chunk(group, row.file, [], [], [], [], spoken[-context:]), 0
        source, target = sides_of(row)
        chunk.numbers.append(row.line)
        chunk.sources.append(source)
        chunk.targets.append(target)
        chunk.broken.append(row.broken)
        letters += len(source) + len(target)
    if chunk is not None:
        yield chunk


def all_cleaned(chunks: Iterator[Chunk], rules: Rules) -> Iterator[Kept]:
    """Every chunk cleaned, in order."""
    return in_order(partial(cleaned, rules=rules), chunks)


def cleaned(chunk: Chunk, rules: Rules) -> Kept:
    """A chunk's pairs without those that a rule drops."""
    context = rules.spec.context
    fronts = deque([tidy(source) for source in chunk.before], maxlen=context)
    texts: list[bytes] = []
    keys: list[bytes] = []
    dropped: dict[str, list[Example | None]] = {}
    for number, raw, other, broken in zip(chunk.numbers, chunk.sources, chunk.targets, chunk.broken, strict=True):
        source, target = tidy(raw), tidy(other)
        if rule := rules.check(source, target, broken):
            some = dropped.setdefault(rule, [])
            some.append(example(chunk.file, number, source, target) if len(some) < 3 else None)
        else:
            front = [one for one in fronts if rules.sound(one)]
            texts += [with_context(front, source).encode(), target.encode()]
            keys += keys_of(source, target, rules.sides)
        if source:  # else the sentence before it is still the last, as text/context.py has it
            fronts.append(source)
    ends = np.cumsum(np.fromiter(map(len, texts), np.uint64, len(texts)), dtype=np.uint64)
    return Kept((chunk.group, chunk.file), len(chunk.numbers), (b"".join(texts), ends, b"".join(keys)), dropped)


def keys_of(source: str, target: str, sides: Sides) -> tuple[bytes, bytes]:
    """Two hashes that tell equal pairs, and pairs that may not be parted: those with an equal text on a side."""
    if sides == "none":  # names, as they are spelt; rows that have one in common may be parted
        key = hashed(f"{source}\t{target}")
        return key, key
    one, other = normal(source), normal(target)
    if sides != "both":  # a label is no text: pairs are not alike for having the same
        other = f"{one}\t{other}"
    return hashed(one), hashed(other)


def hashed(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()
