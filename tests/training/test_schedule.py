from itertools import pairwise

import pytest

from regard.training.schedule import cosine, inverse_square_root


def test_up_in_a_line_and_down_with_the_root():
    shares = [inverse_square_root(step, 4, 100) for step in (1, 2, 4, 16, 64)]
    assert shares == pytest.approx([0.25, 0.5, 1, 0.5, 0.25])


def test_up_in_a_line_and_down_half_a_cosine():
    # warm-up 4, 10 steps: from step 4 (1) to step 11 (0, never taken); half way, at 7.5, it is 1/2
    shares = [cosine(step, 4, 10) for step in range(1, 12)]
    assert shares[:4] == pytest.approx([0.25, 0.5, 0.75, 1])
    assert shares[6] + shares[7] == pytest.approx(1)
    assert all(one > other for one, other in pairwise(shares[3:]))
    assert shares[10] == pytest.approx(0)
