"""Pairs that came before, found by partitions on disk: equal keys meet in one partition, and each is sorted alone."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regard.corpus.clean import Example, example
from regard.corpus.stage import Stage

Keys = NDArray[np.uint64]  # [N, 2]: a hash of the source, a hash of the target
ROWS = 1 << 16  # keys looked at together
DROPPED = "duplicates.bin"  # true for a row that is not learnt from: a duplicate, or later one that is held out
SHARE = 1 << 18  # rows that a partition should have
MOST = 128  # partitions, each of them an open file
MIX = np.uint64(0x9E3779B97F4A7C15)  # an odd number (of the golden ratio), so that every bit of both keys counts


def duplicates(keys: Keys, folder: Path) -> NDArray[np.bool_]:
    """True for every pair whose two keys an earlier pair has; a memory map, DROPPED in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    found = np.memmap(folder / DROPPED, np.bool_, "w+", shape=(len(keys),))
    parts = folder / "partitions"
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir()
    try:
        for path in parted(keys, parts, found):
            found[repeated(np.fromfile(path, np.uint64).reshape(-1, 3))] = True
    finally:
        shutil.rmtree(parts, ignore_errors=True)
    return found


def parted(keys: Keys, folder: Path, found: NDArray[np.bool_]) -> list[Path]:
    """The keys and their rows, [n, 3], in files: a pair goes where some bits of its keys say.

    Pairs found to have come before while looking at ROWS of them are not written: else one pair that comes over and
    over would make its partition as large as the corpus.
    """
    bits = min(max(len(keys) - 1, 1) // SHARE, MOST - 1).bit_length()
    paths = [folder / f"{part:03}" for part in range(1 << bits)]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        for start, chunk in chunks(keys):
            records = np.column_stack([chunk, np.arange(start, start + len(chunk), dtype=np.uint64)])
            again = repeated(records)
            found[again] = True
            records = np.delete(records, again - start, axis=0)
            parts = ((records[:, 0] ^ records[:, 1] * MIX) * MIX >> np.uint64(32)) & np.uint64(len(paths) - 1)
            order = np.argsort(parts, kind="stable")
            records = records[order]
            ends = np.searchsorted(parts[order], np.arange(len(paths) + 1, dtype=np.uint64))
            for part, file in enumerate(files):
                file.write(records[ends[part] : ends[part + 1]].tobytes())
    return paths


def chunks(keys: Keys) -> Iterator[tuple[int, Keys]]:
    """The keys in pieces, each with its first row."""
    for start in range(0, len(keys), ROWS):
        yield start, np.asarray(keys[start : start + ROWS])


def repeated(records: Keys) -> NDArray[np.int64]:
    """The rows of [n, 3], in their order, whose keys an earlier row has."""
    records = records[np.lexsort((records[:, 1], records[:, 0]))]  # which leaves equal ones in their order
    same = (records[1:, :2] == records[:-1, :2]).all(1)
    return records[1:][same][:, 2].astype(np.int64)


def examples(stage: Stage, dropped: NDArray[np.bool_], count: int = 3) -> list[Example]:
    """The first of the dropped pairs, for the report; the line is the pair's, among those that were kept."""
    rows: list[int] = []
    for start in range(0, len(dropped), ROWS):
        rows += (np.flatnonzero(dropped[start : start + ROWS]) + start).tolist()[: count - len(rows)]
        if len(rows) == count:
            break
    return [example("pair", row + 1, *stage.pair(row)) for row in rows]
