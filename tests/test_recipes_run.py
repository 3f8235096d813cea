"""Every recipe that names or makes its data, run to its end: cut short, small, on data of the same form."""

import json
import re

import pytest

import regard
from regard.recipe import load, ships
from regard.recipe.set import overridden
from regard.training.exam import JUDGED_BY
from regard.training.run import train
from rows import put, rows, small

RECIPES = {name: load(path) for name, path in ships().items()}
WITH_DATA = [name for name, recipe in RECIPES.items() if recipe.data.train or recipe.data.generate != "none"]
ANSWERS = {"language": r"The .+", "fill": r"The [^_]+", "classify": "[01]", "ratings": r"[1-5]\.\d{4}"}
COUNTS = {"train": 61, "valid": 7, "test": 5}  # pairs


def put_data(recipe, folder):
    """The files that a recipe names, each as its name and its columns say."""
    given = iter(rows(recipe.task, recipe.source, recipe.target))
    for part, count in COUNTS.items():
        for files in getattr(recipe.data, part):
            some = [next(given) for _ in range(count)]
            if len(files.files) == 2:
                for side, name in enumerate(files.files):
                    put(folder / name, [row[side : side + 1] for row in some])
            else:
                order = [files.columns.index(column) for column in sorted(files.columns)]
                put(folder / files.files[0], [(*(row[i] for i in order), "CC BY") for row in some])


def question(recipe):
    """What a model of the recipe can be asked."""
    if recipe.data.generate != "none":
        return "three"
    first, *others = rows(recipe.task, recipe.source, recipe.target)[0]
    if recipe.task == "fill":
        return first.replace("cat", "___")
    return f"{first}\t{others[0]}" if recipe.task == "ratings" else first


def test_there_are_many():
    assert len(WITH_DATA) >= 13


@pytest.mark.parametrize("name", WITH_DATA)
def test_a_recipe_runs(name, tmp_path, monkeypatch):
    monkeypatch.setattr("regard.training.measure.SECONDS", 0)  # how fast it is does not matter here
    whole, data = RECIPES[name], tmp_path / "data"
    changed = ["data.pairs=61", "data.held_out=5", f"data.folder={data.as_posix()}", *small(whole.model)]
    recipe = overridden(whole, changed)
    if recipe.data.train:
        data.mkdir()
        put_data(recipe, data)
    train(recipe, tmp_path / "out")
    scored = json.loads((tmp_path / "out" / "scores.json").read_bytes())
    assert list(scored) == ["valid", "test"]
    assert all(3 <= exam["n"] <= 7 and JUDGED_BY[recipe.task] in exam["scores"] for exam in scored.values())
    model = regard.load(tmp_path / "out")
    assert (model.task, model.source, model.target) == (whole.task, whole.source, whole.target)
    assert model.recipe == recipe
    (answer,) = model.predict([question(recipe)])
    assert re.fullmatch(ANSWERS.get(recipe.task, ".*"), answer)
