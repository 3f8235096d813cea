"""`regard train`: from a recipe, or from files of pairs alone, to a model's folder."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from regard import folder
from regard.commands.importing import importing
from regard.corpus.read import found, kind_of, packed
from regard.errors import InputError, UserError
from regard.recipe import FilesSpec, Recipe, load, shipped
from regard.recipe.defaults import for_data
from regard.recipe.set import overridden, with_preset
from regard.recipe.tasks import check_task, columns_for
from regard.text.languages import check_language

UNITS = {"s": 1, "m": 60, "h": 3600}
GENTLER = 4  # times lower is the rate of what is trained further


def train(
    *what: Annotated[str, Parameter(help="RECIPE.toml, DATA..., or both: a table, or two texts line by line.")],
    out: Annotated[Path | None, Parameter(name=["--out", "-o"], help="The model's folder.")] = None,
    task: Annotated[str | None, Parameter(help="translation, g2p, language, fill, classify or ratings.")] = None,
    source: Annotated[str | None, Parameter(name="--from", help="The source's language, such as en.")] = None,
    target: Annotated[str | None, Parameter(name="--to", help="The target's language.")] = None,
    columns: Annotated[str | None, Parameter(help="Of a table, from 1: source, then target, such as 2,1.")] = None,
    preset: Annotated[str | None, Parameter(help="How large a Transformer: tiny, small, base or big.")] = None,
    time: Annotated[str | None, Parameter(help="Train for that long, such as 20m or 1h30m.")] = None,
    settings: Annotated[
        tuple[str, ...], Parameter(name="--set", negative="", help="key=value over the recipe; may come again.")
    ] = (),
    context: Annotated[int | None, Parameter(help="How many sentences before a source are read with it.")] = None,
    start_from: Annotated[str | None, Parameter(help="A model's folder to train further.")] = None,
    keep_every: Annotated[int | None, Parameter(help="Keep a model each so many steps, to look at.")] = None,
    device: Annotated[str, Parameter(help="cpu, cuda or mps.")] = "",
    dry_run: Annotated[bool, Parameter(negative="", help="Only say how long, how large, how much memory.")] = False,
) -> None:
    """Train a model; the best so far can be used at any moment. The same command goes on with what was stopped."""
    recipe = asked(what, task, source, target, columns, preset, start_from)
    given = {"training.seconds": seconds(time), "data.context": context, "training.keep_every": keep_every}
    recipe = overridden(recipe, [*(f"{key}={one}" for key, one in given.items() if one is not None), *settings])
    codes = {"source": recipe.source, "target": recipe.target}
    recipe = msgspec.structs.replace(recipe, **{side: code and check_language(code) for side, code in codes.items()})
    if out is None and not dry_run:
        raise InputError("say with -o which folder the model goes to")
    with importing("train"):
        from regard.training.plan import rehearsed
        from regard.training.run import train as run
        from regard.training.watch import for_stderr
        from regard.training.watch.board import boards
    watchers = for_stderr()
    if dry_run:
        print("\n".join(rehearsed(recipe, device, watchers).lines()))
        return
    assert out is not None
    run(recipe, out, device=device, watchers=[*watchers, *boards(out / "training" / "tensorboard")])
    show(out)


def asked(
    what: Sequence[str],
    task: str | None,
    source: str | None,
    target: str | None,
    columns: str | None,
    preset: str | None,
    start_from: str | None,
) -> Recipe:
    """The recipe that the words name, or one that suits the data; the options over it."""
    if not what:
        raise InputError("give a RECIPE.toml, or files to learn from: a table of pairs, or two texts line by line")
    given = {"task": task and check_task(task), "source": source, "target": target}
    settings = [f"{key}={one}" for key, one in given.items() if one]
    path, data = recipe_in(what)
    older = None if start_from is None else older_recipe(start_from)
    if path is not None:
        recipe = overridden(load(path), settings)
        if data:
            recipe = with_data(recipe, tables(recipe.task, data, columns or columns_in(recipe)))
        elif columns:
            raise InputError("--columns are those of DATA on the command line; a recipe says its own")
        recipe = with_preset(recipe, preset) if preset else recipe
    elif older:
        recipe = further(older, tables(older.task, data, columns), settings)
    else:
        known = check_task(task or "translation")
        recipe = for_data(known, tables(known, data, columns), source or "", target or "", preset or "")
    if start_from is None:
        return recipe
    return msgspec.structs.replace(recipe, start_from=str(Path(start_from).resolve()))


def recipe_in(what: Sequence[str]) -> tuple[Path | None, list[str]]:
    """The recipe's path, if the first word names one, and the files of data."""
    first, *rest = what
    if Path(first).suffix == ".toml":
        return Path(first), rest
    if not Path(first).exists() and re.fullmatch(r"[\w-]+", first):  # a name of one that ships, or a mistake
        return shipped(first), rest
    return None, list(what)


