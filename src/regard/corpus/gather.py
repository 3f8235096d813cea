"""All that a recipe learns from in one stage: read or generated, cleaned, without duplicates and what is held out."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from regard.corpus.chunks import all_cleaned, chunked
from regard.corpus.clean import Report, Rules, Sides
from regard.corpus.generate import generate
from regard.corpus.read import Row, found, packed, refuse_pipe
from regard.corpus.split import choose_held_out, rows_with, split
from regard.corpus.stage import Stage, stage, write
from regard.corpus.texts import Pair, Texts, shown
from regard.corpus.unique import duplicates, examples
from regard.errors import InputError
from regard.recipe import DataSpec, FilesSpec, Recipe

LEAST = 10  # pairs to learn from
SIDES: dict[str, Sides] = {  # which of a pair is text that the rules clean; sounds are none
    "translation": "both", "g2p": "source", "classify": "source", "language": "alone", "fill": "alone",
    "ratings": "none",
}  # fmt: skip


class HeldOut(NamedTuple):
    """The pairs that are not learnt from."""

    valid: list[Pair]
    test: list[Pair]


def gather(texts: Texts, report: Report) -> HeldOut:
    """Stage all pairs, and mark those that are not learnt from: duplicates, and what is held out."""
    recipe, folder = texts.recipe, texts.folder
    refuse_missing(recipe.data)
    if recipe.data.generate == "none":
        staged = stage(recipe.data, recipe.data.train, folder, languages(recipe), report, SIDES[recipe.task])
    else:
        staged = generated(texts, report)
    dropped = duplicates(staged.keys, folder)
    if recipe.data.context:
        dropped[:] = False  # what is said again stands behind something else
    elif count := int(np.count_nonzero(dropped)):
        report.drop("duplicate", count, examples(staged, dropped))
    given = [own(texts, files, name, report) for name, files in files_of(recipe.data)]
    for keys in [other.keys for other in given if other]:
        rows = rows_with(staged.keys, keys)
        report.notes += [f"left out, for validation or test has the same: {len(rows):,}"] if len(rows) else []
        dropped[rows] = True
    sizes = how_many(dropped, recipe.data, given)
    *held, left = split(staged.keys, dropped, *sizes, recipe.seed)
    dropped[left] = True
    pairs: list[list[Pair]] = []
    for name, rows, size, other in zip(HeldOut._fields, held, sizes, given, strict=True):
        if size and not len(rows):
            raise InputError(
                f"{named(recipe.data)}: no pair can be held out, for all hang together by equal sentences; "
                f"name files for it in [[data.{name}]]"
            )
        dropped[rows] = True
        some = other.pairs() if other else staged.pairs(rows.tolist())
        pairs.append([shown(recipe.task, pair) for pair in some])
    return HeldOut(*pairs)


def refuse_missing(data: DataSpec) -> None:
    """An error where no data are named, or files that are not there; it says where the recipe's files come from."""
    if data.generate == "none" and not data.train:
        raise InputError("the recipe names no data; give files to learn from with it, or name them in [[data.train]]")
    for name in [name for files in (*data.train, *data.valid, *data.test) for name in files.files]:
        try:
            path = found(packed(Path(data.folder) / name))
        except InputError as error:
            if not data.about:
                raise
            where = "say with --set data.folder=DIR where the recipe's files are. They come from:"
            raise InputError(f"{error}; {where} {data.about}") from None
        refuse_pipe(path)


def files_of(data: DataSpec) -> list[tuple[str, tuple[FilesSpec, ...]]]:
    return [("valid", data.valid), ("test", data.test)]


def how_many(dropped: NDArray[np.bool_], data: DataSpec, given: Sequence[Stage | None]) -> tuple[int, int]:
    """How many pairs are to be held out for validation and test, where no files are given for it."""
    free = len(dropped) - int(np.count_nonzero(dropped))
    size = data.held_out or choose_held_out(free)
    valid, test = (0 if own else size for own in given)
    if free - valid - test < LEAST:
        aside = f", {valid + test:,} of them to be held out" if valid + test else ""
        fewer = ", or set data.held_out lower" if aside and data.held_out else ""
        raise InputError(
            f"{named(data)}: {free:,} pairs are left to learn from{aside}; "
            f"at least {LEAST} are needed: give more{fewer}"
        )
    return valid, test


def named(data: DataSpec) -> str:
    """What is learnt from, as errors call it."""
    return ", ".join(" and ".join(one.files) for one in data.train) or data.generate


def languages(recipe: Recipe) -> tuple[str, str]:
    """Of both sides; where there is but one, it may be named as either."""
    return (recipe.source, recipe.target) if SIDES[recipe.task] == "both" else (recipe.source or recipe.target,) * 2


def generated(texts: Texts, report: Report) -> Stage:
    """A stage of generated pairs, which need no cleaning."""
    data = msgspec.structs.replace(texts.recipe.data, clean=False)
    pairs = islice(generate(data.generate, texts.recipe.seed), data.pairs)
    rows = (Row(data.generate, number, pair, False) for number, pair in enumerate(pairs, 1))
    texts.folder.mkdir(parents=True)
    write(all_cleaned(chunked(rows, 0, 0), Rules(data)), texts.folder, report)
    return Stage(texts.folder)


def own(texts: Texts, files: Sequence[FilesSpec], name: str, report: Report) -> Stage | None:
    """A stage of the recipe's own pairs for validation or test: all of them but broken and empty ones.

    A word's row may have several pronunciations, each in a column.
    """
    if not files:
        return None
    recipe, seen = texts.recipe, Report()
    data = msgspec.structs.replace(recipe.data, clean=False)
    several = recipe.task == "g2p"
    staged = stage(data, files, texts.folder / name, languages(recipe), seen, SIDES[recipe.task], several)
    report.notes += seen.notes
    report.notes += [f"{files[0].files[0]}: left out, {why}: {count:,}" for why, count in seen.dropped.items()]
    return staged
