import pytest

from regard.translate.faults import circles, loops, straightened


@pytest.mark.parametrize(
    ("ids", "left"),
    [
        ([], []),
        ([1, 2, 3], [1, 2, 3]),
        ([4, 2] + [0] * 12, [4, 2] + [0] * 12),  # a number
        ([4, 2] + [0] * 13, [4, 2, 0]),
        ([7, *[1, 2] * 6, 9], [7, *[1, 2] * 6, 9]),
        ([7, *[1, 2] * 7, 9], [7, 1, 2]),
        ([1, 2, 3, 4, 5, 6, 7, 8] * 3, [1, 2, 3, 4, 5, 6, 7, 8] * 3),
        ([1, 2, 3, 4, 5, 6, 7, 8] * 4, [1, 2, 3, 4, 5, 6, 7, 8]),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9] * 4, [1, 2, 3, 4, 5, 6, 7, 8, 9] * 4),  # too long to be seen
    ],
)
def test_what_comes_again_and_again(ids, left):
    assert straightened(ids, []) == left
    assert circles(ids, []) == (left != ids)


def test_a_source_may_go_round_in_circles_too():
    assert loops([3] * 17) == 17
    assert not circles([5] * 17, [3] * 17)
    assert straightened([5] * 18, [3] * 17) == [5]
