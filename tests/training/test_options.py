"""What a recipe may say of training beside the usual, each in a whole run: it does what it says, and goes on."""

import math

import pytest
import torch
from safetensors.torch import load_file

from lessons import events, learn, lesson
from regard.training.crew import Learner
from trainings import outcome


def weights(out):
    return load_file(out / "weights.safetensors")


@pytest.mark.parametrize("task", ["translation", "classify"])
def test_accumulated_batches_are_a_batch_so_many_times_as_large(tmp_path, task):
    for name, training in (("small", {"batch": 61, "accumulate": 3}), ("large", {"batch": 183})):
        learn(lesson(task, tmp_path, training={**training, "steps": 10}), tmp_path / name)
    small, large = (
        [(event["loss"], event["norm"], event["tokens"]) for event in events(tmp_path / name, "step")]
        for name in ("small", "large")
    )
    assert small == large
    assert small[-1][2] > 10 * 61 * 2 or task == "classify"
    one, other = weights(tmp_path / "small"), weights(tmp_path / "large")
    assert all(torch.equal(one[name], other[name]) for name in one)


OPTIONS = {
    "r-drop": {"training": {"r_drop": 1.0}},
    "guided": {"training": {"guided": 0.3}},
    "layer dropout": {"model": {"layer_dropout": 0.5}},
    "word dropout": {"model": {"word_dropout": 0.3}},
    "sampling": {"tokens": {"sampling": 0.3}},
    "weight decay": {"training": {"decay": 0.1}},
    "noam": {"training": {"schedule": "noam", "rate": 0.1}},
    "cosine": {"training": {"schedule": "cosine"}},
    "bfloat16": {"training": {"precision": "bfloat16"}},
    "all": {
        "training": {"r_drop": 1.0, "guided": 0.3, "accumulate": 2, "decay": 0.1},
        "model": {"layer_dropout": 0.5, "word_dropout": 0.3, "attention_dropout": 0.1, "inner_dropout": 0.1},
        "tokens": {"sampling": 0.3},
        "data": {"context": 1},
    },
}


class Cut(BaseException):
    """Ends a training as if it were killed, as far as one process can."""


def test_with_all_of_them_it_goes_on_as_if_nothing_had_happened(tmp_path, monkeypatch):
    tables = OPTIONS["all"]
    training = {**tables["training"], "average": 0.9, "save_every": 10, "validate_every": 20}
    recipe = lesson("translation", tmp_path, **{**tables, "training": training})
    learn(recipe, tmp_path / "whole")
    learnt = Learner.learn

    def cut_at_13(learner, step, pieces):
        if step == 13:
            raise Cut
        return learnt(learner, step, pieces)

    monkeypatch.setattr(Learner, "learn", cut_at_13)
    with pytest.raises(Cut):
        learn(recipe, tmp_path / "cut")
    monkeypatch.undo()
    learn(recipe, tmp_path / "cut")
    assert outcome(tmp_path / "cut") == outcome(tmp_path / "whole")


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    place = tmp_path_factory.mktemp("usual")
    learn(lesson("translation", place, training={"validate_every": 20}), place / "out")
    return events(place / "out", "step")


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_changes_what_is_learnt_and_it_is_learnt(usual, tmp_path, option):
    tables = OPTIONS[option]
    recipe = lesson(
        "translation", tmp_path, **{**tables, "training": {"validate_every": 20, **tables.get("training", {})}}
    )
    learn(recipe, tmp_path / "out", precision=recipe.training.precision)
    steps = events(tmp_path / "out", "step")
    assert [event["step"] for event in steps] == [10, 20]
    assert all(math.isfinite(event["loss"]) for event in steps)
    assert steps[1]["loss"] < steps[0]["loss"]
    assert steps[1]["loss"] != usual[1]["loss"]
