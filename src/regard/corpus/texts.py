"""The texts of a stage as they are learnt from: those that are kept, and where that is wanted with symbols in them.

Beside them the extra pairs that teach terms and symbols. A context and its break stay in front of a source.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from regard.corpus.align import Aligner
from regard.corpus.augment import augment
from regard.corpus.stage import Stage
from regard.corpus.unique import DROPPED
from regard.recipe import Recipe
from regard.text.context import parted
from regard.text.protect import WORTH, protect_pair

ROWS = 4096  # of a chunk
MARKED = 0.05  # the share of pairs that come once more with placeholders, and of those that do with tags
ALONE = ("language", "fill")  # tasks whose sentences have no source

Pair = tuple[str, str]


class Text(NamedTuple):
    """What is learnt from a row."""

    row: int
    source: str
    target: str


class Texts:
    """The rows of a stage that are learnt from. A copy in another process opens the stage by itself."""

    def __init__(self, folder: Path, recipe: Recipe, marks: bool) -> None:
        self.folder, self.recipe, self.marks = folder, recipe, marks

    def __reduce__(self) -> tuple[type["Texts"], tuple[Path, Recipe, bool]]:
        return Texts, (self.folder, self.recipe, self.marks)

    @cached_property
    def stage(self) -> Stage:
        return Stage(self.folder)

    @cached_property
    def dropped(self) -> NDArray[np.bool_]:
        return np.memmap(self.folder / DROPPED, np.bool_, "r")

    def close(self) -> None:
        """Lets go of the files, which Windows removes only then."""
        if "stage" in self.__dict__:
            self.stage.close()
        self.__dict__.pop("stage", None)
        self.__dict__.pop("dropped", None)

    def chunks(self) -> Iterator[range]:
        """All rows of the stage."""
        for start in range(0, len(self.dropped), ROWS):
            yield range(start, min(start + ROWS, len(self.dropped)))

    def kept(self, chunk: range) -> list[int]:
        """The rows that are learnt from."""
        rows: list[int] = (np.flatnonzero(~self.dropped[chunk.start : chunk.stop]) + chunk.start).tolist()
        return rows

    def every(self) -> Iterator[Text]:
        """All pairs that are learnt from."""
        return chain.from_iterable(self.pairs(self.kept(chunk)) for chunk in self.chunks())

    def spread(self, most: int) -> list[int]:
        """At most so many of them, from all over the corpus."""
        rows = np.linspace(0, len(self.dropped), min(most, len(self.dropped)), endpoint=False).astype(np.int64)
        found: list[int] = rows[~self.dropped[rows]].tolist()
        return found

    def pairs(self, rows: Iterable[int]) -> Iterator[Text]:
        """The rows' sentences without their contexts, as they stand in the files."""
        for row in rows:
            source, target = shown(self.recipe.task, self.stage.pair(row))
            yield Text(row, parted(source)[1], target)

    def real(self, rows: Sequence[int], context: bool = True) -> Iterator[Text]:
        """The rows' texts, with symbols for placeholders and tags where both sides have the same."""
        protects = self.marks and self.recipe.data.placeholders
        for row, source, target in self.pairs(rows):
            source, target = marked(source, target) if protects else (source, target)
            yield Text(row, self.front(row) + source if context else source, target)

    def extra(self, rows: Sequence[int], aligner: Aligner) -> Iterator[Text]:
        """Pairs made of the rows' own that teach terms and symbols."""
        for kinds, share in self.shares().items():
            now = 0

            def given() -> Iterator[Pair]:
                nonlocal now
                for text in self.pairs(rows):
                    now = text.row  # what is made next is made of this one
                    yield text.source, text.target

            seed = crc32(f"{self.recipe.seed} {rows[:1]} {kinds}".encode())
            for source, target in augment(given(), aligner, share, seed, kinds):
                yield Text(now, self.front(now) + source, target)

    def shares(self) -> dict[tuple[str, ...], float]:
        """How many extra pairs there are to a real one, of which kinds."""
        data = self.recipe.data
        wanted = {("terms",): data.terms, ("placeholders", "tags"): 2 * MARKED if data.placeholders else 0.0}
        return {kinds: share for kinds, share in wanted.items() if share and self.marks}

    def front(self, row: int) -> str:
        """The context of a row, with its break; none where a row before it is held out, which may be in it."""
        context = self.recipe.data.context
        if not context or self.dropped[max(row - context, 0) : row].any():
            return ""
        return parted(self.stage.pair(row)[0])[0]


def shown(task: str, pair: Pair) -> Pair:
    """A pair of a stage as its source and target: the only text is the target, an item belongs to its user."""
    if task in ALONE:
        return "", pair[0]
    if task == "ratings":
        item, _, rating = pair[1].partition("\t")
        return f"{pair[0]}\t{item}", rating
    return pair


def marked(source: str, target: str) -> Pair:
    """The pair with symbols for placeholders and tags, where both sides have the same."""
    both = protect_pair(source, target) if WORTH.search(source) or WORTH.search(target) else None
    return (both[0].text, both[1].text) if both else (source, target)


def wants_marks(recipe: Recipe) -> bool:
    """Whether the recipe wants symbols in its texts: for placeholders, tags and terms; words and letters hold none."""
    kinds = {recipe.tokens.kind, recipe.tokens.target or recipe.tokens.kind}
    wanted = recipe.task == "translation" and recipe.data.generate == "none" and kinds <= {"unigram", "bpe"}
    return wanted and (recipe.data.placeholders or recipe.data.terms > 0)
