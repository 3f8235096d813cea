"""How many steps a run will have, and what that means in time, memory and disk: `regard train --dry-run`."""

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from regard.models.build import parameters
from regard.recipe import Recipe
from regard.training import checkpoint
from regard.training.exam import Exam
from regard.training.settings import check_device
from regard.training.signals import leaving
from regard.training.threads import one_thread
from regard.training.watch import Watcher
from regard.training.watch.words import duration, size

if TYPE_CHECKING:
    from regard.training.run import Run

FIRST_LOOK = 20  # steps after which the speed is known well enough for a first plan,
EARLY = 0.1  # or this share of the time, where steps are slow
ROUND = 10  # steps; plans are multiples of it where there is time for so many, as what is logged and saved


def replanned(planned: float, step: int, seconds: float, speed: float) -> int:
    """The steps of a run for which so many seconds are planned, after some steps and seconds, by its steps a second."""
    steps = step + int(max(0.0, planned - seconds) * speed)
    rounded = steps // ROUND * ROUND
    return rounded if rounded > step else steps


class Plan(NamedTuple):
    """What a dry run tells."""

    pairs: int
    parameters: int
    vocabulary: tuple[int, ...]
    settings: str
    steps: int
    epochs: float
    seconds: float  # of all steps
    tokens_per_second: float
    memory: int  # bytes, of all processes; 0 where the system does not tell
    disk: int  # bytes, while it trains

    def lines(self) -> list[str]:
        known = " and ".join(f"{one:,}" for one in dict.fromkeys(self.vocabulary))
        facts = {
            "learns from": f"{self.pairs:,} pairs, {self.epochs:.1f} times in {self.steps:,} steps",
            "model": f"{size(self.parameters)} numbers" + (f", {known} tokens" if known else ""),
            "computes in": self.settings,
            "speed": f"{self.tokens_per_second:,.0f} target tokens/s",
            "time": f"{duration(self.seconds)}, and what its validations take",
            "memory": f"{self.memory / 2**20:,.0f} MiB" if self.memory else "unknown here",
            "disk": f"{self.disk / 2**20:,.0f} MiB while it trains",
        }
        return [f"{name:<12} {fact}" for name, fact in facts.items()]


TIMED = 6.0  # seconds that are learnt for a dry run
COPIES = 2 * 4 + 2  # of a model's numbers on the disk: two checkpoints of four, the model, another one on its way
FLOAT = 4  # bytes


def rehearsed(recipe: Recipe, device: str, watchers: Sequence[Watcher]) -> Plan:
    """Begins a training in a folder that is thrown away, and tells what it saw."""
    from regard.training.run import Run

    check_device(device)
    with leaving(), one_thread(), tempfile.TemporaryDirectory(prefix="regard-") as folder:
        run = Run(recipe, Path(folder), device, watchers)
        try:
            return seen(run, Path(folder))
        finally:
            run.close()


def seen(run: "Run", folder: Path) -> Plan:
    """The plan of a run, by its first steps, a checkpoint and a validation."""
    spec, settings, corpus = run.recipe.training, run.settings, run.corpus
    stream, tokens, count, began = run.stream(), 0, 0, time.perf_counter()
    for number, pieces in enumerate(stream):
        if number == 1:  # the first one warms up
            tokens, count, began = 0, 0, time.perf_counter()
        share = run.crew.learn(number + 1, pieces)
        run.improver.improve(number + 1, share.things, 0.0)
        tokens, count, passed = tokens + share.tokens, count + 1, time.perf_counter() - began
        if number > 1 and passed > TIMED:
            break
    steps = round(spec.seconds * count / passed) if spec.seconds else spec.steps
    numbers, learning = parameters(run.module), memory()
    disk = sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) + COPIES * FLOAT * numbers
    checkpoint.save(run.place, 0, run.improver.tensors(), {})
    with run.improver.averaged():
        Exam(run.recipe, corpus, run.objective, settings.device).take(run.module)
    return Plan(
        pairs=len(corpus.train),
        parameters=numbers,
        vocabulary=tuple(map(len, corpus.vocabulary or ())),
        settings=f"{settings.precision} on {settings.device}, {settings.workers} x {settings.piece:,} tokens at once",
        steps=steps,
        epochs=steps / (len(stream.now) * stream.blocks),
        seconds=steps * passed / count,
        tokens_per_second=tokens / passed,
        memory=memory() + learning * (settings.workers - 1),
        disk=disk,
    )


def memory() -> int:
    """The bytes that this process has held at most; while it learns, each worker holds about as many."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
