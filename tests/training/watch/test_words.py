"""Figures, durations and texts as a terminal is told them."""

import pytest

from regard.training.watch.words import clean, duration, figure, left, size, sparkline, subject, values


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"), (-3, "0 s"), (99.4, "99 s"), (99.6, "2 min"), (3569, "59 min"), (3570, "1 h 00 min"),
        (7500, "2 h 05 min"), (360_000, "100 h 00 min"),
    ],
)  # fmt: skip
def test_durations(seconds, said):
    assert duration(seconds) == said


def test_what_a_terminal_might_obey_is_blanked():
    assert clean("a\x1b[2Jb\r\nc\td\x85e\x9bf\u2028g") == "a [2Jb  c d e f g"
    assert clean("\u202eright\u200b to left\ufeff") == "right to left"
    assert clean("été 中文 \u00a0😀") == "été 中文  😀"


def test_what_is_learnt():
    assert subject({"task": "translation", "from": "en", "to": "de"}) == "English to German"
    assert subject({"task": "translation", "from": "en", "to": ""}) == "translation"
    assert subject({"task": "g2p", "from": "en", "to": ""}) == "g2p of English"
    assert subject({"task": "ratings", "from": "", "to": ""}) == "ratings"


def test_figures():
    assert [figure(name, 93.45678) for name in ("bleu", "wer", "accuracy", "rmse")] == [
        "93.46", "93.46 %", "93.46 %", "93.4568",
    ]  # fmt: skip
    assert (size(119_104), size(2_612_736)) == ("119,104", "2.6 million")
    assert values({"bleu": {"value": 3, "signature": "x"}, "chrf": 4}) == {"bleu": 3.0, "chrf": 4.0}


def test_time_left():
    event = {"step": 100, "of": 700, "seconds": 50.0}
    assert left(event, 0) == 300  # half a second a step, 600 more
    assert left(event, 1200) == 1150  # the clock was planned
    assert left({**event, "step": 700}, 0) == 0


def test_sparklines():
    assert sparkline([], 5) == ""
    assert sparkline([3.0], 5) == "▁"
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8) == "▁▂▃▄▅▆▇█"
    assert sparkline([0, 0, 7, 7, 14, 14], 3) == "▁▅█"  # means of pairs; the middle, 3.5 of 7 bars, is the even one
    assert sparkline([2.0] * 100, 7) == "▁" * 7
