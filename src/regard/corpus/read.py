"""Rows out of the files that a recipe names: one table, or two texts line by line, each perhaps gzipped; streamed."""

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path, PurePath
from typing import NamedTuple

from regard.corpus.formats import Line, comma, is_header, lines, objects, parquet, tabbed
from regard.errors import InputError, nearest, reading
from regard.recipe.data import FilesSpec

TABLES = {
    ".tsv": "tab", ".tab": "tab", ".txt": "tab", ".csv": "comma",
    ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet",
}  # fmt: skip
SPLIT_BY = {"tab": "split by a tab", "comma": "split by a comma", "json": "in a list or an object"}


class Row(NamedTuple):
    """The wanted fields of one row; `broken` where its bytes were no UTF-8, with U+FFFD for what could not be read."""

    file: str
    line: int
    fields: tuple[str, ...]
    broken: bool


class Notes:
    """What was seen besides while reading, to be said once: files with more columns than are read."""

    def __init__(self) -> None:
        self.columns: dict[str, int] = {}  # of each such file: how many its first row has

    def lines(self) -> list[str]:
        return [f"{file} has {count} columns; the others are ignored" for file, count in self.columns.items()]


def read(
    files: FilesSpec,
    folder: Path,
    languages: tuple[str, str] = ("", ""),
    notes: Notes | None = None,
    several: bool = False,
) -> Iterator[Row]:
    """Every row of the table, or of the two texts; its fields in the order of `files.columns`.

    Where it may have `several` targets, each further column that is filled makes a row of its own, with that target.
    """
    paths = [found(packed(folder / name)) for name in files.files]
    kinds = [kind_of(path) for path in paths]
    rows = table(paths[0], files, kinds[0], languages) if len(paths) == 1 else texts(paths, files, kinds)
    first = True
    for row in rows:
        if first and notes is not None and not several and len(row.cells) > len(files.columns):
            notes.columns[files.files[0]] = len(row.cells)
        first = False
        one = Row(files.files[0], row.number, picked(row, files, kinds[0]), row.broken)
        yield one
        for other in filter(str.strip, row.cells[max(files.columns) :] if several else ()):
            yield one._replace(fields=(one.fields[0], other))
    if first:
        raise InputError(f"{files.files[0]} is empty; give {'one row' if len(paths) == 1 else 'one sentence'} a line")


def found(path: Path) -> Path:
    """The path of a file that is there."""
    with reading(path):
        if path.is_dir():
            raise InputError(f"{path} is a folder; name the files in it")
        if not path.exists():
            if not path.parent.is_dir():
                raise InputError(f"{path} does not exist, nor does the folder {path.parent}")
            raise InputError(f"{path} does not exist{nearest(path.name, [one.name for one in path.parent.iterdir()])}")
    return path


def refuse_pipe(path: Path) -> None:
    """An error where a file can't be read a second time, as what is learnt from must be."""
    if not path.is_file():
        raise InputError(f"{path} is a pipe or a device, which can't be read twice; write it into a file and name it")


def packed(path: Path) -> Path:
    """The path, or the gzipped file's where only that is there: a recipe names files as they are once unpacked."""
    gzipped = Path(f"{path}.gz")
    with reading(path):
        return gzipped if gzipped.is_file() and not path.exists() else path


def kind_of(path: PurePath) -> str:
    """The kind of table by the name's suffix; nothing for any other."""
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return TABLES.get(inner.suffix.lower(), "")


def table(path: Path, files: FilesSpec, kind: str, languages: tuple[str, str]) -> Iterator[Line]:
    name, columns = files.files[0], files.columns
    if kind == "json":
        return objects(path, name, columns, languages)
    if kind == "parquet":
        return parquet(path, name, columns, languages)
    return headless(comma(path, name) if kind == "comma" else tabbed(path, name), columns, languages)


def headless(rows: Iterator[Line], columns: Sequence[int], languages: Sequence[str]) -> Iterator[Line]:
    """The rows without a first one that names the columns."""
    for row in islice(rows, 1):
        named = [row.cells[column - 1] for column in columns if column <= len(row.cells)]
        if len(named) < len(columns) or not is_header(named, languages):
            yield row
    yield from rows


def texts(paths: Sequence[Path], files: FilesSpec, kinds: Sequence[str]) -> Iterator[Line]:
    """Two texts side by side: the first is column 1, the second column 2."""
    one, other = files.files
    if kinds[0] not in ("", "tab") or kinds[1] not in ("", "tab"):
        raise InputError(f"{one} and {other}: two tables in one place; name each on its own, or two plain texts")
    if max(files.columns) > 2:
        raise InputError(f"column {max(files.columns)} of {one} and {other}: two texts make columns 1 and 2")
    counts = [0, 0]
    for left, right in zip_longest(lines(paths[0], one), lines(paths[1], other)):
        counts[0] += left is not None
        counts[1] += right is not None
        if left is not None and right is not None:
            yield Line(left[0], [left[1], right[1]], left[2] or right[2])
    if counts[0] != counts[1]:
        raise InputError(f"{one} has {counts[0]:,} lines, {other} {counts[1]:,}; each line needs the other's same line")


def picked(row: Line, files: FilesSpec, kind: str) -> tuple[str, ...]:
    """The wanted cells; a blank line has them all, empty."""
    cells = row.cells
    try:
        return tuple([cells[column - 1] for column in files.columns])
    except IndexError:
        if not any(cell.strip() for cell in cells):
            return ("",) * len(files.columns)
        raise InputError(f"{files.files[0]}, line {row.number}: {_too_few(len(cells), files.columns, kind)}") from None


def _too_few(count: int, columns: Sequence[int], kind: str) -> str:
    split = SPLIT_BY.get(kind, SPLIT_BY["tab"])
    if count == 1 and len(columns) == 2 and max(columns) == 2:
        return f"one column; source and target go in two, {split}"
    wanted = f"columns {', '.join(map(str, columns))} are" if len(columns) > 1 else f"column {columns[0]} is"
    return f"{count} column{'s' if count > 1 else ''}; {wanted} wanted, {split}"
