"""From a recipe's files to a folder of token ids: cleaned, split, cut into tokens; whole or not at all.

corpus = prepare(recipe, Path("model/training/data"), print)
corpus.train.ids(0)         # the first pair's source and target
"""

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from regard.corpus.clean import Report
from regard.corpus.encode import Encoder, Made, Rater, guided, longest, positions
from regard.corpus.gather import HeldOut, gather
from regard.corpus.inventory import find_aligner, find_labels, find_tokens, without_strange
from regard.corpus.labels import Labels, Rated, from_json, to_json
from regard.corpus.pairs import Encoded, Kind, Pairs, write_pairs
from regard.corpus.texts import Pair, Texts, wants_marks
from regard.corpus.workers import in_order
from regard.errors import InputError, RecipeError
from regard.folder import replace
from regard.recipe import Recipe, dump
from regard.text.symbols import BREAK, MASK
from regard.text.tokens import Tokens, Vocabulary

LARGE = 2**16  # ids from which on they take four bytes
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
    if from_tokens:
        check_lent(recipe, from_tokens.source)
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


def check_lent(recipe: Recipe, tokens: Tokens) -> None:
    """An error where an older model's tokens lack what the recipe wants of tokens."""
    ours, theirs = (str(one).lower() for one in (recipe.tokens.lower, tokens.lower))
    if ours != theirs:
        raise RecipeError(f"tokens.lower is {ours}, but the older model's is {theirs}; say tokens.lower = {theirs}")
    otherwise = "train without --start-from"
    if recipe.data.context and not tokens.symbol(BREAK):
        raise RecipeError(f"data.context puts a symbol between sentences, which the older model has not; {otherwise}")
    if recipe.task == "fill" and not tokens.symbol(MASK):
        raise RecipeError(f"the older model has no symbol for what is to be filled in; {otherwise}")


def facts_of(recipe: Recipe, from_tokens: Vocabulary | None) -> dict[str, Any]:
    """All that a corpus depends on, but for the files themselves."""
    plain = dump(recipe)
    own = {
        name: hashlib.sha256(data).hexdigest() for name, data in (from_tokens.files() if from_tokens else {}).items()
    }
    facts = {key: plain[key] for key in ("task", "source", "target", "seed", "data", "tokens")}
    return {**facts, "longest": longest(recipe), "guided": guided(recipe), "from_tokens": own}


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
    held = gather(texts, report)
    for line in report.lines():
        say(line)
    vocabulary = None if recipe.task == "ratings" else from_tokens or find_tokens(texts)
    if vocabulary and not vocabulary.source.knows(BREAK):
        texts = Texts(texts.folder, recipe, marks=False)
    labels = find_labels(texts, held)
    if isinstance(labels, list):
        held = HeldOut(*(without_strange(pairs, labels) for pairs in held))
    if vocabulary and positions(recipe):
        held = HeldOut(*(readable(recipe, pairs, vocabulary, say) for pairs in held))
    tally = Tally()
    made = in_order(worker(texts, vocabulary, labels), texts.chunks())
    write_pairs(tally.counted(made), folder / "train", kind_of(recipe, vocabulary))
    if not tally.pairs:
        raise InputError(
            f"every pair is longer than the {longest(recipe)} tokens that a side may have; give shorter ones"
        )
    counts = {
        "pairs": tally.pairs, "extra": tally.extra, "long": tally.long, "valid": len(held.valid),
        "test": len(held.test), "tokens": [len(tokens) for tokens in vocabulary or ()],
    }  # fmt: skip
    for line in summary(recipe, counts):
        say(line)
    texts.close()
    shutil.rmtree(texts.folder)
    files = {"valid.json": msgspec.json.encode(held.valid), "test.json": msgspec.json.encode(held.test)}
    files |= vocabulary.files() if vocabulary else {}
    files |= {} if labels is None else {"labels.json": to_json(labels)}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    manifest = {"facts": facts, "files": sizes(folder), "report": {**report.as_dict(), **counts}}
    (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))


def readable(recipe: Recipe, held: list[Pair], vocabulary: Vocabulary, say: Callable[[str], None]) -> list[Pair]:
    """The held-out pairs without those that have more tokens than the model learns positions: it cannot be asked."""
    most = positions(recipe) - 1
    sides = zip(*(tokens.encode_all([pair[i] for pair in held]) for i, tokens in enumerate(vocabulary)), strict=True)
    fits = [pair for pair, both in zip(held, sides, strict=True) if max(map(len, both)) <= most]
    if held and not fits:
        raise InputError(
            f"every held-out pair is longer than the {most} tokens that the model can read; raise its longest"
        )
    if len(fits) < len(held):
        say(f"{len(held) - len(fits):,} held-out pairs left out: a side has more than {most} tokens")
    return fits


def worker(texts: Texts, vocabulary: Vocabulary | None, labels: Labels | None) -> Callable[[range], Made]:
    """Who makes ids of a chunk."""
    if isinstance(labels, Rated):
        return Rater(texts, numbered(labels.users), numbered(labels.items))
    assert vocabulary is not None
    return Encoder(texts, vocabulary, numbered(labels or []), find_aligner(texts))


def numbered(names: list[str]) -> dict[str, int]:
    return {name: i for i, name in enumerate(names)}


def kind_of(recipe: Recipe, vocabulary: Vocabulary | None) -> Kind:
    """What the ids are: of tokens, and in two bytes where there are so few of them."""
    largest = max(map(len, vocabulary)) if vocabulary else LARGE
    texts = (recipe.task in ("translation", "g2p", "classify"), recipe.task not in ("classify", "ratings"))
    return Kind(texts=texts, ids="uint16" if largest < LARGE else "int32")


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


def summary(recipe: Recipe, counts: dict[str, Any]) -> list[str]:
    """What is learnt from, in words."""
    extra = f", {counts['extra']:,} of them made to teach terms and placeholders" if counts["extra"] else ""
    held = f"{counts['valid']:,} for validation, {counts['test']:,} for the test"
    lines = [f"{counts['pairs']:,} pairs to learn from{extra}; {held}"]
    if counts["long"]:
        lines.append(f"{counts['long']:,} pairs left out: a side has more than {longest(recipe)} tokens")
    if counts["tokens"]:
        lines.append(f"tokens: {' and '.join(f'{size:,}' for size in dict.fromkeys(counts['tokens']))}")
    return lines
