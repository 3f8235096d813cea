"""The captions of Multi30k, English and German, that several benchmarks train on: where they lie, and their recipe."""

import sys
from pathlib import Path

import msgspec
from texts import read

from regard.recipe import Recipe, load, shipped

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "multi30k"
PIECES = 8000  # joint


def captions(folder: Path) -> Recipe:
    """The shipped recipe with its data there and as many pieces; leaves with 2 where there are none."""
    if not (folder / "train.en.gz").is_file():
        print(
            f"benchmarks: no Multi30k in {folder}; name its folder with --data (the files of data/task1/raw in"
            " github.com/multi30k/dataset)",
            file=sys.stderr,
        )
        sys.exit(2)
    recipe = load(shipped("multi30k-en-de"))
    return msgspec.structs.replace(
        recipe,
        data=msgspec.structs.replace(recipe.data, folder=str(folder.resolve())),
        tokens=msgspec.structs.replace(recipe.tokens, kind="unigram", size=PIECES),
    )


def sides(folder: Path, name: str) -> tuple[list[str], list[str]]:
    """The English and the German sentences of a set."""
    return read(folder / f"{name}.en.gz"), read(folder / f"{name}.de.gz")
