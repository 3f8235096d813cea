from itertools import pairwise

import pytest

from regard.recipe import TrainingSpec
from regard.training.schedule import cosine, inverse_square_root, rate_at


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


def test_noam_is_the_papers_formula():
    # rate * width^-0.5 * min(step^-0.5, step * warmup^-1.5) (2017, equation 3)
    spec = TrainingSpec(schedule="noam", rate=2.0, warmup=400, steps=1000)
    for step in (1, 37, 399, 400, 401, 1000):
        wanted = 2.0 * 512**-0.5 * min(step**-0.5, step * 400**-1.5)
        assert rate_at(step, spec, 1000, 512) == pytest.approx(wanted)


@pytest.mark.parametrize("schedule", ["inverse_square_root", "cosine"])
def test_the_others_know_no_width_and_their_highest_is_the_rate(schedule):
    spec = TrainingSpec(schedule=schedule, rate=3e-3, warmup=7, steps=101)
    rates = [rate_at(step, spec, 101, 512) for step in range(1, 102)]
    assert rates == [rate_at(step, spec, 101, 64) for step in range(1, 102)]
    assert rates[6] == max(rates) == 3e-3
    assert rates[0] == pytest.approx(3e-3 / 7)
    assert all(one < other for one, other in pairwise(rates[:7]))
    assert all(one > other > 0 for one, other in pairwise(rates[6:]))


@pytest.mark.parametrize("steps", [7, 170, 350, 1000, 5000])
def test_by_the_clock_it_rises_as_the_recipe_says_and_falls_in_time(steps):
    spec = TrainingSpec(schedule="cosine", rate=1.0, warmup=300, steps=4000, seconds=60)
    rates = [rate_at(step, spec, steps, 16) for step in range(1, steps + 1)]
    assert all(rate <= step / 300 for step, rate in enumerate(rates, 1))
    assert rates[0] == rate_at(1, spec, 4000, 16) == 1 / 300  # before it has a plan, and with one
    assert rates[-1] < 0.03
    assert rates.index(max(rates)) + 1 == 300 or steps < 3000


@pytest.mark.parametrize("schedule", ["noam", "inverse_square_root"])
def test_by_the_clock_the_others_are_as_without(schedule):
    spec, clock = (TrainingSpec(schedule=schedule, warmup=30, steps=100, seconds=seconds) for seconds in (0, 60))
    for step in (1, 29, 30, 77):
        assert rate_at(step, spec, 100, 16) == rate_at(step, clock, 50, 16)


def test_by_the_clock_half_a_cosine_ends_with_the_plan():
    spec = TrainingSpec(schedule="cosine", rate=1.0, warmup=10, steps=1000, seconds=60)
    for steps in (40, 230, 4000):
        assert rate_at(steps, spec, steps, 16) < 0.01
        assert rate_at(steps // 2, spec, steps, 16) > 0.4
    # the plan may grow shorter on the way: never a rate below nothing, nor one that rises again
    assert rate_at(250, spec, 230, 16) == pytest.approx(0)
