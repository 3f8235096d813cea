"""How many steps there will be, and what `--dry-run` says of them."""

import signal
import tempfile

import pytest

from regard.training import measure, plan
from regard.training.exam import Exam
from regard.training.plan import FIRST_LOOK, Plan, rehearsed, replanned
from trainings import Watch, small


@pytest.mark.parametrize(
    ("step", "seconds", "speed", "steps"),
    [
        (20, 2.0, 10.0, 1000),
        (20, 51.5, 10.0, 500),  # 48.5 s are left; that it began so slowly does not count again
        (20, 3.0, 6.67, 660),  # 97 s are left, 647 steps: whole tens of them
        (2, 60.0, 0.1, 6),  # not so many
        (500, 99.5, 5.0, 502),
        (510, 103.0, 5.0, 510),  # the time is up
    ],
)
def test_a_run_by_the_clock_is_planned_to_end_then(step, seconds, speed, steps):
    assert replanned(100, step, seconds, speed) == steps


def test_the_first_look_is_at_a_step_that_is_logged():
    assert FIRST_LOOK % plan.ROUND == 0


def test_the_lines():
    made = Plan(
        pairs=1013, parameters=23_456_789, vocabulary=(53, 59), settings="float32 on cpu", steps=7000, epochs=12.34,
        seconds=3700.0, tokens_per_second=4321.5, memory=3 * 2**30, disk=5 * 2**20,
    )  # fmt: skip
    assert made.lines() == [
        "learns from  1,013 pairs, 12.3 times in 7,000 steps",
        "model        23.5 million numbers, 53 and 59 tokens",
        "computes in  float32 on cpu",
        "speed        4,322 target tokens/s",
        "time         1 h 02 min, and what its validations take",
        "memory       3,072 MiB",
        "disk         5 MiB while it trains",
    ]
    lines = made._replace(vocabulary=(53, 53), memory=0).lines()
    assert lines[1] == "model        23.5 million numbers, 53 tokens"
    assert lines[5] == "memory       unknown here"
    assert made._replace(vocabulary=()).lines()[1] == "model        23.5 million numbers"


def test_a_dry_run_trains_a_little_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "SECONDS", 0.0)
    monkeypatch.setattr(plan, "TIMED", 0.0)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    seen = Watch()
    made = rehearsed(small(tmp_path), "", [seen])
    assert (made.pairs, made.parameters, made.vocabulary, made.steps) == (304, 9572, (53, 53), 50)
    assert made.settings == "float32 on cpu, 1 x 97 tokens at once"
    assert 2 < made.epochs < 3
    assert made.disk > 10 * 4 * 9572
    assert seen.notes
    assert list((tmp_path / "temporary").glob("regard-*")) == []


def test_its_memory_is_that_of_a_checkpoint_and_a_validation_too(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "SECONDS", 0.0)
    monkeypatch.setattr(plan, "TIMED", 0.0)
    take, order = Exam.take, []
    monkeypatch.setattr(Exam, "take", lambda *given: order.append("validation") or take(*given))
    monkeypatch.setattr(plan.checkpoint, "save", lambda place, step, tensors, facts: order.append(sorted(tensors)[0]))
    monkeypatch.setattr(plan, "memory", lambda: order.append("memory") or 101 * len(order))
    assert rehearsed(small(tmp_path), "", []).memory == 404
    assert order == ["memory", "average", "validation", "memory"]


def test_a_dry_run_that_is_ended_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with pytest.raises(SystemExit) as left:
        rehearsed(small(tmp_path), "", [Watch(lambda _: signal.raise_signal(signal.SIGTERM))])
    assert left.value.code == 143
    assert list((tmp_path / "temporary").glob("regard-*")) == []