def tables(task: str, data: Sequence[str], columns: str | None) -> tuple[FilesSpec, ...]:
    """The files as a recipe names them: tables, or two texts that are no tables."""
    for file in data:
        found(packed(Path(file)))
    wanted = tuple(map(number, columns.split(","))) if columns else columns_for(task)
    names = [str(Path(file)) for file in data]
    plain = len(names) == 2 and all(kind_of(Path(name)) in ("", "tab") and not tabular(name) for name in names)
    if plain and len(wanted) > 1:
        return (FilesSpec(files=tuple(names), columns=wanted),)
    return tuple(FilesSpec(files=(name,), columns=wanted) for name in names)


def tabular(name: str) -> bool:
    """Whether the file's first line has two columns."""
    from regard.corpus.formats import tabbed

    return len(next((line.cells for line in tabbed(packed(Path(name)), name)), [])) > 1


def number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"--columns has {text!r}; give whole numbers from 1, such as 1,2") from None


def columns_in(recipe: Recipe) -> str | None:
    """The columns of the recipe's own files, which stand for those that are given instead."""
    return ",".join(map(str, recipe.data.train[0].columns)) if recipe.data.train else None


def with_data(recipe: Recipe, train: tuple[FilesSpec, ...]) -> Recipe:
    """The recipe on other files: what is held out is split off from them."""
    data = msgspec.structs.replace(recipe.data, train=train, valid=(), test=(), folder=".", generate="none", about="")
    return msgspec.structs.replace(recipe, data=data)


def older_recipe(name: str) -> Recipe:
    """What the model that is trained further was made by."""
    files = folder.open_folder(name)
    return load(files["recipe.toml"])


def further(older: Recipe, train: tuple[FilesSpec, ...], settings: Sequence[str]) -> Recipe:
    """A recipe for data alone that trains a model further: its shape, its tokens, and smaller steps."""
    fresh = overridden(for_data(older.task, train, older.source, older.target), settings)
    training = msgspec.structs.replace(fresh.training, rate=fresh.training.rate / GENTLER)
    data = msgspec.structs.replace(fresh.data, context=older.data.context)
    return msgspec.structs.replace(fresh, model=older.model, tokens=older.tokens, data=data, training=training)


def seconds(time: str | None) -> int | None:
    """The seconds of 90s, 20m, 1h30m; a bare number is seconds."""
    if time is None:
        return None
    parts = re.findall(r"(\d+(?:\.\d+)?)([smh]?)", time.strip().lower())
    if not parts or "".join(map("".join, parts)) != time.strip().lower():
        raise UserError(f"--time is {time!r}; give such as 90s, 20m or 1h30m")
    total = round(sum(float(count) * UNITS[unit or "s"] for count, unit in parts))
    if total < 1:
        raise UserError(f"--time is {time!r}; give a second at least")
    return total


def show(out: Path) -> None:
    """What became of it, on standard output."""
    from regard.evaluate.score import DECIMALS

    for name, exam in msgspec.json.decode((out / "scores.json").read_bytes()).items():
        figures = [f"{key} {one['value']:.{DECIMALS.get(key, 2)}f}" for key, one in exam["scores"].items()]
        print(f"{out} on {exam['n']:,} of {name}: {', '.join(figures)}")
