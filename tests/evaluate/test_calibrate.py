import numpy as np
import pytest

from regard.evaluate.calibrate import Curve, fitted


def test_a_known_curve_is_found():
    curve = Curve(1.7, 2.3)
    scores = np.linspace(-4, 0, 101)
    found = fitted(scores.tolist(), [curve.at(score) for score in scores])
    assert found == pytest.approx(curve, abs=0.02)
    assert curve.at(-2.3 / 1.7) == pytest.approx(0.5)


def test_the_mean_is_the_mean():
    rng = np.random.default_rng(1)
    scores, qualities = rng.normal(-1, 0.5, 499), rng.random(499)
    found = fitted(scores.tolist(), qualities.tolist())
    assert np.mean([found.at(score) for score in scores]) == pytest.approx(qualities.mean(), abs=1e-3)
    assert abs(found.slope) < 0.3  # nothing is to be seen in noise


@pytest.mark.parametrize("quality", [0.0, 0.4, 1.0])
def test_where_all_are_alike_it_stays_finite(quality):
    found = fitted([-1.0] * 7, [quality] * 7)
    assert found.at(-1.0) == pytest.approx(quality, abs=0.05)
