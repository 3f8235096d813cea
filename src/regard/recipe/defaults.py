"""A recipe for who gives only data: a model and settings that suit the task and how much there is to learn from."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from regard.errors import RecipeError
from regard.recipe.data import FilesSpec
from regard.recipe.read import from_plain
from regard.recipe.set import overridden, with_preset
from regard.recipe.specs import Recipe
from regard.recipe.tasks import KINDS, check_task

PACKED = {".gz": 3, ".parquet": 3}  # how many times as large a packed file's text is, about


class Size(NamedTuple):
    """What suits data up to a size."""

    megabytes: float  # of text, both sides; a pair of sentences is about 100 bytes
    preset: str  # of the model; none where a model of that kind has none
    settings: str  # over the recipe, as --set has them


ALL = "training.schedule=cosine"
ENDLESS = float("inf")
# The one table of defaults: first what a task wants at any size, then by size.
TASKS = {
    "translation": "",
    "g2p": "tokens.kind=characters tokens.target=words tokens.joint=false",
    "language": "training.smoothing=0",
    "fill": "training.smoothing=0",
    "classify": "training.smoothing=0 training.decay=0.01",
    "ratings": "training.smoothing=0 training.average=0.99",
}
SIZES = {
    "translation": (
        Size(1, "tiny", "training.steps=4000 training.batch=1024 training.rate=2e-3 training.warmup=400"),
        Size(10, "tiny", "training.steps=8000 training.batch=4096 training.rate=2e-3 training.warmup=800"),
        Size(100, "small", "training.steps=20000 training.batch=4096 training.rate=1e-3 training.warmup=1000"),
        Size(ENDLESS, "small", "training.steps=60000 training.batch=8192 training.rate=1e-3 training.warmup=2000"),
    ),
    "g2p": (
        Size(0.5, "tiny", "training.steps=4000 training.batch=1024 training.rate=2e-3 training.warmup=400"),
        Size(ENDLESS, "small", "training.steps=12000 training.batch=4096 training.rate=1e-3 training.warmup=600"),
    ),
    "language": (
        Size(1, "tiny", "training.steps=2000 training.batch=2048 training.rate=2e-3 training.warmup=200"),
        Size(20, "small", "training.steps=8000 training.batch=4096 training.rate=1e-3 training.warmup=400"),
        Size(ENDLESS, "small", "training.steps=30000 training.batch=8192 training.rate=1e-3 training.warmup=1000"),
    ),
    "fill": (
        Size(1, "tiny", "training.steps=4000 training.batch=2048 training.rate=2e-3 training.warmup=400"),
        Size(20, "small", "training.steps=12000 training.batch=4096 training.rate=1e-3 training.warmup=600"),
        Size(ENDLESS, "small", "training.steps=40000 training.batch=8192 training.rate=1e-3 training.warmup=1000"),
    ),
    "classify": (
        Size(10, "tiny", "training.steps=1500 training.batch=64 training.rate=5e-4 training.warmup=150"),
        Size(ENDLESS, "small", "training.steps=10000 training.batch=128 training.rate=3e-4 training.warmup=500"),
    ),
    "ratings": (
        Size(10, "", "training.steps=3000 training.batch=1024 training.rate=3e-3 training.warmup=100 model.width=16"),
        Size(ENDLESS, "", "training.steps=30000 training.batch=8192 training.rate=3e-3 training.warmup=500"),
    ),
}


def for_data(task: str, train: Sequence[FilesSpec], source: str = "", target: str = "", preset: str = "") -> Recipe:
    """What such data is best learnt with; `preset` names another size of model."""
    plain = {"task": check_task(task), "source": source, "target": target, "model": {"kind": KINDS[task][0]}}
    recipe = from_plain({**plain, "data": {"train": [msgspec.to_builtins(files) for files in train]}})
    size = next(size for size in SIZES[task] if megabytes(train) <= size.megabytes)
    recipe = overridden(recipe, f"{ALL} {TASKS[task]} {size.settings}".split())
    return with_preset(recipe, preset or size.preset) if preset or size.preset else recipe


def megabytes(train: Sequence[FilesSpec]) -> float:
    """About how much text there is."""
    paths = [Path(name) for files in train for name in files.files]
    try:
        return sum(path.stat().st_size * PACKED.get(path.suffix.lower(), 1) for path in paths) / 1e6
    except OSError as error:
        raise RecipeError(f"{error.filename} cannot be read: {error.strerror}") from None
