from collections import Counter
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.corpus import batches
from regard.corpus.batches import Position, Stream, cut, in_batches, make_batch, padding, piece_ends, steps
from regard.errors import InputError
from regard.text.symbols import PAD


def test_by_hand():
    # BOS 2 opens what is given, EOS 3 closes source and wanted, PAD 1 fills up
    batch = make_batch([([5, 6], [7]), ([8], [9, 10])])
    assert batch.source.tolist() == [[5, 6, 3], [8, 3, 1]]
    assert batch.lengths.tolist() == [3, 2]
    assert batch.given.tolist() == [[2, 7, 1], [2, 9, 10]]
    assert batch.wanted.tolist() == [[7, 3, 1], [9, 10, 3]]


ids = st.lists(st.integers(4, 99), max_size=7)


@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=17), st.integers(1, 20))
def test_no_pair_is_lost(pairs, size):
    seen = []
    for batch in in_batches(pairs, size):
        tokens = [int(row.sum()) for row in batch.wanted != PAD]
        assert sum(tokens[:-1]) < size  # without its last pair a batch was not full
        for source, length, wanted in zip(batch.source, batch.lengths, batch.wanted, strict=True):
            seen.append((source[: length - 1].tolist(), [i for i in wanted.tolist() if i > 3]))
    assert seen == pairs


def test_an_empty_batch():
    with pytest.raises(InputError, match="an empty batch; give at least one sentence"):
        make_batch([])


# Pieces.


def lengths_of(pairs):
    return np.array(pairs, np.int32).reshape(-1, 2)


def captions(count, seed=1):
    """Lengths as captions have them: 13 tokens or so on either side, the one like the other."""
    rng = np.random.default_rng(seed)
    target = np.clip(rng.gamma(9, 1.5, count), 3, 45)
    source = np.clip(target * rng.normal(1, 0.15, count), 2, 60)
    return np.stack([source, target], 1).round().astype(np.int32)


def sentences(count, seed=1):
    """Lengths as text has them: a log-normal distribution, Multi30k's mean and deviation (1.7 % are filled there)."""
    rng = np.random.default_rng(seed)
    target = rng.lognormal(np.log(13), 0.36, count)
    source = target * rng.lognormal(0, 0.15, count)
    return np.stack([source, target], 1).round().clip(1).astype(np.int32)


def tokens_of(rows, lengths):
    """Target tokens, EOS counted."""
    return int((lengths[rows, 1] + 1).sum())


def test_where_a_piece_ends_by_hand():
    # at most 10 target tokens; with the longest source filled up, at most 20 source tokens
    assert piece_ends(np.array([3, 3, 3, 3]), np.array([5, 5, 1, 9]), 10) == [2, 4]
    assert piece_ends(np.array([5, 5, 5, 5, 5]), np.array([1] * 5), 10) == [4, 5]
    assert piece_ends(np.array([2, 11, 2]), np.array([1] * 3), 10) == [1, 2, 3]
    assert piece_ends(np.array([99, 1, 1]), np.array([99, 1, 1]), 10) == [1, 3]  # too long for any piece: alone


def test_padding_by_hand():
    lengths = lengths_of([(2, 3), (4, 3), (1, 1)])  # with EOS 3 and 4, 5 and 4, 2 and 2
    assert padding([np.array([0, 1])], lengths) == 1 - 16 / 18
    assert padding([np.array([0]), np.array([1]), np.array([2])], lengths) == 0
    assert padding([], lengths) == 0


sizes = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=101).map(lengths_of)


@given(sizes, st.integers(1, 97), st.integers(0, 3))
def test_every_row_is_in_one_piece_and_no_piece_holds_too_much(lengths, tokens, seed):
    rows = np.arange(len(lengths))[::-2]
    pieces = cut(lengths, rows, tokens, np.random.default_rng(seed))
    assert sorted(np.concatenate(pieces)) == sorted(rows)
    for piece in pieces:
        assert len(piece) == 1 or tokens_of(piece, lengths) <= tokens
        assert len(piece) == 1 or (lengths[piece, 0] + 1).max() * len(piece) <= 2 * tokens


@pytest.mark.parametrize("drawn", [captions, sentences])
@pytest.mark.parametrize(("pairs", "tokens"), [(5003, 256), (29_009, 1024), (200_003, 4096)])
def test_next_to_nothing_is_filled_up(drawn, pairs, tokens):
    lengths = drawn(pairs)
    pieces = cut(lengths, np.arange(pairs), tokens, np.random.default_rng(1))
    assert padding(pieces, lengths) < 0.02
    at_random = np.array_split(np.random.default_rng(1).permutation(pairs), len(pieces))
    assert padding(at_random, lengths) > 0.3


