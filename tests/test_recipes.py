"""Every recipe that ships: what it says, and that its model learns when it is cut short."""

import re

import msgspec
import pytest
import torch

from regard.models.build import build, parameters
from regard.recipe import load, parse, shipped, to_toml
from regard.recipe.tasks import columns_for
from regard.training.strings import Pupil, Task

FOLDER = shipped("base").parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.toml"))
SIZES = ("tiny", "small", "base", "big")
GENERATED = {"reverse": "reverse", "dates": "dates", "numbers": "numbers"}
ON_FILES = {
    "multi30k-en-de": ("translation", "en", "de"),
    "multi30k-en-fr": ("translation", "en", "fr"),
    "tatoeba-fr-en": ("translation", "fr", "en"),
    "tatoeba-en-fr": ("translation", "en", "fr"),
    "tatoeba-en-de": ("translation", "en", "de"),
    "g2p": ("g2p", "en", ""),
    "sentiment": ("classify", "en", ""),
    "lm": ("language", "en", ""),
    "fill": ("fill", "en", ""),
    "movielens": ("ratings", "", ""),
}
WIDE = 1024  # what is as wide is cut to one layer of each kind


def text_of(name):
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def test_the_promised_ones_are_there_and_no_others():
    assert set(NAMES) == {*SIZES, *GENERATED, *ON_FILES}


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_says_what_it_learns(name):
    text = text_of(name)
    assert re.match(r"# .{30,}[.:]", text)
    assert all(len(line) <= 120 for line in text.splitlines())
    recipe = load(shipped(name))
    assert parse(to_toml(recipe)) == recipe


@pytest.mark.parametrize("name", [*GENERATED, *ON_FILES])
def test_a_recipe_shows_its_command(name):
    assert f"#     regard train recipes/{name}.toml " in text_of(name)


@pytest.mark.parametrize("name", SIZES)
def test_a_size_names_no_data(name):
    data = load(shipped(name)).data
    assert (data.train, data.generate, data.about) == ((), "none", "")


@pytest.mark.parametrize(("name", "kind"), GENERATED.items())
def test_generated_data(name, kind):
    data = load(shipped(name)).data
    assert (data.generate, data.about) == (kind, "")
    assert (data.clean, data.placeholders, data.terms) == (False, False, 0)  # a number is shorter than its words


@pytest.mark.parametrize(("name", "says"), ON_FILES.items())
def test_outside_data_is_named_with_where_it_comes_from(name, says):
    recipe = load(shipped(name))
    assert (recipe.task, recipe.source, recipe.target) == says
    assert re.search(r"\w\.(com|org)", recipe.data.about)
    assert "https://" in text_of(name)
    assert recipe.data.folder == "."
    for files in (*recipe.data.train, *recipe.data.valid, *recipe.data.test):
        assert all("/" not in file for file in files.files)
        assert sorted(files.columns) == list(columns_for(recipe.task))


def test_tatoeba_has_english_first():
    columns = {name: load(shipped(name)).data.train[0].columns for name in ON_FILES if name.startswith("tatoeba")}
    assert columns == {"tatoeba-fr-en": (2, 1), "tatoeba-en-fr": (1, 2), "tatoeba-en-de": (1, 2)}


def test_the_captions_are_learnt_by_less_than_three_million_numbers():
    for name in ("multi30k-en-de", "multi30k-en-fr"):
        recipe = load(shipped(name))
        assert parameters(build(recipe.model, recipe.tokens.size, recipe.tokens.size)) < 3e6


@pytest.mark.parametrize("name", [*SIZES, *GENERATED])
def test_a_model_of_pairs_learns_strings(name):
    recipe = load(shipped(name))
    if recipe.model.width >= WIDE:
        recipe = msgspec.structs.replace(
            recipe, model=msgspec.structs.replace(recipe.model, encoder_layers=1, decoder_layers=1)
        )
    training = msgspec.structs.replace(recipe.training, steps=7, batch=29, rate=1e-3, warmup=1)
    pupil = Pupil(msgspec.structs.replace(recipe, training=training), Task(), asked=2)
    losses = [progress.loss for progress in pupil.learn()]
    assert min(losses[1:]) < 0.9 * losses[0]


@pytest.mark.parametrize("name", ON_FILES)
def test_a_model_builds_and_runs(name):
    recipe = load(shipped(name))
    sizes = {"translation": (53, 53), "language": (53,), "fill": (53,)}
    model = build(recipe.model, *sizes.get(recipe.task, (53, 59)))
    ids, lengths = torch.randint(4, 53, (3, 7)), torch.tensor([7, 5, 2])
    given = {"translation": (ids, lengths, ids), "g2p": (ids, lengths, ids), "ratings": (ids[:, 0], ids[:, 1])}
    given["language"] = (torch.empty(3, 0, dtype=torch.long), lengths * 0, ids)
    out = model(*given.get(recipe.task, (ids, lengths)))
    assert out.isfinite().all()


def test_the_sizes_are_as_said():
    tiny, base, big = (load(shipped(name)).model for name in ("tiny", "base", "big"))
    assert (tiny.encoder_layers, tiny.decoder_layers, tiny.width, tiny.inner, tiny.heads) == (4, 4, 128, 256, 4)
    assert (base.encoder_layers, base.decoder_layers, base.width, base.inner, base.heads) == (6, 6, 512, 2048, 8)
    assert (base.key_size, base.norm) == (64, "post")
    assert (big.width, big.inner, big.heads, big.dropout) == (1024, 4096, 16, 0.3)
