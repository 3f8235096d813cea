import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.corpus.batches import in_batches, make_batch
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
