import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.corpus import unique
from regard.corpus.unique import MOST, duplicates, parted, repeated


def naive(keys):
    """Each row whose pair of keys came before."""
    seen: set[tuple[int, int]] = set()
    found = []
    for pair in map(tuple, keys.tolist()):
        found.append(pair in seen)
        seen.add(pair)
    return found


def keys_of(pairs):
    return np.array(pairs, np.uint64).reshape(-1, 2)


def test_by_hand(tmp_path):
    keys = keys_of([(1, 2), (1, 3), (1, 2), (2, 1), (1, 2), (1, 3)])
    assert duplicates(keys, tmp_path).tolist() == [False, False, True, False, True, True]
    assert [path.name for path in tmp_path.iterdir()] == ["duplicates.bin"]
    assert np.fromfile(tmp_path / "duplicates.bin", np.bool_).tolist() == [False, False, True, False, True, True]


words = st.integers(0, 5) | st.sampled_from([2**63, 2**64 - 1]) | st.integers(0, 2**64 - 1)


@given(st.lists(st.tuples(words, words), min_size=1, max_size=101), st.sampled_from([3, 7, 1 << 16]), st.sampled_from([2, 5]))  # fmt: skip  # noqa: E501
def test_as_a_plain_set_has_them(tmp_path_factory, pairs, rows, share):
    keys = keys_of(pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unique, "ROWS", rows)  # in many pieces
        patch.setattr(unique, "SHARE", share)  # and partitions
        found = duplicates(keys, tmp_path_factory.mktemp("keys"))
    assert found.tolist() == naive(keys)


def test_many_rows_in_many_partitions(tmp_path):
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 700, (600_011, 2)).astype(np.uint64)
    found = duplicates(keys, tmp_path)
    assert found.tolist() == naive(keys)


@pytest.mark.parametrize(("rows", "files"), [(1, 1), (7, 1), (15, 4), (10_000, 128)])
def test_partitions_are_of_like_size_and_of_no_more_than_may_be_open(tmp_path, monkeypatch, rows, files):
    monkeypatch.setattr(unique, "SHARE", 7)
    keys = np.random.default_rng(1).integers(0, 2**64, (rows, 2), dtype=np.uint64)
    paths = parted(keys, tmp_path, np.zeros(rows, np.bool_))
    assert len(paths) == files <= MOST
    sizes = [path.stat().st_size // 24 for path in paths]
    assert sum(sizes) == rows
    assert max(sizes) <= 3 * rows / files + 7


def test_repeated_by_hand():
    records = np.array([[5, 5, 0], [9, 9, 1], [5, 5, 2], [5, 9, 3], [5, 5, 4]], np.uint64)
    assert sorted(repeated(records)) == [2, 4]


def peak(keys: np.ndarray, folder: Path) -> int:
    tracemalloc.start()
    duplicates(keys, folder)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_memory_does_not_grow_with_the_pairs(tmp_path):
    keys = np.random.default_rng(1).integers(0, 2**64, (3_000_000, 2), dtype=np.uint64)
    assert peak(keys, tmp_path) < peak(keys[:600_000], tmp_path) + 4_000_000


def test_memory_does_not_grow_where_all_pairs_are_the_same(tmp_path):
    keys = np.ones((3_000_000, 2), np.uint64)
    assert peak(keys, tmp_path) < peak(keys[:300_000], tmp_path) + 4_000_000
