"""Word vectors of one's own, read from word2vec's or GloVe's text format, plain or gzipped.

word2vec begins with a line "words width"; GloVe does not. Then a line a word: the word, its numbers, split at spaces.
"""

import gzip
from collections.abc import Container, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regard.errors import InputError


def read_vectors(path: str | Path, wanted: Container[str]) -> tuple[list[str], NDArray[np.float32]]:
    """The wanted words that the file holds, and their vectors [words, width]; the file may be larger than memory."""
    path = Path(path)
    found: dict[str, NDArray[np.float32]] = {}
    width = 0
    for number, line in enumerate(lines(path), 1):
        fields = line.split(" ")
        if number == 1 and len(fields) == 2 and all(field.isdigit() for field in fields):
            width = int(fields[1])
            continue
        width = width or len(fields) - 1
        word, numbers = " ".join(fields[:-width]), fields[-width:]  # GloVe has words with spaces in them
        if width < 1 or not word:
            raise InputError(
                f"{path}, line {number}: {len(fields)} fields; a word and {width or 'its'} numbers go here"
            )
        if word in wanted and word not in found:
            found[word] = parse(numbers, path, number)
    rows = np.stack(list(found.values())) if found else np.zeros((0, width), dtype=np.float32)
    return list(found), rows


def parse(numbers: list[str], path: Path, number: int) -> NDArray[np.float32]:
    try:
        vector = np.array(numbers, dtype=np.float32)
    except ValueError as error:
        raise InputError(f"{path}, line {number}: {error}") from None
    if not np.isfinite(vector).all():
        raise InputError(f"{path}, line {number}: a number that is not finite")
    return vector


def lines(path: Path) -> Iterator[str]:
    """The file's lines without their ends; empty ones left out."""
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8", newline="\n")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8", newline="\n") as file
        ):
            for line in file:
                if stripped := line.rstrip(" \r\n"):
                    yield stripped
    except FileNotFoundError:
        raise InputError(f"no word vectors at {path}") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; word vectors are a text file") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 ({error.reason}); word2vec's binary format is not read") from None
    except (gzip.BadGzipFile, EOFError) as error:
        raise InputError(f"{path}: {error}") from None
