"""From a recipe's files to a folder of token ids: cleaned, split, cut into tokens; whole or not at all.

corpus = prepare(recipe, Path("model/training/data"), print)
corpus.train.ids(0)         # the first pair's source and target
"""

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from regard.corpus.align import Aligner, words
from regard.corpus.clean import Report
from regard.corpus.encode import Encoder, Made, Rater, longest, rating
from regard.corpus.gather import gather
from regard.corpus.labels import Labels, Rated, from_json, to_json
from regard.corpus.pairs import Encoded, Pairs, write_pairs
from regard.corpus.texts import ALONE, ROWS, Pair, Texts, wants_marks
from regard.corpus.workers import in_order
from regard.errors import InputError, RecipeError
from regard.folder import replace
from regard.recipe import Recipe, dump
from regard.text.symbols import BREAK
from regard.text.tokens import Tokens, Vocabulary

SAMPLE = 250_000  # pairs that tokens are learnt from
ALIGNED = 100_000  # pairs that word links are learnt from
FEW = 40  # chunks: below that, starting processes takes longer than the work
MOST_LABELS = 1000
MANIFEST = "corpus.json"


class Corpus(NamedTuple):
    """What a run learns from: `train` as ids, `valid` and `test` as texts."""

    task: str
    vocabulary: Vocabulary | None  # ratings have none
    labels: Labels | None  # of classify and ratings
    train: Pairs
    valid: list[Pair]
    test: list[Pair]
    report: dict[str, Any]


def prepare(recipe: Recipe, into: Path, say: Callable[[str], None], from_tokens: Vocabulary | None = None) -> Corpus:
    """The corpus of a recipe, made in the folder, or opened where it is there.

    A model that is trained further brings its own tokens.
    """
    facts = facts_of(recipe, from_tokens)
    if not is_there(into, facts):
        making = into.with_name(f".{into.name}-making")
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        try:
            make(recipe, making, facts, say, from_tokens)
            replace(making, into)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    return opened(recipe, into)


def facts_of(recipe: Recipe, from_tokens: Vocabulary | None) -> dict[str, Any]:
    """All that a corpus depends on, but for the files themselves."""
    plain = dump(recipe)
    own = {
        name: hashlib.sha256(data).hexdigest() for name, data in (from_tokens.files() if from_tokens else {}).items()
    }
    facts = {key: plain[key] for key in ("task", "source", "target", "seed", "data", "tokens")}
    return {**facts, "longest": longest(recipe), "guided": recipe.training.guided > 0, "from_tokens": own}


def is_there(folder: Path, facts: dict[str, Any]) -> bool:
    """Whether the folder holds the corpus of these facts, each file as long as it was written."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes())
    except (OSError, msgspec.DecodeError):
        return False
    same = msgspec.json.encode(manifest["facts"], order="sorted") == msgspec.json.encode(facts, order="sorted")
    return same and manifest["files"] == sizes(folder)


def sizes(folder: Path) -> dict[str, int]:
    """How long each file of a corpus is."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST]
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in paths}


def opened(recipe: Recipe, folder: Path) -> Corpus:
    paths = {path.name: path for path in folder.iterdir()}
    vocabulary = Vocabulary.open(paths, recipe.tokens) if "tokens.model" in paths else None
    labels = from_json(paths["labels.json"].read_bytes()) if "labels.json" in paths else None
    held = [msgspec.json.decode(paths[f"{name}.json"].read_bytes(), type=list[Pair]) for name in ("valid", "test")]
    report = msgspec.json.decode(paths[MANIFEST].read_bytes())["report"]
    return Corpus(recipe.task, vocabulary, labels, Pairs(folder / "train", vocabulary), held[0], held[1], report)


def make(
    recipe: Recipe, folder: Path, facts: dict[str, Any], say: Callable[[str], None], from_tokens: Vocabulary | None
) -> None:
    """Make all of a corpus in an empty folder."""
    report = Report()
    texts = Texts(folder / "stage", recipe, wants_marks(recipe))
    valid, test = gather(texts, report)
    for line in report.lines():
        say(line)
    files = {"valid.json": msgspec.json.encode(valid), "test.json": msgspec.json.encode(test)}
    vocabulary: Vocabulary | None = None
    labels: Labels | None = None
    if recipe.task == "ratings":
        labels = raters(texts)
    else:
        vocabulary = from_tokens or learnt(texts)
        files |= vocabulary.files()
        texts = Texts(texts.folder, recipe, texts.marks and vocabulary.source.knows(BREAK))
        if recipe.task == "classify":
            labels = classes(texts, [*valid, *test])
    if labels is not None:
        files["labels.json"] = to_json(labels)
    tally = Tally()
    chunks = in_order(worker(texts, vocabulary, labels), range(0, len(texts.dropped), ROWS), FEW)
    write_pairs(tally.counted(chunks), folder / "train", max(map(len, vocabulary)) if vocabulary else 2**31)
    if not tally.pairs:
        raise InputError("all pairs are longer than the model may read; give shorter ones")
    counts = {
        **tally.as_dict(),
        "valid": len(valid),
        "test": len(test),
        "tokens": [len(one) for one in vocabulary or ()],
    }
    counts["longest"] = longest(recipe)
    for line in counted(counts):
        say(line)
    shutil.rmtree(texts.folder)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    manifest = {"facts": facts, "files": sizes(folder), "report": {**report.as_dict(), **counts}}
    (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))


