"""A training so small that it can be run again and again, and what must be alike of two runs of it."""

import hashlib
import random

import torch

from regard import folder
from regard.corpus.prepare import prepare
from regard.models.build import build
from regard.recipe import load
from regard.training import checkpoint
from regard.training.crew import Learner
from regard.training.flat import Flat
from regard.training.objective import make_objective
from regard.training.sizes import sizes_of
from regard.training.watch.journal import read

# Words, and the same read backwards; dropout and tokens are drawn anew at each step. A step is a piece: one worker's.
RECIPE = """
seed = 3
[data]
folder = "{folder}"
clean = false
languages = false
placeholders = false
terms = 0.0
held_out = 17
[[data.train]]
files = ["pairs.tsv"]
[tokens]
size = 53
sampling = 0.3
[model]
kind = "transformer"
width = 22
inner = 23
heads = 2
encoder_layers = 1
decoder_layers = 1
dropout = 0.1
[training]
warmup = 7
average = 0.9
save_every = 10
stop_on = "loss"
"""
OF_TIME = (
    "time", "seconds", "cpu_seconds", "tokens_per_second", "line_seconds", "first_steps", "first_seconds",
)  # fmt: skip  # what no two runs have alike


def written(path, **training):
    """The recipe as a file in the folder, beside the pairs; over [training]'s own."""
    given = {"precision": '"float32"', "batch": 97, "steps": 50, "rate": "1e-2", "validate_every": 20, **training}
    path.mkdir(parents=True, exist_ok=True)
    text = RECIPE.format(folder=path.as_posix()) + "".join(f"{key} = {value}\n" for key, value in given.items())
    (path / "small.toml").write_text(text)
    rng = random.Random(3)
    words = ["".join(rng.choices("abcdefgh", k=rng.randint(2, 5))) for _ in range(41)]
    said = [rng.choices(words, k=rng.randint(1, 4)) for _ in range(401)]
    lines = (f"{' '.join(one)}\t{' '.join(word[::-1] for word in one)}\n" for one in said)
    (path / "pairs.tsv").write_text("".join(lines))
    return path / "small.toml"


def small(path, **training):
    return load(written(path, **training))


class Watch:
    """Remembers what it sees, and does something about it."""

    def __init__(self, then=None):
        self.events, self.then = [], then

    def see(self, event):
        self.events.append(event)
        if self.then:
            self.then(event)

    def close(self):
        pass

    @property
    def notes(self):
        return [event["text"] for event in self.events if event["event"] == "note"]


def timeless(facts):
    return {key: value for key, value in facts.items() if key not in OF_TIME}


def told(out):
    """The log, without what is said of the corpus, and how long it took."""
    return [timeless(event) for event in read(out / "log.jsonl") if event["event"] != "note"]


def outcome(out):
    """All of a finished training that another one must have to the last bit."""
    found, _ = checkpoint.latest(out / "training")
    tensors = {name: hashlib.sha256(one.numpy().tobytes()).hexdigest() for name, one in found.tensors.items()}
    files = folder.read_manifest(out)["files"]
    kept = {name: files[name] for name in ("weights.safetensors", "scores.json")}
    return {"log": told(out), "state": timeless(found.facts), "tensors": tensors, "model": kept}


def prepared(path, **training):
    """A recipe and its corpus."""
    recipe = small(path, **training)
    return recipe, prepare(recipe, path / "data", str)


def learner(recipe, corpus):
    """A model of the corpus, always the same, that learns."""
    torch.manual_seed(recipe.seed)
    module = build(recipe.model, *sizes_of(corpus))
    return Learner(recipe, module, Flat(module), make_objective(recipe, module, torch.float32), corpus.train)
