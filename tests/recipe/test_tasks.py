"""Which kind of model learns what, from which columns."""

import re

import pytest

from regard.errors import RecipeError
from regard.recipe import ClassifySpec, FactorizationSpec, LanguageSpec, Recipe, TransformerSpec, parse
from regard.recipe.tasks import COLUMNS, KINDS


@pytest.mark.parametrize("task", KINDS)
def test_a_task_brings_its_kind_and_columns(task):
    recipe = parse(f'task = "{task}"\n[[data.train]]\nfiles = ["a.tsv"]')
    assert recipe.model.__struct_config__.tag == KINDS[task][0]
    assert recipe.data.train[0].columns == tuple(range(1, len(COLUMNS[task]) + 1))


def test_columns_by_task():
    columns = {task: parse(f'task = "{task}"\n[[data.test]]\nfiles = ["a.tsv"]').data.test[0].columns for task in KINDS}
    two = dict.fromkeys(("translation", "g2p", "classify"), (1, 2))
    assert columns == {**two, "language": (1,), "fill": (1,), "ratings": (1, 2, 3)}


@pytest.mark.parametrize(
    ("kind", "task"),
    [
        ("recurrent", "translation"), ("bytenet", "translation"), ("wavenet", "language"), ("fill", "fill"),
        ("classify", "classify"), ("factorization", "ratings"),
    ],
)  # fmt: skip
def test_a_kind_brings_its_task(kind, task):
    assert parse(f'[model]\nkind = "{kind}"').task == task


def test_what_does_not_fit_is_refused():
    message = (
        r"task is 'ratings', but model\.kind is 'transformer', which learns translation and g2p; say model\.kind ="
    )
    with pytest.raises(RecipeError, match=message):
        parse('task = "ratings"\n[model]\nkind = "transformer"')
    with pytest.raises(RecipeError, match=r"task is 'translation', but model\.kind is 'language'"):
        Recipe(model=LanguageSpec())
    assert Recipe(task="ratings", model=FactorizationSpec()).task == "ratings"
    assert Recipe(task="classify", model=ClassifySpec()).model.layers == 6
    assert Recipe(task="g2p", model=TransformerSpec()).task == "g2p"


@pytest.mark.parametrize(
    ("task", "columns", "message"),
    [
        ("translation", "[1]", "columns is [1]; translation takes 2: where source and target stand, from 1"),
        ("language", "[1, 2]", "columns is [1, 2]; language takes 1: where sentence stands, from 1"),
    ],
)
def test_columns_are_as_many_as_the_task_takes(task, columns, message):
    with pytest.raises(RecipeError, match=re.escape(message)):
        parse(f'task = "{task}"\n[[data.valid]]\nfiles = ["a.tsv"]\ncolumns = {columns}')


def test_generated_pairs_want_no_files():
    with pytest.raises(RecipeError, match="generate is 'copy', but train names files; leave one of them out"):
        parse('[data]\ngenerate = "copy"\n[[data.train]]\nfiles = ["a.tsv"]')


@pytest.mark.parametrize("task", KINDS)
def test_only_translations_have_words_to_link(task):
    text = f'task = "{task}"\n[training]\nguided = 0.1'
    if task == "translation":
        assert parse(text).training.guided == 0.1
    else:
        with pytest.raises(RecipeError, match=f"training.guided is 0.1, but task is '{task}': only translations have"):
            parse(text)


@pytest.mark.parametrize("task", KINDS)
def test_only_a_source_has_sentences_before_it(task):
    text = f'task = "{task}"\n[data]\ncontext = 2'
    if task in ("translation", "g2p", "classify"):
        assert parse(text).data.context == 2
    else:
        with pytest.raises(RecipeError, match=f"data.context is 2, but task is '{task}': sentences stand in front"):
            parse(text)
