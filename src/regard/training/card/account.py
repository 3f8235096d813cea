"""What a model learnt from and how, as parts of its card."""

from collections.abc import Mapping, Sequence
from typing import Any

from regard.recipe import FilesSpec, Recipe
from regard.training.card.curves import newest
from regard.training.card.markdown import code, items, plain, table
from regard.training.exam import ASKED, judge_of
from regard.training.watch import Event
from regard.training.watch.words import UNITS, WHY, duration, scored

SEARCHED = ("translation", "g2p")  # tasks whose answers are sequences that are searched for
REGULARS = {"smoothing": "label smoothing", "decay": "weight decay", "r_drop": "R-Drop", "guided": "guided attention"}


def data_of(recipe: Recipe, report: Mapping[str, Any]) -> list[str]:
    """The files, whose they are, and how many of their pairs were fit to learn from."""
    data = recipe.data
    files = [named(one) for one in data.train]
    if data.generate != "none":
        files = [f"{data.pairs:,} pairs that Regard makes: {code(data.generate)}, seed {recipe.seed}"]
    for purpose, some in (("validation", data.valid), ("the test", data.test)):
        files += [f"for {purpose}: {named(one)}" for one in some]
    counts = {
        "read": report["read"],
        **{f"left out: {rule}": dropped["count"] for rule, dropped in report["dropped"].items()},
        "left out: more tokens than a side may have": report["long"],
        "for validation": report["valid"],
        "for the test": report["test"],
        "made to teach terms and placeholders": report["extra"],
        "learnt from": report["pairs"],
    }
    rows = [(what, f"{count:,}") for what, count in counts.items() if count]
    parts = [items(files), table(("", UNITS.get(recipe.task, "pairs")), rows)]
    parts += [items(map(plain, report["notes"]))] if report["notes"] else []
    return [*parts, f"Origin and terms of the data: {plain(data.about)}"] if data.about else parts


def named(files: FilesSpec) -> str:
    """Files as a recipe names them."""
    one = len(files.files) == 1
    columns = f", column{'s' if len(files.columns) > 1 else ''} {', '.join(map(str, files.columns))}" if one else ""
    weight = f", {files.weight:g} times an epoch" if files.weight != 1 else ""
    return " and ".join(map(code, files.files)) + columns + weight


def training_of(recipe: Recipe, events: Sequence[Event]) -> list[str]:
    """How the weights were found, and the curves."""
    rows = {**by_log(events), **by_recipe(recipe)}
    judge = scored(judge_of(recipe))
    search = ", each the likeliest at once, without beam search" if recipe.task in SEARCHED else ""
    return [
        items(f"**{what}**: {said}" for what, said in rows.items() if said),
        f"![Loss and {judge} over the steps](curves.svg)",
        "The loss in training counts all that regularises, the one in validation does not. "
        f"{judge[0].upper()}{judge[1:]} at each validation is that of {ASKED:,} answers at most{search}.",
    ]


def by_recipe(recipe: Recipe) -> dict[str, str]:
    spec = recipe.training
    tokens = "" if recipe.task in ("classify", "ratings") else " target tokens"
    regular = {"dropout": getattr(recipe.model, "dropout", 0)}
    regular |= {name: getattr(spec, key) for key, name in REGULARS.items()}
    return {
        "begun with": code(recipe.start_from) if recipe.start_from else "",
        "batch": f"{spec.batch * spec.accumulate:,}{tokens}",
        "rate": f"{spec.rate:g}, {spec.schedule.replace('_', ' ')}, {spec.warmup:,} steps of warm-up",
        "regularised by": ", ".join(f"{name} {value:g}" for name, value in regular.items() if value),
    }


def by_log(events: Sequence[Event]) -> dict[str, str]:
    """What only the log knows; it may have been removed."""
    start, end, best = (newest(events, *one) for one in (("event", "start"), ("event", "end"), ("best", True)))
    rows = {}
    if end:
        epochs = newest(events, "event", "step").get("epoch", 0)
        rows["steps"] = f"{end['step']:,} ({WHY[end['why']]}), {epochs:.1f} times through the data"
        rows["time"] = f"{duration(end['seconds'])}; {duration(end['cpu_seconds'])} of processor time"
    if start:
        own = start["settings"]
        rows["machine"] = f"{own['precision']} on {own['device']}, {own['workers']} x {own['piece']:,} tokens at once"
    if best:
        rows["best weights"] = f"those of step {best['step']:,}"
    return rows
