"""What suits data of which nothing else was said."""

import re
from itertools import pairwise

import pytest

from regard.errors import RecipeError
from regard.recipe import FilesSpec, dump, parse, to_toml
from regard.recipe.defaults import ENDLESS, SIZES, for_data, megabytes
from regard.recipe.set import PRESETS
from regard.recipe.tasks import COLUMNS, KINDS, columns_for


@pytest.fixture
def files(tmp_path):
    """One table of the task's columns, of so many bytes."""

    def made(task, size, name="a.tsv"):
        path = tmp_path / name
        path.write_bytes(b"")
        with path.open("wb") as file:
            file.truncate(size)  # a hole: takes no disk
        return (FilesSpec(files=(str(path),), columns=columns_for(task)),)

    return made


@pytest.mark.parametrize("task", KINDS)
def test_every_task_and_size_makes_a_recipe(task, files):
    made = []
    for size in SIZES[task]:
        bytes_ = 10**9 if size.megabytes == ENDLESS else int(size.megabytes * 10**6)
        recipe = for_data(task, files(task, bytes_), "en", "fr")
        assert (recipe.task, recipe.source, recipe.target) == (task, "en", "fr")
        assert recipe.model.__struct_config__.tag == KINDS[task][0]
        assert parse(to_toml(recipe)) == recipe
        made.append(recipe)
    assert all(one.training.steps < more.training.steps for one, more in pairwise(made))


def test_every_table_ends_and_rises():
    assert set(SIZES) == set(COLUMNS)
    for sizes in SIZES.values():
        assert sizes[-1].megabytes == ENDLESS
        assert all(one.megabytes < more.megabytes for one, more in pairwise(sizes))
        assert all(size.preset in ("", *PRESETS) for size in sizes)


def test_a_preset_goes_over_what_the_size_suggests(files):
    few = files("translation", 1000)
    assert for_data("translation", few).model.width == 128
    assert for_data("translation", few, preset="base").model.width == 512
    assert for_data("classify", files("classify", 1000), preset="small").model.layers == 3


def test_packed_files_hold_more_than_they_weigh(files):
    assert megabytes(files("language", 10**6)) == 1
    assert megabytes(files("language", 10**6, "a.jsonl.gz")) == 3
    assert megabytes(files("language", 10**6) + files("language", 10**6, "b.parquet")) == 4


def test_mistakes(files):
    with pytest.raises(RecipeError, match=re.escape("task is 'translaton'; it must be one of translation, g2p")):
        for_data("translaton", files("g2p", 10))
    with pytest.raises(RecipeError, match="preset is 'huge'; it must be one of tiny, small, base, big"):
        for_data("g2p", files("g2p", 10), preset="huge")
    with pytest.raises(RecipeError, match=r"nowhere\.tsv cannot be read: No such file"):
        for_data("g2p", (FilesSpec(files=("nowhere.tsv",)),))


def test_what_is_written_out_is_everything(files):
    plain = dump(for_data("g2p", files("g2p", 1000)))
    assert (plain["tokens"]["kind"], plain["tokens"]["target"], plain["tokens"]["joint"]) == (
        "characters", "words", False,
    )  # fmt: skip
