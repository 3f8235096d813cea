"""From the texts of a stage to token ids, chunk by chunk: what becomes of a chunk depends on nothing but the chunk."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite, nan
from typing import NamedTuple

import numpy as np

from regard.corpus.align import Aligner, spans
from regard.corpus.pairs import Encoded, Floats, Links, holding
from regard.corpus.texts import ALONE, Text, Texts
from regard.errors import InputError
from regard.recipe import Recipe, StackSpec
from regard.text.context import parted
from regard.text.tokens import Tokens, Vocabulary

LONGEST = 250  # tokens a side may have

Ids = list[int]


class Made(NamedTuple):
    """An encoded chunk, and what was seen on the way."""

    pairs: Encoded
    extra: int = 0  # pairs that teach terms and symbols
    long: int = 0  # pairs that were left out for their length


@dataclass(frozen=True)
class Encoder:
    """Makes ids of sentences; small enough to be sent to each process."""

    texts: Texts
    vocabulary: Vocabulary
    labels: dict[str, int]
    aligner: Aligner | None

    def __call__(self, chunk: range) -> Made:
        """What becomes of a chunk of the stage's rows."""
        rows = self.texts.kept(chunk)
        found = list(self.texts.real(rows))
        found += self.texts.extra(rows, self.aligner) if self.aligner else []
        ids = self.ids(found)
        lengths = np.array([(len(source), len(target)) for source, target in ids], np.int32).reshape(-1, 2)
        fits = np.flatnonzero((lengths <= longest(self.texts.recipe)).all(1)).tolist()
        flat = chain.from_iterable(chain(*ids[i]) for i in fits)
        made = Encoded(
            np.fromiter(flat, np.int32),
            lengths[fits],
            weights=weights(self.texts, [found[i].row for i in fits]),
            links=[self.links(found[i]) for i in fits] if guided(self.texts.recipe) else None,
        )
        return Made(made, len(found) - len(rows), len(found) - len(fits))

    def ids(self, texts: Sequence[Text]) -> list[tuple[Ids, Ids]]:
        """Both sides' ids."""
        sources, targets = [text.source for text in texts], [text.target for text in texts]
        task = self.texts.recipe.task
        ours: list[Ids] = [[] for _ in texts] if task in ALONE else self.vocabulary.source.encode_all(sources)
        if task == "classify":
            return list(zip(ours, ([self.labels[target]] for target in targets), strict=True))
        return list(zip(ours, self.vocabulary.target.encode_all(targets), strict=True))

    def links(self, text: Text) -> Links:
        """Which tokens belong together: those of words that are linked; a context's are with none."""
        assert self.aligner is not None
        source, holds_source = words_of(self.vocabulary.source, text.source)
        target, holds_target = words_of(self.vocabulary.target, text.target)
        before = len(spans(parted(text.source)[0]))
        linked = self.aligner.align(source[before:], target)
        found = {(a, b) for i, j in linked for a in holds_source[before + i] for b in holds_target[j]}
        return np.array(sorted(found), np.uint8).reshape(-1, 2)


@dataclass(frozen=True)
class Rater:
    """Makes numbers of users and items."""

    texts: Texts
    users: dict[str, int]
    items: dict[str, int]

    def __call__(self, chunk: range) -> Made:
        rows = self.texts.kept(chunk)
        rated = [rating(text) for text in self.texts.pairs(rows)]
        ids = np.array([(self.users[user], self.items[item]) for user, item, _ in rated], np.int32)
        values = np.array([value for *_, value in rated], np.float32)
        return Made(Encoded(ids.ravel(), np.ones((len(rows), 2), np.int32), weights(self.texts, rows), values))


def words_of(tokens: Tokens, text: str) -> tuple[list[str], list[range]]:
    """The words of a text, as the aligner wants them, and which tokens hold some of each."""
    text = tokens.seen([text])[0]
    places = spans(text)
    return [text[start:end].lower() for start, end in places], holding(places, tokens.places(tokens.cut(text)))


def guided(recipe: Recipe) -> bool:
    """Whether links are recorded; letters and sounds hold no words that could be linked."""
    return recipe.training.guided > 0 and recipe.task == "translation"


def weights(texts: Texts, rows: Sequence[int]) -> Floats | None:
    """How often an epoch has these rows; None where all files' are alike."""
    of_files = [files.weight for files in texts.recipe.data.train]
    if all(weight == 1 for weight in of_files):
        return None
    return np.array(of_files, np.float32)[texts.stage.groups[rows]]


def longest(recipe: Recipe) -> int:
    """How many tokens a side may have, begin or end left out."""
    return min(LONGEST, positions(recipe) - 1) if positions(recipe) else LONGEST


def positions(recipe: Recipe) -> int:
    """How many positions a model learns; 0 where it knows no limit."""
    model = recipe.model
    return model.longest if isinstance(model, StackSpec) and model.positions == "learned" else 0


def rating(text: Text) -> tuple[str, str, float]:
    """User, item and rating."""
    user, _, item = text.source.partition("\t")
    try:
        value = float(text.target)
    except ValueError:
        value = nan
    if not isfinite(value):
        raise InputError(f"rating {text.target!r} of user {user!r}, item {item!r}: give a number")
    return user, item, value
