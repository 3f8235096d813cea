"""The cleaned pairs on disk: written in one pass over the files, in parallel where it pays, read as memory maps.

`text.bin` holds the kept sides one behind the other as UTF-8, `ends.bin` where each of them ends (two uint64 a pair),
`keys.bin` what the two sides are normally written as, hashed (two uint64 a pair), `groups.bin` which of the recipe's
files it is from (a uint16). Only a few thousand rows are in memory at a time.
"""

import mmap
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import numpy as np

from regard.corpus.chunks import Kept, all_cleaned, chunked, sides_of
from regard.corpus.clean import Report, Rules, Sides, learnt, refuse_broken, refuse_swapped
from regard.corpus.read import Notes, read
from regard.errors import InputError
from regard.recipe.data import DataSpec, FilesSpec

SAMPLE = 20_000  # rows that the languages' words are learnt from
NAMES = ("text.bin", "ends.bin", "keys.bin", "groups.bin")


class Stage:
    """The cleaned pairs of a folder, in the order of their files."""

    def __init__(self, folder: Path) -> None:
        text, ends, keys, groups = (folder / name for name in NAMES)
        self.ends = np.memmap(ends, np.uint64, "r").reshape(-1, 2)
        self.keys = np.memmap(keys, np.uint64, "r").reshape(-1, 2)
        self.groups = np.memmap(groups, np.uint16, "r")
        with text.open("rb") as file:
            self._text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def __len__(self) -> int:
        return len(self.ends)

    def pair(self, row: int) -> tuple[str, str]:
        start = int(self.ends[row - 1, 1]) if row else 0
        middle, end = self.ends[row].tolist()
        return self._text[start:middle].decode(), self._text[middle:end].decode()

    def pairs(self, rows: Iterable[int] | None = None) -> Iterator[tuple[str, str]]:
        """The pairs of these rows, or all."""
        return map(self.pair, range(len(self)) if rows is None else rows)

    def close(self) -> None:
        """Lets go of the files; the stage is of no use then."""
        del self.ends, self.keys, self.groups
        self._text.close()


def stage(
    spec: DataSpec,
    files: Sequence[FilesSpec],
    into: Path,
    languages: tuple[str, str],
    report: Report,
    sides: Sides = "both",
    several: bool = False,
) -> Stage:
    """Clean the files' rows into a folder. Of more than two columns, the target has all but the first, tabs between.

    Where a row may have `several` targets, they are in its further columns: see `read`.
    """
    folder, notes = Path(spec.folder), Notes()
    rules = prepared(spec, files, folder, languages, sides)
    chunks = chain.from_iterable(
        chunked(read(one, folder, languages, notes, several), group, spec.context) for group, one in enumerate(files)
    )
    into.mkdir(parents=True, exist_ok=True)
    write(all_cleaned(chunks, rules), into, report, [" and ".join(one.files) for one in files])
    report.notes += notes.lines()
    if not report.kept:
        most = max(report.dropped, key=report.dropped.__getitem__)
        raise InputError(f"{files[0].files[0]}: none of {report.read:,} rows is left; most were dropped for: {most}")
    return Stage(into)


def prepared(
    spec: DataSpec, files: Sequence[FilesSpec], folder: Path, languages: tuple[str, str], sides: Sides
) -> Rules:
    """The rules, after a look at the beginning of each file."""
    if not (spec.clean and spec.languages and sides != "none"):
        return Rules(spec, languages, sides=sides)
    sample: list[tuple[str, str]] = []
    for one in files:
        rows = islice(read(one, folder, languages), max(SAMPLE // len(files), 1000))
        pairs = [sides_of(row) for row in rows if not row.broken]
        if sides == "both":
            refuse_swapped(pairs, languages, one.files[0])
        sample += pairs
    return learnt(sample, spec, languages, sides)


def write(chunks: Iterable[Kept], into: Path, report: Report, names: Sequence[str] = ()) -> None:
    """Write what is left of each chunk to the stage's files, and say so in the report; groups' names are for errors."""
    size, seen = 0, Seen(names)
    with (into / "text.bin").open("wb") as texts, (into / "ends.bin").open("wb") as ends, \
            (into / "keys.bin").open("wb") as keys, (into / "groups.bin").open("wb") as groups:  # fmt: skip
        for kept in chunks:
            text, ending, hashed = kept.parts
            texts.write(text)
            ends.write((ending + np.uint64(size)).tobytes())
            keys.write(hashed)
            groups.write(np.full(len(ending) // 2, kept.chunk[0], np.uint16).tobytes())
            size += len(text)
            seen.add(kept)
            report.read += kept.read
            for rule, some in kept.dropped.items():
                report.drop(rule, len(some), [one for one in some if one])
    seen.done()


class Seen:
    """How many rows of the file being read were broken."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.group = 0
        self.rows = self.broken = self.first = 0

    def add(self, kept: Kept) -> None:
        if kept.chunk[0] != self.group:
            self.done()
            self.group, self.rows, self.broken, self.first = kept.chunk[0], 0, 0, 0
        some = kept.dropped.get("broken encoding", [])
        if some and some[0] and not self.broken:
            self.first = some[0].line
        self.rows += kept.read
        self.broken += len(some)

    def done(self) -> None:
        if self.broken:
            refuse_broken(self.names[self.group], self.rows, self.broken, self.first)
