"""Which recipe the words of `regard train` ask for."""

import os
from pathlib import Path

import msgspec
import pytest

from regard.commands.asked import Asked, recipe_for, seconds
from regard.errors import UserError
from regard.recipe import FilesSpec, load, shipped
from regard.recipe.defaults import for_data
from rows import put, rows

PAIRS = rows("translation")
ENGLISH, FRENCH = ([row[side : side + 1] for row in PAIRS] for side in (0, 1))


def of(*files, **options):
    return recipe_for(Asked(files, **options))


def learnt(recipe):
    """The names of the files that are learnt from, and their columns."""
    return [(tuple(os.path.relpath(name) for name in one.files), one.columns) for one in recipe.data.train]


@pytest.mark.parametrize(
    ("words", "options", "files"),
    [
        ("a.tsv", {}, [(("a.tsv",), (1, 2))]),
        ("a.tsv", {"columns": "2, 1"}, [(("a.tsv",), (2, 1))]),
        ("a.en a.fr", {}, [(("a.en", "a.fr"), (1, 2))]),
        ("a.en a.fr", {"columns": "2,1"}, [(("a.en", "a.fr"), (2, 1))]),
        ("a.tsv b.txt", {}, [(("a.tsv",), (1, 2)), (("b.txt",), (1, 2))]),
        ("a.en c.csv", {}, [(("a.en",), (1, 2)), (("c.csv",), (1, 2))]),
        ("d.txt e.txt", {}, [(("d.txt", "e.txt"), (1, 2))]),
        ("p.en.gz p.fr.gz", {}, [(("p.en.gz", "p.fr.gz"), (1, 2))]),
        ("p.en p.fr", {}, [(("p.en.gz", "p.fr.gz"), (1, 2))]),
        ("a.en a.fr", {"task": "language"}, [(("a.en",), (1,)), (("a.fr",), (1,))]),
        ("a.en a.fr", {"task": "classify"}, [(("a.en", "a.fr"), (1, 2))]),
        ("a.tsv b.txt", {"task": "ratings"}, [(("a.tsv",), (1, 2, 3)), (("b.txt",), (1, 2, 3))]),
    ],
)
def test_data_alone(here, words, options, files):
    put(here / "b.txt", [("",), *PAIRS[:9]])
    put(here / "c.csv", PAIRS[:9])
    put(here / "d.txt", [("a tab\there",), *ENGLISH[:9]])
    put(here / "e.txt", FRENCH[:10])
    put(here / "p.en.gz", ENGLISH[:9])
    put(here / "p.fr.gz", FRENCH[:9])
    recipe = of(*words.split(), **options)
    assert learnt(recipe) == files
    assert all(Path(name).is_absolute() for one in recipe.data.train for name in one.files)
    assert recipe.task == options.get("task", "translation")


def test_what_suits_data_and_what_is_said_besides(here):
    assert of("a.tsv") == for_data("translation", (FilesSpec(files=(str(here / "a.tsv"),)),))
    recipe = of("a.tsv", source="EN-GB", target="fr", preset="small", settings=["model.width=64", "training.steps=7"])
    assert (recipe.source, recipe.target, recipe.model.encoder_layers) == ("en", "fr", 3)
    assert (recipe.model.width, recipe.training.steps) == (64, 7)
    sounds = of("a.tsv", task="g2p", preset="small")
    assert (sounds.tokens.joint, sounds.model.tied) == (False, ("target", "output"))


def test_the_same_files_are_the_same_recipe_from_elsewhere(here, monkeypatch):
    first = of("a.tsv"), of("a.en", "a.fr")
    (here / "sub").mkdir()
    monkeypatch.chdir(here / "sub")
    assert (of("../a.tsv"), of("../a.en", str(here / "a.fr"))) == first


def test_a_recipe_alone(here):
    whole = load("mine.toml")
    assert of("mine.toml") == msgspec.structs.replace(whole, target="en")
    changed = of("mine.toml", task="g2p", source="de", preset="tiny", settings=["seed=3"])
    assert (changed.task, changed.source, changed.target, changed.seed) == ("g2p", "de", "en", 3)
    assert (changed.model.width, changed.data) == (128, whole.data)
    assert of("reverse") == of(str(shipped("reverse"))) == load(shipped("reverse"))
    (here / "reverse").mkdir()  # a model of that name
    assert of("reverse").data.generate == "reverse"


def test_data_beside_a_recipe_stand_for_its_own(here):
    whole = load("mine.toml")
    for words in (["mine.toml", "a.tsv"], ["a.tsv", "mine.toml"]):
        recipe = of(*words)
        assert learnt(recipe) == [(("a.tsv",), (2, 1))]  # columns as the recipe has them
        assert (recipe.data.test, recipe.data.about, recipe.data.longest) == ((), "", 77)
        assert recipe.model == whole.model
    assert learnt(of("mine.toml", "a.tsv", columns="1,2")) == [(("a.tsv",), (1, 2))]
    assert learnt(of("mine.toml", "a.fr", "a.en")) == [(("a.fr", "a.en"), (1, 2))]  # a text has none
    own = of("dates", "a.tsv")
    assert (own.data.generate, learnt(own)) == ("none", [(("a.tsv",), (1, 2))])
    assert learnt(of("base", "a.tsv")) == [(("a.tsv",), (1, 2))]


def test_time_is_read_as_people_write_it():
    given = {"90s": 90, "45": 45, "20m": 1200, "1h30m": 5400, "1h 30m": 5400, "1.5H": 5400}
    assert {time: seconds(time) for time in given} == given
    for wrong in ("soon", "20x", "h", "-5m", "1,5h", "0"):
        with pytest.raises(UserError, match=f"^--time is '{wrong}'; give"):
            seconds(wrong)
