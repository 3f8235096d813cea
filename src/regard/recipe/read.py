"""Reading a recipe from TOML: an unknown key is an error that names the nearest one it knows."""

import tomllib
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec

from regard.errors import RecipeError, nearest
from regard.recipe.data import DataSpec, FilesSpec, TokensSpec
from regard.recipe.fields import Spec, checked, shown
from regard.recipe.specs import ModelSpec, Recipe
from regard.recipe.tasks import KINDS, columns_for, task_for
from regard.recipe.training import TrainingSpec

Made = TypeVar("Made", bound=Spec)


def ships() -> dict[str, Path]:
    """The recipes that come with Regard, by name: in the checkout, or in the installed package."""
    package = Path(__file__).parents[1]
    folders = (package.parents[1] / "recipes", package / "recipes")
    folder = next((folder for folder in folders if (folder / "base.toml").is_file()), folders[-1])
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def shipped(name: str) -> Path:
    """The path of a recipe that comes with Regard."""
    known = ships()
    if name not in known:
        raise RecipeError(f"no recipe {name!r}{nearest(name, known)}; there are {', '.join(known)}")
    return known[name]


def load(path: str | Path) -> Recipe:
    """Reads a recipe from a TOML file."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecipeError(f"{path} is not UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise RecipeError(f"no recipe at {str(path)!r}: {error.strerror}") from None
    except ValueError as error:  # a NUL in the path
        raise RecipeError(f"no recipe at {str(path)!r}: {error}") from None
    try:
        return parse(text)
    except RecipeError as error:
        raise RecipeError(f"{path}: {error}") from None


def parse(text: str) -> Recipe:
    """A recipe from TOML text."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"not TOML: {error}") from None
    return from_plain(given)


def from_plain(given: dict[str, Any]) -> Recipe:
    """A recipe from plain data, as TOML gives it and `dump` makes it."""
    model, data = dict(table(given, "model")), dict(table(given, "data"))
    task = given.get("task") or task_for(model.get("kind"))
    kind = model.pop("kind", KINDS.get(str(task), ("transformer",))[0])
    columns = {"columns": columns_for(task)}
    for name in ("train", "valid", "test"):
        data[name] = tuple(make(FilesSpec, {**columns, **files}, f"data.{name}.") for files in tables(data, name))
    parts = {
        "data": make(DataSpec, data, "data."),
        "tokens": make(TokensSpec, table(given, "tokens"), "tokens."),
        "model": make(kind_of(kind), model, "model."),
        "training": make(TrainingSpec, table(given, "training"), "training."),
    }
    return make(Recipe, {"task": task, **given, **parts}, "")


def tables(given: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The list of tables [[data.name]], empty where there is none."""
    found = given.get(name, ())
    if not isinstance(found, list | tuple) or not all(isinstance(one, dict) for one in found):
        raise RecipeError(f"data.{name} is {shown(found)}; it must be tables of keys: [[data.{name}]]")
    return list(found)


def dump(recipe: Recipe) -> dict[str, Any]:
    """The recipe as plain data, every field written out, so that it says all that made a model."""
    plain: dict[str, Any] = msgspec.to_builtins(recipe)
    return plain


def table(given: dict[str, Any], name: str) -> dict[str, Any]:
    """A recipe's table of that name, empty where there is none."""
    found = given.get(name, {})
    if not isinstance(found, dict):
        raise RecipeError(f"{name} is {shown(found)}; it must be a table of keys: [{name}]")
    return found


def make(spec: type[Made], given: dict[str, Any], where: str) -> Made:
    """The struct from a table of keys; `where` stands before the key in what is said of a mistake."""
    known = spec.__struct_fields__
    for key in given:
        if key not in known:
            name = key if key.isprintable() else repr(key)
            raise RecipeError(f"unknown key {where}{name}{nearest(key, known) or '; it may be ' + ', '.join(known)}")
    try:
        return spec(**{key: checked(spec, key, value) for key, value in given.items()})
    except RecipeError as error:
        raise RecipeError(f"{where}{error}") from None


def kind_of(kind: object) -> type[ModelSpec]:
    """The struct for a model's kind."""
    kinds = {spec.__struct_config__.tag: spec for spec in get_args(ModelSpec)}
    found: type[ModelSpec] | None = kinds.get(kind) if isinstance(kind, str) else None
    if found is None:
        near = nearest(kind, kinds) if isinstance(kind, str) else ""
        raise RecipeError(f"model.kind is {shown(kind)}; it must be one of {', '.join(sorted(kinds))}{near}")
    return found
