"""The recipe that the words of `regard train` ask for: one out of a file, or one that suits the data."""

import os
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from regard.commands.importing import importing
from regard.commands.lines import spoken
from regard.corpus.formats import tabbed
from regard.corpus.read import found, kind_of, packed
from regard.errors import InputError, nearest, reading
from regard.folder import open_folder
from regard.recipe import FilesSpec, Recipe, load, ships
from regard.recipe.defaults import for_data
from regard.recipe.set import overridden, with_preset
from regard.recipe.tasks import check_task, columns_for
from regard.text.languages import check_language

UNITS = {"s": 1, "m": 60, "h": 3600}
GENTLER = 4  # times lower is the rate of what is trained further
LOOKED_AT = 100  # lines that tell whether a text is a table


class Asked(NamedTuple):
    """What the words say of a training; what they leave out is empty."""

    files: Sequence[str]  # a recipe's path or name, data, or both
    task: str = ""
    source: str = ""
    target: str = ""
    columns: str = ""
    preset: str = ""
    start_from: str = ""
    settings: Sequence[str] = ()  # key=value, over all else

    def options(self) -> list[str]:
        """The options that are keys of a recipe, as settings."""
        given = {"task": self.task, "source": self.source, "target": self.target}
        return [f"{key}={value}" for key, value in given.items() if value]


def recipe_for(asked: Asked) -> Recipe:
    """What is to be learnt, from what, and how."""
    named, data = parted(asked.files)
    older = older_folder(asked) if asked.start_from else None
    if named:
        recipe = by_recipe(named, data, asked)
    elif older:
        recipe = further(load(open_folder(older)["recipe.toml"]), data, asked)
    else:
        task = check_task(asked.task or "translation")
        train = tables(data, columns_for(task), asked.columns)
        recipe = for_data(task, train, asked.source, asked.target, asked.preset)
    recipe = overridden(recipe, asked.settings)
    return msgspec.structs.replace(
        recipe,
        source=language(recipe.source, "--from" if asked.source else named),
        target=language(recipe.target, "--to" if asked.target else named),
        start_from=str(older or recipe.start_from),
    )


def parted(words: Sequence[str]) -> tuple[str, list[str]]:
    """The recipe among the words, if there is one, and the data."""
    recipes = [word for word in words if is_recipe(word)]
    if not words:
        raise InputError("give a RECIPE.toml, or files to learn from: a table of pairs, or two texts line by line")
    if len(recipes) > 1:
        raise InputError(f"{len(recipes)} recipes ({', '.join(recipes)}); name one, and the data that it learns from")
    return "".join(recipes), [word for word in words if word not in recipes]


def is_recipe(word: str) -> bool:
    """Whether a word is a recipe's path, or the name of one that ships; a model's folder may be called the same."""
    return Path(word).suffix.lower() == ".toml" or (word in ships() and not Path(word).is_file())


def by_recipe(named: str, data: Sequence[str], asked: Asked) -> Recipe:
    """A recipe out of its file, the options over it; data that are given stand for its own."""
    path = ships().get(named, Path(named))
    with reading(named):
        if not path.exists():
            raise InputError(f"no recipe at {named!r}{nearest(path.stem, ships())}")
    recipe = overridden(load(path), asked.options())
    if data:
        own = recipe.data.train[0].columns if recipe.data.train else columns_for(recipe.task)
        train = tables(data, own, asked.columns)
        replaced = {"train": train, "valid": (), "test": (), "folder": ".", "generate": "none", "about": ""}
        recipe = msgspec.structs.replace(recipe, data=msgspec.structs.replace(recipe.data, **replaced))
    elif asked.columns:
        raise InputError("--columns are those of DATA on the command line; a recipe says its own")
    return with_preset(recipe, asked.preset) if asked.preset else recipe


def further(older: Recipe, data: Sequence[str], asked: Asked) -> Recipe:
    """A recipe for data alone that trains a model further: its shape, its tokens, and smaller steps."""
    train = tables(data, columns_for(older.task), asked.columns)
    fresh = for_data(older.task, train, older.source, older.target)
    training = msgspec.structs.replace(fresh.training, rate=fresh.training.rate / GENTLER)
    alike = msgspec.structs.replace(fresh.data, context=older.data.context)
    recipe = msgspec.structs.replace(fresh, model=older.model, tokens=older.tokens, data=alike, training=training)
    return overridden(recipe, asked.options())


def older_folder(asked: Asked) -> Path:
    """The folder of the model that is trained further."""
    if asked.preset:
        raise InputError("--preset is how large a new model is; one that --start-from names stays as it is")
    with importing("train"):
        from regard.model import find
    return absolute(find(asked.start_from))


def tables(data: Sequence[str], usual: tuple[int, ...], columns: str) -> tuple[FilesSpec, ...]:
    """The files as a recipe names them, wherever it is read from; two texts that are no tables go side by side."""
    paths, wanted = [data_at(word) for word in data], numbers(columns)
    if len(paths) == 2 and len(usual) == 2 and not any(map(is_table, paths)):
        return (FilesSpec(files=tuple(map(str, paths)), columns=wanted or (1, 2)),)
    return tuple(FilesSpec(files=(str(path),), columns=wanted or usual) for path in paths)


def data_at(word: str) -> Path:
    """The path of a file of data."""
    if spoken(word) != word:
        raise InputError(f"{spoken(word)}: a name that is no UTF-8; rename the file")
    with reading(word):
        path = packed(Path(word))
        if path.exists() or not re.fullmatch(r"[\w-]+", word):
            return absolute(found(path))
    known = ships()
    raise InputError(
        f"{word!r} is neither a file nor a recipe{nearest(word, known)}; the recipes are {', '.join(known)}"
    )


def absolute(path: Path) -> Path:
    """The path from the root; a link stays one, for its name says what kind of file it is."""
    return Path(os.path.normpath(path.absolute()))


def is_table(path: Path) -> bool:
    """Whether each of a text's first lines has a tab in it, blank ones aside; files of other kinds are tables."""
    if kind_of(path) not in ("", "tab"):
        return True
    rows = [line.cells for line in islice(tabbed(path, str(path)), LOOKED_AT) if any(line.cells)]
    return bool(rows) and all(len(cells) > 1 for cells in rows)


def numbers(columns: str) -> tuple[int, ...]:
    """The columns of "2,1"."""
    parts = [part.strip() for part in columns.split(",")] if columns else []
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise InputError(f"--columns is {columns!r}; give whole numbers from 1, such as 2,1")
    return tuple(map(int, parts))


def language(code: str, where: str) -> str:
    """The code as languages.py spells it; an error says where it stands."""
    try:
        return code and check_language(code)
    except InputError as error:
        raise InputError(f"{where}: {error}" if where else str(error)) from None


def seconds(time: str) -> int:
    """The seconds of 90s, 20m, 1h30m; a bare number is seconds."""
    text = "".join(time.lower().split())
    parts = re.findall(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if not parts or "".join(map("".join, parts)) != text:
        raise InputError(f"--time is {time!r}; give such as 90s, 20m or 1h30m")
    total = round(sum(float(count) * UNITS[unit or "s"] for count, unit in parts))
    if total < 1:
        raise InputError(f"--time is {time!r}; give a second at least")
    return total
