"""Lines of bytes, and the rows of the four kinds of tables, each read as a stream.

A line ends at LF alone; a CR before it and a BOM at the file's start are taken off. Whatever is wrong is said in one
line that names the file and the line.
"""

import csv
import gzip
import io
import json
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from regard.errors import InputError, needs
from regard.recipe.tasks import COLUMNS
from regard.text.languages import NAMES

LONGEST = 1_000_000  # bytes a line may have; a longer one is no sentence, and might be all of a huge file
BOM = b"\xef\xbb\xbf"
NAMED = (*COLUMNS.values(), ("src", "tgt"), ("text", "label"), ("text",))  # what tables call their columns
BYTES = {"string": "binary", "large_string": "large_binary"}  # Arrow's types of texts, and of the same undecoded
Cells = list[str]


class Line(NamedTuple):
    """A line of a text, or a row of a table: its number from 1, its cells, and whether its bytes were UTF-8."""

    number: int
    cells: Cells
    broken: bool


def lines(path: Path, name: str) -> Iterator[tuple[int, str, bool]]:
    """Number, text and whether it is broken, of every line; name is how errors call the file."""
    number = 0
    try:
        with opened(path) as file:
            while raw := file.readline(LONGEST + 3):
                number += 1
                text, broken = decoded(raw if number > 1 else raw.removeprefix(BOM), name, number)
                yield number, text, broken
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{name}, line {number + 1}: damaged gzip ({error}); fetch or pack the file again") from None
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from None


def opened(path: Path) -> BinaryIO:
    if path.suffix.lower() == ".gz":
        return io.BufferedReader(gzip.open(path))
    return path.open("rb")


def decoded(raw: bytes, name: str, number: int) -> tuple[str, bool]:
    """The line's text without its end, and whether its bytes are no UTF-8."""
    raw = raw.removesuffix(b"\n").removesuffix(b"\r")
    if len(raw) > LONGEST:
        raise InputError(f"{name}, line {number}: longer than {LONGEST:,} bytes; a line holds one sentence or one row")
    if b"\0" in raw:
        raise InputError(f"{name}, line {number}: a NUL byte; give a text in UTF-8 (UTF-16 and binary files have NULs)")
    return as_text(raw)


def as_text(raw: bytes) -> tuple[str, bool]:
    """The bytes as text, with U+FFFD for what is no UTF-8, and whether there is such."""
    try:
        return raw.decode(), False
    except UnicodeDecodeError:
        return raw.decode(errors="replace"), True


def tabbed(path: Path, name: str) -> Iterator[Line]:
    """A table split at each TAB; quotation marks are text."""
    for number, text, broken in lines(path, name):
        yield Line(number, text.split("\t"), broken)


def comma(path: Path, name: str) -> Iterator[Line]:
    """A CSV table, quoted as usual; a quoted cell may hold line ends. Numbers are those of the rows' first lines."""
    spoilt: list[int] = []

    def texts() -> Iterator[str]:
        for number, text, broken in lines(path, name):
            if broken:
                spoilt.append(number)
            yield text + "\n"

    csv.field_size_limit(LONGEST)
    rows, first = csv.reader(texts(), strict=True), 1
    try:
        for cells in rows:
            yield Line(first, cells or [""], bool(spoilt))
            spoilt.clear()
            first = rows.line_num + 1
    except csv.Error as error:
        raise InputError(f"{name}, line {first}: no CSV ({error}); look for a quotation mark left open") from None


def is_header(cells: Sequence[str], languages: Sequence[str]) -> bool:
    """Whether the wanted cells of a table's first row say what the columns are."""
    known = {*chain.from_iterable(NAMED), *filter(None, languages)}
    return all(cell.strip().lower() in known for cell in cells)


def objects(path: Path, name: str, columns: Sequence[int], languages: tuple[str, str]) -> Iterator[Line]:
    """JSON Lines: each an object, read by the keys that the first one has, or a list, read by position."""
    keys: list[str] = []
    for number, text, broken in lines(path, name):
        where = f"{name}, line {number}"
        value = _parsed(text, where) if text.strip() else [""] * max(columns)
        if isinstance(value, Mapping):
            value = _inner(value)
            keys = keys or wanted_keys(list(value), columns, languages, where)
            value = _in_order(value, keys, columns, where)
        if not isinstance(value, list):
            raise InputError(f"{where}: neither a JSON object nor a list; give an object with 'source' and 'target'")
        cells = [_text(cell, where) for cell in value]
        yield Line(number, [_SURROGATE.sub("\ufffd", cell) for cell in cells], broken or any(map(_halved, cells)))


_SURROGATE = re.compile("[\ud800-\udfff]")


