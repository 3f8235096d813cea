"""All that a recipe learns from in one stage: read or generated, cleaned, without duplicates and what is held out."""

from collections.abc import Sequence
from itertools import islice

import msgspec
import numpy as np

from regard.corpus.chunks import all_cleaned, chunked
from regard.corpus.clean import Report, Rules, Sides
from regard.corpus.generate import generate
from regard.corpus.read import Row
from regard.corpus.split import choose_held_out, rows_with, split
from regard.corpus.stage import Stage, stage, write
from regard.corpus.texts import Pair, Texts, shown
from regard.corpus.unique import duplicates, examples
from regard.errors import InputError
from regard.recipe import FilesSpec, Recipe

LEAST = 10  # pairs to learn from
SIDES: dict[str, Sides] = {  # which of a pair is text that the rules clean; sounds are none
    "translation": "both", "g2p": "source", "classify": "source", "language": "alone", "fill": "alone",
    "ratings": "none",
}  # fmt: skip


def gather(texts: Texts, report: Report) -> tuple[list[Pair], list[Pair]]:
    """Stage all pairs, mark those that are not learnt from; what is held out for validation and for the test."""
    recipe, folder = texts.recipe, texts.folder
    if recipe.data.generate == "none":
        sources = stage(recipe.data, recipe.data.train, folder, languages(recipe), report, SIDES[recipe.task])
    else:
        sources = generated(texts, report)
    dropped = duplicates(sources.keys, folder)
    if recipe.data.context:
        dropped[:] = False  # what is said again is not said again after the same
    elif count := int(np.count_nonzero(dropped)):
        report.drop("duplicate", count, examples(sources, dropped))
    given = [foreign(texts, files, name) for name, files in (("valid", recipe.data.valid), ("test", recipe.data.test))]
    for one in given:
        if one is not None:
            dropped[rows_with(sources.keys, one.keys)] = True
    free = len(dropped) - int(np.count_nonzero(dropped))
    wanted = recipe.data.held_out or choose_held_out(free)
    sizes = [wanted if one is None else 0 for one in given]
    if free - sum(sizes) < LEAST:
        raise InputError(
            f"{free} pairs are left to learn from, {sum(sizes)} of them to be held out; give at least {LEAST} more"
        )
    held: list[list[Pair]] = []
    valid, test, left = split(sources.keys, dropped, sizes[0], sizes[1], recipe.seed)
    dropped[left] = True
    for own, other in zip((valid, test), given, strict=True):
        dropped[own] = True
        pairs = other.pairs() if other is not None else sources.pairs(own.tolist())
        held.append([shown(recipe.task, pair) for pair in pairs])
    return held[0], held[1]


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


def foreign(texts: Texts, files: Sequence[FilesSpec], name: str) -> Stage | None:
    """A stage of the recipe's own pairs for validation or test: all of them but the broken and empty ones."""
    if not files:
        return None
    recipe = texts.recipe
    data = msgspec.structs.replace(recipe.data, clean=False)
    return stage(data, files, texts.folder / name, languages(recipe), Report(), SIDES[recipe.task])
