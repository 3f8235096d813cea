"""The kinds of errors, and the messages that end in a suggestion or in a command to run."""

import re
import tomllib
from pathlib import Path

import pytest

import regard
from regard.errors import (
    EXTRAS,
    FolderError,
    InputError,
    MissingExtra,
    RecipeError,
    RegardError,
    UserError,
    nearest,
    needs,
)

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
IMPORTED_AS = {"python-docx": "docx", "resvg-py": "resvg_py"}


def test_a_failure_exits_with_1_and_a_users_mistake_with_2() -> None:
    assert RegardError.exit_code == 1
    for kind in (UserError, RecipeError, InputError, FolderError, MissingExtra):
        assert issubclass(kind, UserError)
        assert kind.exit_code == 2


@pytest.mark.parametrize(
    ("word", "allowed", "end"),
    [
        ("layer", ["layers", "heads", "width"], " (did you mean 'layers'?)"),
        ("haeds", ["layers", "heads", "width"], " (did you mean 'heads'?)"),
        ("zebra", ["layers", "heads", "width"], ""),
        ("layers", [], ""),
    ],
)
def test_nearest(word: str, allowed: list[str], end: str) -> None:
    assert nearest(word, allowed) == end


def test_a_missing_package_of_the_extra_names_the_pip_command() -> None:
    with pytest.raises(MissingExtra) as caught, needs("train"):
        raise ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")
    assert str(caught.value) == "this needs torch, which is not installed: run pip install 'regard[train]'"
    assert (caught.value.extra, caught.value.package) == ("train", "torch")


@pytest.mark.parametrize("name", ["regard.nowhere", "lxml", None])
def test_any_other_missing_module_stays_a_fault(name: str | None) -> None:
    with pytest.raises(ModuleNotFoundError), needs("train"):
        raise ModuleNotFoundError("No module", name=name)


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_packages_of_an_extra_are_those_it_installs(extra: str) -> None:
    names = [re.split(r"[<>=]", one)[0] for one in PROJECT["optional-dependencies"][extra]]
    assert EXTRAS[extra] == {IMPORTED_AS.get(name, name.replace("-", "_")) for name in names}


def test_every_extra_for_users_is_in_all() -> None:
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert set(re.findall(r"\w+", everything)) == {"regard", *EXTRAS}


def test_the_package_hands_out_its_errors() -> None:
    assert regard.UserError is UserError
    assert {"UserError", "__version__"} <= set(dir(regard))
    with pytest.raises(AttributeError, match="nothing"):
        _ = regard.nothing
