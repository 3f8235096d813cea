import torch

from regard.attention.masks import causal, combine, padding, window


def test_padding_hides_what_is_behind_the_end():
    assert padding(torch.tensor([3, 1]), 3).int().tolist() == [[[[1, 1, 1]]], [[[1, 0, 0]]]]


def test_padding_is_nothing_where_nothing_is_filled():
    assert padding(torch.tensor([3, 3]), 3) is None


def test_causal_hides_the_future():
    assert causal(3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_causal_behind_two_others():
    assert causal(3, offset=2).int().tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]


def test_the_newest_query_sees_everything():
    assert causal(1, offset=4) is None


def test_a_window_of_one_neighbour():
    assert window(4, 4, 1).int().tolist() == [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]


def test_a_window_behind_others():
    assert window(1, 5, 2, offset=4).int().tolist() == [[0, 0, 1, 1, 1]]


def test_combine():
    both = combine(None, causal(3), window(3, 3, 1))
    assert both.int().tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert combine(padding(torch.tensor([2, 1]), 2), causal(2)).int().tolist() == [
        [[[1, 0], [1, 1]]],
        [[[1, 0], [1, 0]]],
    ]
    assert combine(None, None) is None