@given(sizes, st.integers(1, 97), st.integers(1, 300))
def test_steps_hold_every_piece_once_and_none_is_empty(lengths, tokens, batch):
    pieces = cut(lengths, np.arange(len(lengths)), tokens, np.random.default_rng(1))
    made = steps(pieces, lengths, batch)
    assert [piece.tolist() for step in made for piece in step] == [piece.tolist() for piece in pieces]
    assert all(made)


@pytest.mark.parametrize("piece", [256, 1024, 4096])
def test_steps_are_about_as_large_as_they_should_be(piece):
    lengths = captions(29_009)
    made = steps(cut(lengths, np.arange(29_009), piece, np.random.default_rng(1)), lengths, 4096)
    held = [sum(tokens_of(rows, lengths) for rows in step) for step in made]
    assert abs(np.mean(held) - 4096) < 41
    assert 4055 - piece < min(held) <= max(held) < 4137 + piece  # half a piece more or less at each end


def test_a_small_piece_is_no_step_by_hand():
    lengths = lengths_of([(3, size - 1) for size in (10, 2, 10, 10, 10)])
    made = steps([np.array([row]) for row in range(5)], lengths, 10)
    assert [[row.item() for row in step] for step in made] == [[0], [1, 2], [3], [4]]


# The stream.


def drawn(stream, count):
    return [[piece.tolist() for piece in step] for step in islice(stream, count)]


def flat(made):
    return [row for step in made for piece in step for row in piece]


def test_what_comes_is_a_function_of_seed_and_position_alone():
    lengths = captions(997)
    for weights in (None, np.random.default_rng(3).uniform(0, 3, 997).astype(np.float32)):
        whole = drawn(Stream(lengths, weights, 7, 700, 200), 61)
        assert whole == drawn(Stream(lengths, weights, 7, 700, 200), 61)
        assert whole != drawn(Stream(lengths, weights, 8, 700, 200), 61)
        stream = Stream(lengths, weights, 7, 700, 200)
        at = 0
        for i in (0, 1, 20, 23):
            assert drawn(stream, i) == whole[at : at + i]
            at += i
            again = Stream(lengths, weights, 7, 700, 200, at=stream.at)
            assert drawn(again, 17) == whole[at : at + 17]


def test_every_pair_comes_once_an_epoch():
    lengths = captions(997)
    stream = Stream(lengths, None, 1, 700, 200)
    epochs = []
    for epoch in range(3):
        assert stream.epoch == epoch
        epochs.append(drawn(stream, len(stream.now) - stream.at.step))
        assert sorted(flat(epochs[-1])) == list(range(997))
        stream.now = stream.block(epoch + 1)  # what next() does when it is asked again
        stream.at = Position(epoch + 1, 0)
    assert epochs[0] != epochs[1] != epochs[2]


def test_the_epoch_is_that_of_the_last_step_given():
    stream = Stream(captions(101), None, 1, 10_000, 500)
    assert [(len(next(stream)) > 0, stream.epoch) for _ in range(4)] == [(True, 0), (True, 1), (True, 2), (True, 3)]


def test_a_large_epoch_comes_in_blocks(monkeypatch):
    monkeypatch.setattr(batches, "BLOCK", 100)
    stream = Stream(captions(307), None, 1, 300, 100)
    rows: list[int] = []
    while stream.epoch == 0:
        now = next(stream)
        if stream.epoch == 0:
            rows += [row for piece in now for row in piece.tolist()]
    assert stream.blocks == 4
    assert sorted(rows) == list(range(307))
    assert stream.at == Position(4, 1)


def test_weights_are_honoured():
    weights = np.array([0.25, 1, 2.5, 0] * 50, np.float32)
    stream = Stream(captions(200), weights, 1, 1000, 200)
    epochs = 40
    counts: Counter[int] = Counter()
    for number in range(epochs):
        once = Counter(flat([[piece.tolist() for piece in step] for step in stream.block(number)]))
        assert {once[row] for row in range(1, 200, 4)} == {1}
        assert {once[row] for row in range(2, 200, 4)} == {2, 3}  # drawn anew each epoch
        assert {once[row] for row in range(3, 200, 4)} == {0}
        counts += once
    share = sum(counts[row] for row in range(0, 200, 4)) / 50 / epochs
    assert abs(share - 0.25) < 0.04  # three standard errors of 2,000 draws
    assert abs(sum(counts[row] for row in range(2, 200, 4)) / 50 / epochs - 2.5) < 0.04


def test_a_block_of_which_nothing_is_drawn_is_passed_over():
    weights = np.array([0.01], np.float32)
    stream = Stream(lengths_of([(3, 3)]), weights, 1, 10, 10)
    assert [piece.tolist() for piece in next(stream)] == [[0]]
    assert stream.at.block > 0
