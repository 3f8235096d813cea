"""A model that is trained further: it begins with the older one's tokens and weights, or is refused in one line."""

import pytest
from safetensors.torch import load_file

from lessons import MODELS, events, learn, lesson
from regard import folder
from regard.errors import UserError
from regard.recipe import load
from regard.training.older import Older

TRAINING = {"steps": 30, "validate_every": 10, "average": 0.9, "stop_on": "loss"}
STILL = {"steps": 2, "warmup": 1, "validate_every": 1, "rate": 1e-30}


@pytest.fixture(scope="module")
def olders(tmp_path_factory):
    """A model of each task, a little trained."""
    made = {}
    for task in MODELS:
        place = tmp_path_factory.mktemp(task)
        changed = {"tokens": {"size": 83}} if task == "translation" else {}
        learn(lesson(task, place, training=TRAINING, **changed), place / "out")
        made[task] = place / "out"
    return made


@pytest.mark.parametrize("task", [task for task in MODELS if task != "ratings"])
def test_it_begins_where_the_older_one_ended(olders, tmp_path, task):
    older = olders[task]
    learn(lesson(task, tmp_path, training=STILL, start_from=str(older)), tmp_path / "out")
    ours, theirs = folder.open_folder(tmp_path / "out"), folder.open_folder(older)
    for name in ("tokens.model", "target.model", "labels.json"):
        assert (name in ours) == (name in theirs)
        assert name not in ours or ours[name].read_bytes() == theirs[name].read_bytes()
    mine, lent = (load_file(files["weights.safetensors"]) for files in (ours, theirs))
    assert mine.keys() == lent.keys()
    assert all((mine[name] - lent[name]).abs().max() < 1e-6 for name in mine)
    best = min(event["loss"] for event in events(older, "validation"))
    first, *_ = events(tmp_path / "out", "validation")
    assert first["loss"] == pytest.approx(best, rel=1e-5)
    said = [event["text"] for event in events(tmp_path / "out", "note")]
    assert f"starts from {older}: {len(lent)} of {len(lent)} matrices and vectors are its own" in said


def test_its_tokens_are_used_whatever_the_recipe_says_of_them(olders, tmp_path):
    changed = {"tokens": {"kind": "characters", "size": 0}}
    recipe = lesson("translation", tmp_path, training=STILL, start_from=str(olders["translation"]), **changed)
    learn(recipe, tmp_path / "out")
    said = [event["text"] for event in events(tmp_path / "out", "note")]
    assert any(text.startswith("tokens: 8") for text in said)


def test_it_learns_on(olders, tmp_path):
    older = olders["language"]
    recipe = lesson("language", tmp_path, training={**TRAINING, "rate": 1e-3}, start_from=str(older))
    learn(recipe, tmp_path / "out")
    losses = [event["loss"] for event in events(tmp_path / "out", "validation")]
    assert losses[-1] < min(event["loss"] for event in events(older, "validation"))


def test_a_deeper_model_begins_with_what_there_is(olders, tmp_path):
    recipe = lesson("language", tmp_path, training=STILL, start_from=str(olders["language"]), model={"layers": 2})
    learn(recipe, tmp_path / "out")
    lent = load_file(olders["language"] / "weights.safetensors")
    mine = load_file(tmp_path / "out" / "weights.safetensors")
    assert mine.keys() > lent.keys()
    assert all((mine[name] - lent[name]).abs().max() < 1e-6 for name in lent)
    said = [event["text"] for event in events(tmp_path / "out", "note")]
    assert any(text.endswith(f": {len(lent)} of {len(mine)} matrices and vectors are its own") for text in said)


@pytest.mark.parametrize(
    ("task", "changed", "message"),
    [
        (
            "translation",
            {"model": {"width": 16}},
            r"is another kind of model \(\S+ differs\): leave out what the recipe",
        ),
        (
            "translation",
            {"model": {"inner": 29}},
            r"is another kind of model \(\S+feed_forward.inner.\S+ differs\): leave",
        ),
        ("classify", {"start_from": "fill"}, r"is another kind of model \(logits.bias differs\): leave out"),
        ("language", {"start_from": "ratings"}, "is a model for ratings, which has no tokens to lend"),
        (
            "fill",
            {"start_from": "language"},
            "the older model has no symbol for what is to be filled in; train without",
        ),
        (
            "translation",
            {"start_from": "language", "data": {"context": 1}},
            "data.context puts a symbol between sentences, which the older model has not; train without",
        ),
        (
            "translation",
            {"tokens": {"lower": True}},
            "tokens.lower is true, but the older model's is false; say tokens.lower = false",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(olders, tmp_path, task, changed, message):
    older = olders[changed.get("start_from", task)]
    with pytest.raises(UserError, match=message) as caught:
        learn(lesson(task, tmp_path, **{**changed, "start_from": str(older), "training": STILL}), tmp_path / "out")
    assert "\n" not in str(caught.value)


def test_no_model_there(tmp_path):
    with pytest.raises(UserError, match="nowhere"):
        Older(str(tmp_path / "nowhere"))


def test_the_older_recipe_is_read_with_it(olders):
    assert Older(str(olders["g2p"])).recipe == load(olders["g2p"] / "recipe.toml")
