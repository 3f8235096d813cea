"""What is held out shares no source and no target with what is learnt from, however the pairs hang together."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.corpus import split as splitting
from regard.corpus import unique
from regard.corpus.split import CAP, among, choose_held_out, grown, rows_with, split
from regard.errors import InputError


def keys_of(pairs):
    return np.array(pairs, np.uint64).reshape(-1, 2)


def components(keys, dropped):
    """The plain way: rows that hang together by a key, found by spreading out from each."""
    rows = [row for row in range(len(keys)) if not dropped[row]]
    of = {}
    for row in rows:
        for node in ((0, int(keys[row, 0])), (1, int(keys[row, 1]))):
            of.setdefault(node, []).append(row)
    found, seen = [], set()
    for row in rows:
        if row in seen:
            continue
        members, waiting = {row}, [row]
        while waiting:
            one = waiting.pop()
            for node in ((0, int(keys[one, 0])), (1, int(keys[one, 1]))):
                fresh = set(of.pop(node, [])) - members
                members |= fresh
                waiting += fresh
        seen |= members
        found.append(sorted(members))
    return found


def check_no_leak(keys, dropped, valid, test, left):
    """No source and no target is in two of the sets; nothing dropped is in any."""
    train = np.setdiff1d(np.flatnonzero(~dropped), np.concatenate([valid, test, left]))
    for side in (0, 1):
        ours, theirs, learnt = (set(keys[rows, side].tolist()) for rows in (valid, test, train))
        assert not ours & theirs
        assert not (ours | theirs) & learnt
    every = [*valid.tolist(), *test.tolist(), *left.tolist()]
    assert len(every) == len(set(every))
    assert not dropped[every].any()
    return train


@pytest.mark.parametrize(
    ("pairs", "wanted"),
    [
        (0, 0),
        (2, 0),
        (3, 1),
        (19, 1),
        (100, 5),
        (2000, 100),
        (10_000, 100),
        (29_000, 290),
        (10**6, 2000),
        (10**9, 2000),
    ],
)
def test_how_many_are_held_out_by_hand(pairs, wanted):
    assert choose_held_out(pairs) == wanted


def test_by_hand():
    # 0-1-2 hang together, 3-4, then each by itself
    keys = keys_of([(1, 1), (1, 2), (3, 2), (4, 4), (4, 5), (6, 6), (7, 7), (8, 8)])
    dropped = np.zeros(8, np.bool_)
    seen = set()
    for seed in range(50):
        valid, test, left = split(keys, dropped, 2, 1, seed)
        assert len(valid) == 2
        assert len(test) == 1
        check_no_leak(keys, dropped, valid, test, left)
        for rows in (valid, test):
            assert {*rows.tolist(), *left.tolist()} >= {0, 1, 2} or not {0, 1, 2} & {*rows.tolist()}
        seen |= {*valid.tolist(), *test.tolist()}
    assert seen >= {3, 5, 6, 7}


small = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=4, max_size=80)


@given(small, st.data(), st.integers(0, 9))
def test_nothing_leaks(pairs, data, seed):
    keys = keys_of(pairs)
    dropped = np.array(data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs))))
    free = int((~dropped).sum())
    wanted = data.draw(st.integers(0, max(free - 1, 0) // 2)), data.draw(st.integers(0, max(free - 1, 0) // 2))
    if sum(wanted) >= free:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "CAP", data.draw(st.sampled_from([1, 2, 5, 50])))
        patch.setattr(unique, "ROWS", data.draw(st.sampled_from([3, 7, 1 << 16])))
        patch.setattr(splitting, "SEEDS", data.draw(st.sampled_from([1, 5, 20_000])))
        valid, test, left = split(keys, dropped, *wanted, seed)
        cap = splitting.CAP
    check_no_leak(keys, dropped, valid, test, left)
    assert len(valid) <= wanted[0]
    assert len(test) <= wanted[1]
    whole = [one for one in components(keys, dropped) if len(one) <= cap]
    assert {*valid.tolist(), *test.tolist(), *left.tolist()} <= {row for one in whole for row in one}
    if sum(map(len, whole)) >= sum(wanted) + cap:  # there are enough: none is missing
        assert (len(valid), len(test)) == wanted


@given(small, st.sampled_from([2, 5, 50]), st.sampled_from([3, 1 << 16]))
def test_components_are_those_of_the_plain_way(pairs, cap, rows):
    keys, dropped = keys_of(pairs), np.arange(len(pairs)) % 5 == 4
    seeds = [row for row in range(0, len(pairs), 2) if not dropped[row]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "CAP", cap)
        patch.setattr(unique, "ROWS", rows)
        found = sorted(sorted(one) for one in grown(keys, dropped, seeds))
    assert found == sorted(one for one in components(keys, dropped) if len(one) <= cap and set(one) & set(seeds))


def test_a_long_chain_is_followed_to_its_ends():
    chain = [(i // 2, (i + 1) // 2) for i in range(CAP)]  # each row shares one key with the next
    keys = keys_of([*chain, *[(1000 + i, 1000 + i) for i in range(200)]])
    dropped = np.zeros(len(keys), np.bool_)
    (found,) = grown(keys, dropped, [0])
    assert sorted(found) == list(range(CAP))
    longer = keys_of([(i // 2, (i + 1) // 2) for i in range(CAP + 1)])
    assert list(grown(longer, np.zeros(CAP + 1, np.bool_), [0, CAP])) == []


def captions(count, seed=1):
    """Keys as short sentences have them: most come once, some very often on one side, so that half hangs together."""
    rng = np.random.default_rng(seed)
    keys = rng.integers(1000, 2**64, (count, 2), dtype=np.uint64)
    for side in (0, 1):
        often = rng.random(count) < 0.1
        keys[often, side] = (count // 10) ** rng.random(int(often.sum()))
    return keys


def test_a_large_corpus_is_split_as_wanted():
    keys = captions(200_003)
    dropped = np.random.default_rng(2).random(len(keys)) < 0.03
    valid, test, left = split(keys, dropped, 2000, 2000, 1)
    assert (len(valid), len(test)) == (2000, 2000)
    assert len(left) < CAP * 2
    train = check_no_leak(keys, dropped, valid, test, left)
    assert len(train) > 0.95 * len(keys) - 4000
    again = split(keys, dropped, 2000, 2000, 1)
    assert all(np.array_equal(one, other) for one, other in zip((valid, test, left), again, strict=True))
    assert not np.array_equal(valid, split(keys, dropped, 2000, 2000, 2)[0])
    assert (np.diff(valid) > 0).all()


def test_held_out_pairs_are_from_everywhere():
    keys = captions(50_021)
    valid, test, _ = split(keys, np.zeros(len(keys), np.bool_), 1000, 1000, 1)
    for rows in (valid, test):
        tenths = np.bincount(rows * 10 // len(keys), minlength=10)
        assert tenths.min() > 60
        assert tenths.max() < 140


def test_where_all_hangs_together_nothing_is_held_out():
    keys = keys_of([(1, i) for i in range(500)])
    dropped = np.zeros(500, np.bool_)
    assert [rows.tolist() for rows in split(keys, dropped, 10, 10, 1)] == [[], [], []]


def test_more_than_there_is():
    keys, dropped = keys_of([(i, i) for i in range(1000)]), np.arange(1000) >= 900
    with pytest.raises(InputError, match=r"^900 pairs are to be held out of 900; hold out fewer, or give more pairs$"):
        split(keys, dropped, 450, 450, 1)


def test_rows_with_a_foreign_key():
    keys = keys_of([(1, 1), (2, 2), (3, 3), (4, 4)])
    foreign = keys_of([(1, 9), (9, 3), (9, 3), (4, 2)])
    assert rows_with(keys, foreign).tolist() == [0, 1, 2, 3]
    assert rows_with(keys, keys_of([(9, 1), (2, 9)])).tolist() == [0, 1]  # in train's order
    assert rows_with(keys, keys_of([])).tolist() == []
    assert rows_with(keys_of([]), foreign).tolist() == []


@given(st.lists(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_among(keys, wanted):
    found = among(np.array(keys, np.uint64), np.array(sorted(wanted), np.uint64))
    assert found.tolist() == [key in wanted for key in keys]


def test_memory_does_not_grow_with_the_pairs():
    def peak(count):
        keys, dropped = captions(count), np.zeros(count, np.bool_)
        tracemalloc.start()
        split(keys, dropped, 1000, 1000, 1)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(2_000_003) < peak(300_007) + 8_000_000
