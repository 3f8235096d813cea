"""Axes: where values lie, and that what is written beside them is round."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.training.card.axes import label, of_steps, of_values, stride


def test_places_by_hand():
    axis = of_values([8.9, 2.0], 5)
    assert axis.ticks == {2: "2", 4: "4", 6: "6", 8: "8", 10: "10"}
    assert [axis.at(value) for value in (2, 4, 10)] == [0, 0.25, 1]
    axis = of_values([10, 0.1, 3], 5, wide=20)
    assert axis.logarithmic
    assert axis.ticks == {0.1: "0.1", 0.2: "0.2", 0.5: "0.5", 1: "1", 2: "2", 5: "5", 10: "10"}
    assert [axis.at(value) for value in (0.1, 1, 10)] == pytest.approx([0, 0.5, 1])


def test_many_powers_of_ten():
    axis = of_values([3.6, 0.00002], 5, wide=20)
    assert (axis.low, axis.high) == (0.00002, 5)
    assert list(axis.ticks.values()) == ["0.0001", "0.001", "0.01", "0.1", "1"]
    assert list(of_values([1e-12, 3], 5, wide=20).ticks.values()) == ["1e-12", "1e-09", "0.000001", "0.001", "1"]


def test_only_what_is_wide_and_above_nothing_is_logarithmic():
    assert not of_values([1, 19.9], 5, wide=20).logarithmic
    assert of_values([1, 20], 5, wide=20).logarithmic
    assert not of_values([0, 20], 5, wide=20).logarithmic
    assert not of_values([1, 20], 5).logarithmic


def test_values_that_are_all_the_same():
    assert of_values([0, 0], 5).ticks.keys() >= {0, 1}
    for value in (100, 3.125, 1e-5):
        axis = of_values([value], 5)
        assert axis.low < value <= axis.high
        assert len(axis.ticks) >= 3


def test_steps():
    assert of_steps(700, 8).ticks == {0: "0", **{step: str(step) for step in range(100, 701, 100)}}
    assert list(of_steps(15_000, 8).ticks)[-2:] == [12_000, 14_000]
    assert of_steps(15_000, 8).ticks[2000] == "2,000"
    assert of_steps(15_000, 8).high == 15_000
    assert of_steps(1, 8).ticks == {0: "0", 1: "1"}


def test_labels():
    assert [label(value, 0.05) for value in (0.9, 0.95)] == ["0.90", "0.95"]
    assert label(12_500, 500) == "12,500"


@given(st.floats(1e-9, 1e9))
def test_strides_are_round_and_not_less(least):
    found = stride(least)
    assert least <= found <= 2.5000001 * least
    assert f"{found:e}"[0] in "125"


@given(st.lists(st.floats(0, 1e9, allow_subnormal=False), min_size=1), st.sampled_from([20, math.inf]))
def test_every_value_lies_on_its_axis(values, wide):
    axis = of_values(values, 5, wide)
    assert all(-1e-6 <= axis.at(value) <= 1 + 1e-6 for value in values)
    assert 1 <= len(axis.ticks) <= 10
    assert all(-1e-6 <= axis.at(tick) <= 1 + 1e-6 for tick in axis.ticks)
