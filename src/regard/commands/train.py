"""`regard train`: from a recipe, or from data alone, to a model's folder."""

from pathlib import Path, PurePath
from typing import Annotated

import msgspec
from cyclopts import Parameter

from regard.commands.asked import Asked, recipe_for, seconds
from regard.commands.importing import importing
from regard.commands.lines import spoken
from regard.errors import InputError
from regard.recipe import Recipe
from regard.training.watch.words import UNITS, figure, scored, subject, values

SETS = {"valid": "validation", "test": "test"}
NEXT = {  # what one might want of a model, by its task
    "translation": 'translate --model {} "..."',
    "g2p": 'predict --model {} "a word"',
    "language": 'predict --model {} "how a text begins"',
    "fill": 'predict --model {} "a sentence with a ___ in it"',
    "classify": 'predict --model {} "..."',
    "ratings": 'predict --model {} "user<tab>item"',
}


def train(
    *files: Annotated[str, Parameter(help="RECIPE.toml, DATA, or both: DATA then stand for its own.")],
    out: Annotated[Path | None, Parameter(name=["--out", "-o"], help="The folder that the model goes to.")] = None,
    task: Annotated[str, Parameter(help="translation, g2p, language, fill, classify or ratings.")] = "",
    source: Annotated[str, Parameter(name="--from", help="The source's language, such as en.")] = "",
    target: Annotated[str, Parameter(name="--to", help="The target's language.")] = "",
    columns: Annotated[str, Parameter(help="Where source and target stand in tables, such as 2,1.")] = "",
    preset: Annotated[str, Parameter(help="How large a Transformer: tiny, small, base or big.")] = "",
    time: Annotated[str, Parameter(help="How long it learns, such as 20m or 1h30m.")] = "",
    start_from: Annotated[str, Parameter(help="A model to train further, by its folder or name.")] = "",
    context: Annotated[int | None, Parameter(help="How many sentences before a source are read with it.")] = None,
    keep_every: Annotated[int | None, Parameter(help="Keep a model each so many steps, to look at.")] = None,
    settings: Annotated[
        tuple[str, ...], Parameter(name="--set", negative="", help="KEY=VALUE over the recipe; may come again.")
    ] = (),
    device: Annotated[str, Parameter(help="Where it computes: cpu, cuda or mps.")] = "",
    dry_run: Annotated[bool, Parameter(negative="", help="Only say how long, how large, how much memory.")] = False,
    progress: Annotated[bool, Parameter(negative="", help="Say how far it is, as a training always does.")] = False,
) -> None:
    """Train a model by a recipe, or on data alone.

    DATA are tables, source and target in the first two columns, or two texts
    line by line. The best model so far can be used at any moment; the same
    command goes on with what was stopped.

        regard train recipes/dates.toml -o dates
        regard train corpus.tsv -o en-fr --from en --to fr --time 2h
        regard train a.en a.de -o en-de --from en --to de --dry-run
        regard train words.txt -o writer --task language
        regard train new.tsv -o better --start-from en-fr
    """
    if out is None and not dry_run:
        raise InputError("say with -o which folder the model goes to")
    short = {"training.seconds": seconds(time) if time else None, "data.context": context}
    short["training.keep_every"] = keep_every
    words = (*(f"{key}={value}" for key, value in short.items() if value is not None), *settings)
    recipe = recipe_for(Asked(files, task, source, target, columns, preset, start_from, words))
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
    print("\n".join(summary(recipe, out)))


def summary(recipe: Recipe, out: Path) -> list[str]:
    """What became of it: the scores, each with what it was measured on, and a command that asks the model."""
    place = spoken(str(out))
    lines = [f"{place}: {subject({'task': recipe.task, 'from': recipe.source, 'to': recipe.target})}"]
    for name, exam in msgspec.json.decode((out / "scores.json").read_bytes()).items():
        files = [PurePath(one.files[0]).name for one in getattr(recipe.data, name)]
        asked = f"{' and '.join(files) or 'held out'}, {exam['n']:,} {UNITS.get(recipe.task, 'pairs')}"
        figures = [f"{scored(key)} {figure(key, value)}" for key, value in values(exam["scores"]).items()]
        lines.append(f"{SETS[name]} ({asked}): {', '.join(figures)}")
    quoted = f'"{place}"' if " " in place else place
    return [*lines, f"try: regard {NEXT[recipe.task].format(quoted)}"]
