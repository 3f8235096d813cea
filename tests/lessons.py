"""Something small to learn for each task, and how it is learnt within a second or two."""

import json
import random

from regard.corpus.prepare import prepare
from regard.recipe import from_plain, to_toml
from regard.training.run import train

WORDS = [
    "the", "a", "dog", "cat", "old", "house", "sees", "hears", "under", "garden", "no", "small", "tree", "runs", "owl",
    "it", "never", "sings", "and",
]  # fmt: skip
STACK = {"width": 14, "inner": 23, "heads": 2}
PAIR = {**STACK, "encoder_layers": 1, "decoder_layers": 1}
MODELS = {
    "translation": PAIR,
    "g2p": PAIR,
    "language": {**STACK, "layers": 1},
    "fill": {**STACK, "layers": 1},
    "classify": {**STACK, "layers": 1},
    "ratings": {"width": 3},
}
TOKENS = {"g2p": {"kind": "characters", "target": "words", "joint": False}}


def rows(task, count=301, seed=1):
    """A table's rows: a sentence and the same in capitals, a word and its letters, a sentence and whether a dog is in
    it, a user's rating of an item, or a sentence."""
    rng = random.Random(seed)
    for _ in range(count):
        sentence = " ".join(rng.choices(WORDS, k=rng.randint(2, 7)))
        if task == "translation":
            yield sentence, sentence.upper()
        elif task == "g2p":
            word = "".join(rng.choices("abcdefg", k=rng.randint(2, 7)))
            yield word, " ".join(word.upper())
        elif task == "classify":
            yield sentence, "dog" if "dog" in sentence else "none"
        elif task == "ratings":
            user, item = rng.randrange(29), rng.randrange(31)
            yield f"user{user}", f"item{item}", str(1 + (user * 7 + item) % 5)
        else:
            yield (sentence,)


def lesson(task, folder, **changed):
    """A recipe for such rows, which it writes into the folder; changed are its tables: training={"steps": 7}."""
    (folder / f"{task}.tsv").write_text("".join("\t".join(row) + "\n" for row in rows(task)))
    plain = {
        "task": task,
        "data": {"train": [{"files": [f"{task}.tsv"]}], "folder": str(folder), "clean": False, "held_out": 11},
        "tokens": TOKENS.get(task, {}),
        "model": MODELS[task],
        "training": {"precision": "float32", "batch": 61, "steps": 20, "warmup": 5, "rate": 3e-3, "average": 0.0},
    }
    for table, more in changed.items():
        plain[table] = {**plain.get(table, {}), **more} if isinstance(more, dict) else more
    return from_plain(plain)


def corpus_of(recipe, folder):
    """What such a recipe learns from."""
    return prepare(recipe, folder / "data", lambda text: None)


def learn(recipe, out, piece=61, precision="float32"):
    """Trains in this process alone, as if its settings had been measured already; returns the log."""
    (out / "training").mkdir(parents=True, exist_ok=True)
    settings = {"device": "cpu", "precision": precision, "workers": 1, "piece": piece}
    (out / "training" / "settings.json").write_text(json.dumps(settings))
    (out / "training" / "recipe.toml").write_text(to_toml(recipe))
    train(recipe, out)
    return events(out)


def events(out, kind=None):
    """The log's events, or those of a kind."""
    found = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    return [event for event in found if kind in (None, event["event"])]