def worker(texts: Texts, vocabulary: Vocabulary | None, labels: Labels | None) -> Callable[[int], Made]:
    """Who makes ids of a chunk."""
    if isinstance(labels, Rated):
        users, items = ({name: i for i, name in enumerate(names)} for names in (labels.users, labels.items))
        return Rater(texts, users, items)
    assert vocabulary is not None
    aligns = bool(texts.shares()) or texts.recipe.training.guided > 0
    return Encoder(
        texts, vocabulary, {label: i for i, label in enumerate(labels or ())}, aligner(texts) if aligns else None
    )


class Tally:
    """Counts what goes through it."""

    def __init__(self) -> None:
        self.pairs = self.extra = self.long = 0

    def counted(self, chunks: Iterable[Made]) -> Iterator[Encoded]:
        for made in chunks:
            self.pairs += len(made.pairs.lengths)
            self.extra += made.extra
            self.long += made.long
            yield made.pairs

    def as_dict(self) -> dict[str, int]:
        return {"pairs": self.pairs, "extra": self.extra, "long": self.long}


def counted(counts: dict[str, Any]) -> list[str]:
    """What is learnt from, for a terminal."""
    extra = f", {counts['extra']:,} of them made to teach terms and placeholders" if counts["extra"] else ""
    held = f"{counts['valid']:,} for validation, {counts['test']:,} for the test"
    lines = [f"{counts['pairs']:,} pairs to learn from{extra}; {held}"]
    if counts["long"]:
        lines.append(f"{counts['long']:,} pairs were left out: more than the {counts['longest']} tokens")
    if counts["tokens"]:
        lines.append(f"tokens: {' and '.join(f'{size:,}' for size in dict.fromkeys(counts['tokens']))}")
    return lines


def learnt(texts: Texts) -> Vocabulary:
    """Tokens out of the pairs that are learnt from."""
    recipe, spec = texts.recipe, texts.recipe.tokens
    if recipe.data.context and "words" in (spec.kind, spec.target):
        raise RecipeError("data.context wants tokens that can stand for a break; tokens.kind is 'words'")
    symbols = texts.marks or recipe.data.context > 0 or recipe.task == "fill"
    rows = texts.spread(SAMPLE)
    of = len(texts.dropped) - int(np.count_nonzero(texts.dropped))
    sources = (text.source for text in texts.real(rows, context=False))
    targets = (text.target for text in texts.real(rows, context=False))
    if recipe.task in ALONE or recipe.task == "classify":
        tokens = Tokens.train(
            targets if recipe.task in ALONE else sources, spec.kind, spec.size, symbols, spec.lower, of
        )
        return Vocabulary(tokens, tokens)
    if spec.joint:
        tokens = Tokens.train(chain(sources, targets), spec.kind, spec.size, symbols, spec.lower, 2 * of)
        return Vocabulary(tokens, tokens)
    return Vocabulary(
        Tokens.train(sources, spec.kind, spec.size, symbols, spec.lower, of),
        Tokens.train(targets, spec.target or spec.kind, spec.size, symbols, spec.lower, of),
    )


def aligner(texts: Texts) -> Aligner:
    """Which words translate which, out of some of the pairs."""
    rows = texts.spread(ALIGNED)
    return Aligner.train([(words(text.source), words(text.target)) for text in texts.pairs(rows)])


def classes(texts: Texts, held: Iterable[Pair]) -> list[str]:
    """The labels there are."""
    found = {text.target for text in texts.pairs(texts.every())}
    if len(found) < 2:
        raise InputError(f"every sentence has the label {found.pop()!r}; give sentences of two labels or more")
    if len(found) > MOST_LABELS:
        raise InputError(
            f"{len(found):,} labels, such as {min(found)!r}; at most {MOST_LABELS} are learnt: look at the columns"
        )
    if unknown := sorted({label for _, label in held} - found):
        raise InputError(f"label {unknown[0]!r} is to be tested, but no sentence to learn from has it")
    return sorted(found)


def raters(texts: Texts) -> Rated:
    """The users and items there are, and the lowest and the highest rating."""
    users, items, low, high = set(), set(), np.inf, -np.inf
    for text in texts.pairs(texts.every()):
        user, item, value = rating(text)
        users.add(user)
        items.add(item)
        low, high = min(low, value), max(high, value)
    return Rated(users=sorted(users), items=sorted(items), low=low, high=high)