def _halved(text: str) -> bool:
    """Whether the text holds half a character, as an escape of JSON can spell one."""
    return bool(_SURROGATE.search(text))


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: no JSON ({error}); each line holds one object") from None


def _inner(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """What Hugging Face's data sets wrap: {"translation": {"en": ..., "fr": ...}}."""
    inner = value.get("translation")
    return inner if isinstance(inner, Mapping) else value


def wanted_keys(has: list[str], columns: Sequence[int], languages: tuple[str, str], where: str) -> list[str]:
    """The keys that the columns stand for: known names, else the languages' codes, else those at the positions."""
    as_many = [names for names in NAMED if len(names) == len(columns)]
    for names in (*as_many, *NAMED, languages):
        keys = [names[column - 1] for column in columns if column <= len(names)]
        if len(set(keys)) == len(set(columns)) and all(key in has for key in keys):
            return keys
    if max(columns) > len(has) or all(key in NAMES for key in has):
        raise InputError(f"{where}: the keys are {_listed(has)}; give {_wanted(len(columns), languages)}")
    return [has[column - 1] for column in columns]


def _wanted(count: int, languages: tuple[str, str]) -> str:
    """What keys to give for so many columns."""
    names = next((names for names in NAMED if len(names) == count), NAMED[0])
    codes = f", or {_listed(languages[:count])}" if count <= 2 and all(languages) else ""
    return _listed(names) + codes


def _in_order(value: Mapping[str, Any], keys: list[str], columns: Sequence[int], where: str) -> list[Any]:
    """The object's wanted values, where the columns have them."""
    if missing := [key for key in keys if key not in value]:
        raise InputError(f"{where}: no key {missing[0]!r}; it has {_listed(value)}, the first line had {_listed(keys)}")
    cells: list[Any] = [""] * max(max(columns), len(value))
    for key, column in zip(keys, columns, strict=True):
        cells[column - 1] = value[key]
    return cells


def _listed(keys: Mapping[str, Any] | Sequence[str]) -> str:
    return " and ".join(repr(key) for key in keys) if keys else "none"


def _text(cell: Any, where: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str | int | float):
        return str(cell)
    raise InputError(f"{where}: {str(cell)[:40]} where a text was expected; each value is a string or a number")


def parquet(path: Path, name: str, columns: Sequence[int], languages: tuple[str, str]) -> Iterator[Line]:
    """A Parquet file, some thousand rows at a time, by the same keys as JSON."""
    with needs("parquet"):
        import pyarrow  # type: ignore[import-untyped]
        from pyarrow.parquet import ParquetFile  # type: ignore[import-untyped]

    try:
        with _unpacked(path) as file:
            table = ParquetFile(file)
            has, read = table.schema_arrow.names, None
            if "translation" in has and pyarrow.types.is_struct(kind := table.schema_arrow.field("translation").type):
                has, read = [field.name for field in kind], ["translation"]
            keys = wanted_keys(has, columns, languages, name)
            batches = table.iter_batches(2000, columns=read or list(dict.fromkeys(keys)))
            rows = (row for batch in batches for row in _rows(batch.column(0) if read else batch.to_struct_array()))
            for number, row in enumerate(rows, 1):
                where = f"{name}, row {number}"
                cells = {key: _decoded(row[key], where) for key in keys}
                texts = _in_order({key: text for key, (text, _) in cells.items()}, keys, columns, where)
                yield Line(number, texts, any(broken for _, broken in cells.values()))
    except (pyarrow.ArrowException, OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name}: no Parquet, or damaged ({str(error).splitlines()[0]})") from None
    except UnicodeDecodeError as error:  # of a type that is not in BYTES
        raise InputError(f"{name}: no UTF-8 ({error}); save the file as UTF-8 and start again") from None


def _rows(table: Any) -> Iterator[dict[str, Any]]:
    """The rows of some of Arrow's; texts as bytes, for nobody has looked whether they are UTF-8."""
    names = [field.name for field in table.type]
    columns = [column.cast(BYTES.get(str(column.type), column.type)) for column in table.flatten()]
    for values in zip(*(column.to_pylist() for column in columns), strict=True):
        yield dict(zip(names, values, strict=True))


def _decoded(cell: Any, where: str) -> tuple[str, bool]:
    return as_text(cell) if isinstance(cell, bytes) else (_text(cell, where), False)


def _unpacked(path: Path) -> BinaryIO:
    """The file, unpacked where it is gzipped: Parquet is read from its end."""
    if path.suffix.lower() != ".gz":
        return path.open("rb")
    whole = tempfile.TemporaryFile()  # noqa: SIM115  # the caller closes it
    with gzip.open(path) as packed:
        shutil.copyfileobj(packed, whole)
    whole.seek(0)
    return whole
