import pytest

from regard.translate.faults import circles, loops, straightened


@pytest.mark.parametrize(
    ("ids", "most", "left"),
    [
        ([], 1, []),
        ([1, 2, 3], 1, [1, 2, 3]),
        ([5, 5, 5], 3, [5, 5, 5]),
        ([7, 5, 5, 5, 5], 4, [7, 5]),
        ([7, 1, 2, 1, 2, 1, 2, 1, 2, 9], 4, [7, 1, 2]),
        ([1, 2, 3, 4, 5, 6, 7, 8] * 4, 4, [1, 2, 3, 4, 5, 6, 7, 8]),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9] * 4, 1, [1, 2, 3, 4, 5, 6, 7, 8, 9] * 4),  # too long to be seen
    ],
)
def test_what_comes_again_and_again(ids, most, left):
    assert loops(ids) == most
    assert straightened(ids, []) == left
    assert circles(ids, []) == (left != ids)


def test_a_source_may_go_round_in_circles_too():
    assert not circles([5] * 7, [3] * 7)
    assert circles([5] * 8, [3] * 7)
    assert straightened([5] * 8, [3] * 7) == [5]
