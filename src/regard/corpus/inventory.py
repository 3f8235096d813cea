"""What is found in the texts before they become numbers: tokens, labels, users and items, which words go together."""

from collections.abc import Container

import numpy as np

from regard.corpus.align import Aligner, words
from regard.corpus.encode import guided, rating
from regard.corpus.gather import HeldOut
from regard.corpus.labels import Labels, Rated
from regard.corpus.texts import ALONE, Pair, Texts, wants_marks
from regard.errors import InputError, RecipeError
from regard.recipe.data import TokenKind
from regard.text.tokens import Tokens, Vocabulary

SAMPLE, LETTERS = 250_000, 30_000_000  # pairs, and bytes of them, that tokens are learnt from
ALIGNED, LINKS = 100_000, 50_000_000  # pairs, and links of their words, that it is learnt from which go together
WORD = 6  # bytes of a word, about
MOST_LABELS = 1000


def find_tokens(texts: Texts) -> Vocabulary:
    """Tokens out of the pairs that are learnt from."""
    task, spec = texts.recipe.task, texts.recipe.tokens
    if texts.recipe.data.context and "words" in (spec.kind, spec.target):
        raise RecipeError("data.context puts a break between sentences, which tokens of kind 'words' cannot hold")
    rows = texts.spread(min(SAMPLE, int(LETTERS / size_of(texts)) + 1))
    count = len(texts.dropped) - int(np.count_nonzero(texts.dropped))

    def learn(kind: TokenKind, *sides: int) -> Tokens:
        symbols = wants_marks(texts.recipe) or texts.recipe.data.context > 0 or task == "fill"
        alone = texts.real(rows, context=False)  # a context comes as sentences themselves
        sentences = ((text.source, text.target)[side] for text in alone for side in sides)
        return Tokens.train(sentences, kind, spec.size, symbols, spec.lower, count * len(sides))

    if task in ALONE or task == "classify" or spec.joint:
        sides = (1,) if task in ALONE else (0,) if task == "classify" else (0, 1)
        tokens = learn(spec.kind, *sides)
        return Vocabulary(tokens, tokens)
    return Vocabulary(learn(spec.kind, 0), learn(spec.target or spec.kind, 1))


def find_aligner(texts: Texts) -> Aligner | None:
    """Which words go together, where that is asked for: for links, or for pairs that teach terms and placeholders."""
    if not (texts.shares() or guided(texts.recipe)):
        return None
    links = (size_of(texts) / 2 / WORD) ** 2  # of a pair
    pairs = texts.pairs(texts.spread(min(ALIGNED, int(LINKS / links) + 1)))
    return Aligner.train([(words(text.source), words(text.target)) for text in pairs])


def size_of(texts: Texts) -> float:
    """The bytes of a pair, on average."""
    return float(texts.stage.ends[-1, 1]) / len(texts.stage)


def find_labels(texts: Texts, held: HeldOut) -> Labels | None:
    """The labels of sentences, or what is rated by whom."""
    if texts.recipe.task == "ratings":
        return rated(texts, held)
    return labels(texts, held) if texts.recipe.task == "classify" else None


def labels(texts: Texts, held: HeldOut) -> list[str]:
    data = texts.recipe.data
    found = {text.target for text in texts.every()}
    if len(found) == 1:
        raise InputError(f"every sentence has the label {min(found)!r}; give sentences of two labels or more")
    if len(found) > MOST_LABELS:
        raise InputError(
            f"{len(found):,} labels, such as {min(found)!r}; at most {MOST_LABELS:,} go: look at the columns"
        )
    for given, some in ((data.valid, held.valid), (data.test, held.test)):
        strange = {label for _, label in some} - found
        if strange and (given or not without_strange(some, found)):
            raise InputError(f"label {min(strange)!r} is asked for, but no sentence to learn from has it")
    return sorted(found)


def without_strange(pairs: list[Pair], known: Container[str]) -> list[Pair]:
    """The pairs of known labels: the only sentence of a rare one may be among those that were held out."""
    return [pair for pair in pairs if pair[1] in known]


def rated(texts: Texts, held: HeldOut) -> Rated:
    users: set[str] = set()
    items: set[str] = set()
    low, high = float("inf"), float("-inf")
    for text in texts.every():
        user, item, value = rating(text)
        users.add(user)
        items.add(item)
        low, high = min(low, value), max(high, value)
    asked = [question.split("\t") for question, _ in held.valid]
    if asked and not any(user in users and item in items for user, item in asked):
        raise InputError(
            f"{len(asked):,} ratings are held out, but of each the user or the item is rated nowhere else; give more"
        )
    return Rated(users=sorted(users), items=sorted(items), low=low, high=high)
