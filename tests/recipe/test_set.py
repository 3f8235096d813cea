"""Settings over a recipe, another task, another kind of model, a preset."""

import re

import pytest

from regard.errors import RecipeError
from regard.recipe import ClassifySpec, LanguageSpec, RecurrentSpec, load, parse, shipped
from regard.recipe.set import PRESETS, overridden, with_preset

TEXT = """
source = "en"
[[data.train]]
files = ["a.tsv"]
[[data.valid]]
files = ["b.tsv"]
columns = [3, 1]
[model]
width = 28
heads = 7
dropout = 0.3
encoder_layers = 3
decoder_layers = 5
[training]
steps = 700
warmup = 70
"""


def test_single_keys():
    recipe = overridden(parse(TEXT), ["training.rate=2e-3", "model.width=14", "seed = 5", "tokens.kind=bpe"])
    assert (recipe.training.rate, recipe.model.width, recipe.seed, recipe.tokens.kind) == (0.002, 14, 5, "bpe")
    assert (recipe.model.heads, recipe.training.steps, recipe.source) == (7, 700, "en")


def test_nothing_set_changes_nothing():
    assert overridden(parse(TEXT), []) == parse(TEXT)


@pytest.mark.parametrize(
    ("setting", "read"),
    [
        ("data.folder=C:\\data", "C:\\data"),  # no TOML: as it stands
        ("data.folder='C:\\data'", "C:\\data"),
        ('data.folder="a b"', "a b"),
        ("data.folder=2024", "2024"),  # a text where one is wanted
        ("data.folder=a=b", "a=b"),
        ("data.folder=", ""),
        ("data.clean=false", False),
        ("data.generate=dates", "dates"),
        ("data.ratio=3", 3.0),
    ],
)
def test_values_are_tomls_or_words(setting, read):
    key = setting.partition("=")[0].removeprefix("data.")
    assert getattr(overridden(load(shipped("base")), [setting]).data, key) == read


def test_lists_and_tables_are_tomls():
    recipe = overridden(parse(TEXT), ["model.tied=[]", 'data.train=[{files = ["x.en", "x.fr"], weight = 0.5}]'])
    assert recipe.model.tied == ()
    assert [(files.files, files.columns, files.weight) for files in recipe.data.train] == [
        (("x.en", "x.fr"), (1, 2), 0.5)
    ]


@pytest.mark.parametrize(
    "settings", [["model.kind=recurrent", "model.state=10"], ["model.state=10", "model.kind=recurrent"]]
)
def test_another_kind_keeps_the_keys_that_it_has(settings):
    model = overridden(parse(TEXT), settings).model
    assert model == RecurrentSpec(width=28, dropout=0.3, state=10, tied=("source", "target", "output"))


def test_a_stack_that_is_alone_is_as_high_as_the_encoder():
    recipe = overridden(parse(TEXT), ["task=classify"])
    assert isinstance(recipe.model, ClassifySpec)
    assert (recipe.model.layers, recipe.model.width) == (3, 28)


def test_another_task_brings_its_kind_and_columns():
    recipe = overridden(parse(TEXT), ["task=language", "data.valid=[]"])
    assert isinstance(recipe.model, LanguageSpec)
    assert recipe.model.tied is True  # not the Transformer's three
    assert recipe.data.train[0].columns == (1,)
    with pytest.raises(RecipeError, match=re.escape("columns is [3, 1]; ratings takes 3: where user and item and")):
        overridden(parse(TEXT), ["task=ratings"])


def test_a_warmup_shrinks_with_the_steps():
    steps = ["training.steps=20"]
    assert overridden(parse(TEXT), steps).training.warmup == 2
    assert overridden(parse(TEXT), ["training.steps=300"]).training.warmup == 70
    with pytest.raises(RecipeError, match="warmup is 30 steps, but there are 20 in all"):
        overridden(parse(TEXT), [*steps, "training.warmup=30"])


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("rate=3", "--set rate: there is no such key (did you mean 'training.rate'?)"),
        ("training.stps=3", "--set training.stps: there is no such key (did you mean 'training.steps'?)"),
        ("model.state=3", "--set model.state: there is no such key"),
        ("model=3", "--set model: there is no such key; set one in it, such as model."),
        ("xyz=3", "--set xyz: there is no such key; see the recipes for what there is"),
        ("training.rate", "--set 'training.rate' has no value; say key=value, such as training.rate=1e-3"),
        ("training.rate=fast", "training.rate is 'fast'; it must be a number above 0"),
        ("training.rate=nan", "training.rate is nan; it must be a number above 0"),
        ("model.kind=lstm", "model.kind is 'lstm'; it must be one of bytenet"),
        ("model.kind=language", "task is 'translation', but model.kind is 'language', which learns language; say"),
        (
            "task=translate",
            "task is 'translate'; it must be one of translation, g2p, language, fill, classify, ratings",
        ),
        ("seed=1\nsource='x'", "seed is"),
        ("data.generate=dates", "generate is 'dates', but train names files; leave one of them out"),
    ],
)
def test_a_mistake_is_one_line(setting, message):
    with pytest.raises(RecipeError, match=re.escape(message)) as caught:
        overridden(parse(TEXT), [setting])
    assert "\n" not in str(caught.value)


def test_a_preset_is_the_model_of_a_shipped_recipe():
    for name in PRESETS:
        recipe = with_preset(parse(TEXT), name)
        assert recipe.model == load(shipped(name)).model
        assert recipe.training == parse(TEXT).training


def test_a_preset_is_the_size_of_another_stack():
    small = with_preset(parse('task = "language"'), "small").model
    assert small == LanguageSpec(width=256, inner=1024, heads=4, layers=3, dropout=0.1)


def test_no_preset():
    with pytest.raises(RecipeError, match=re.escape("preset is 'smal'; it must be one of tiny, small, base, big (did")):
        with_preset(parse(TEXT), "smal")
    with pytest.raises(RecipeError, match="preset is 'reverse'; it must be one of"):
        with_preset(parse(TEXT), "reverse")
    with pytest.raises(
        RecipeError, match=r"preset 'tiny' is a Transformer, and model.kind is 'factorization'; set model\.width"
    ):
        with_preset(parse('task = "ratings"'), "tiny")
