"""A training from a recipe to a model's folder: it survives anything, and goes on where it stood.

    train(load("recipes/dates.toml"), Path("dates"))

In the folder's `training/` lies what a run needs to go on: the recipe, the corpus as token ids, settings, checkpoints.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import torch

from regard.corpus.batches import Position, Stream
from regard.corpus.prepare import prepare
from regard.errors import UserError
from regard.models.build import build, parameters
from regard.recipe import Recipe, load, to_toml
from regard.training import checkpoint
from regard.training.course import Course, State
from regard.training.crew import Crew, Learner
from regard.training.exam import Exam
from regard.training.finish import as_file, finish
from regard.training.flat import Flat
from regard.training.improver import Improver
from regard.training.measure import measured
from regard.training.objective import make_objective
from regard.training.older import Older
from regard.training.settings import Settings, check_device, keep_memory
from regard.training.signals import Stop, stopping
from regard.training.sizes import mask_of, sizes_of
from regard.training.watch import Watcher
from regard.training.watch.journal import Journal


def train(
    recipe: Recipe,
    out: Path,
    *,
    start_from: str | None = None,
    device: str = "",
    watchers: Sequence[Watcher] = (),
) -> None:
    """Trains a model into the folder `out`, or goes on with what stands there."""
    with stopping() as stop:
        run = Run(recipe, out, start_from, device, watchers)
        try:
            run.go(stop)
        finally:
            run.close()


def claim(out: Path, recipe: Recipe) -> Path:
    """The folder of what a run needs to go on; an error where another recipe's run, or something else, lies there."""
    place, path = out / "training", out / "training" / "recipe.toml"
    if path.exists():
        if load(path) != recipe:
            raise UserError(f"{out} holds a training by another recipe; name another folder with -o, or remove it")
        return place
    if out.exists() and (not out.is_dir() or set(out.iterdir()) - {place}):
        raise UserError(f"{out} exists and holds no training; name another folder with -o")
    place.mkdir(parents=True, exist_ok=True)
    put(path, to_toml(recipe).encode())
    return place


def put(path: Path, data: bytes) -> None:
    """A file that is there whole or not at all."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(data)
    fresh.replace(path)


class Run:
    """One training: everything made or found again, and put together."""

    def __init__(
        self, recipe: Recipe, out: Path, start_from: str | None, device: str, watchers: Sequence[Watcher]
    ) -> None:
        self.recipe, self.out, self.device = recipe, out, check_device(device)
        keep_memory()
        torch.set_num_threads(1)
        self.place = claim(out, recipe)
        self.journal = Journal(out / "log.jsonl")
        self.watchers: list[Watcher] = [*watchers, self.journal]
        older = Older(start_from) if start_from else None
        self.corpus = prepare(recipe, self.place / "data", self.say, older.vocabulary if older else None)
        self.mask, sizes = mask_of(self.corpus), sizes_of(self.corpus)
        torch.manual_seed(recipe.seed)
        self.module = build(recipe.model, *sizes)
        if older:
            self.say(older.lend(self.module))
        self.module.to(self.device)
        self.settings = self.kept_settings()
        flat = Flat(self.module)
        self.improver = Improver(flat, recipe.training)
        self.objective = make_objective(recipe, self.module, self.settings.dtype, self.mask)
        self.state = self.resumed()
        self.width = getattr(recipe.model, "width", 1)
        learner = Learner(recipe, self.module, flat, self.objective, self.corpus.train)
        self.crew = Crew(learner, self.settings, sizes, self.mask)

    def see(self, kind: str, **facts: Any) -> None:
        for watcher in self.watchers:
            watcher.see({"event": kind, **facts})

    def say(self, text: str) -> None:
        self.see("note", text=text)

    def kept_settings(self) -> Settings:
        """Those of the run so far, or the fastest, measured now; measuring changes no weights."""
        path = self.place / "settings.json"
        if path.exists():
            return msgspec.json.decode(path.read_bytes(), type=Settings)
        settings, timings = measured(self.recipe, self.module, self.corpus.train, self.mask, self.device)
        for one in timings:
            self.say(f"{one.precision}, pieces of {one.piece:,} tokens: {one.speed:,.0f} target tokens/s a worker")
        put(path, as_file(settings))
        return settings

    def resumed(self) -> State:
        """Takes up the newest checkpoint that is whole; else the beginning."""
        found, said = checkpoint.latest(self.place)
        for word in said:
            self.say(word)
        state = msgspec.convert(found.facts, State) if found else State(steps=self.recipe.training.steps)
        if found:
            self.improver.load(found.tensors)
        self.journal.rewind(state.step)
        return state

    def started(self) -> None:
        """Says what is about to be learnt."""
        corpus, recipe = self.corpus, self.recipe
        self.see(
            "start",
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            task=recipe.task,
            **{"from": recipe.source, "to": recipe.target},
            pairs=len(corpus.train.lengths),
            held_out={"valid": len(corpus.valid), "test": len(corpus.test)},
            vocabulary=[len(tokens) for tokens in corpus.vocabulary or ()],
            parameters=parameters(self.module),
            settings=msgspec.to_builtins(self.settings),
            steps=self.state.steps,
            seconds_planned=recipe.training.seconds,
            resumed_at=self.state.step,
        )

    def go(self, stop: Stop) -> None:
        """Steps until the end; then the best weights are scored, and the folder completed."""
        self.started()
        exam = Exam(self.recipe, self.corpus, self.objective, self.settings.device)
        stream = Stream(
            self.corpus.train.lengths,
            self.corpus.train.weights,
            self.recipe.seed,
            self.recipe.training.batch * self.recipe.training.accumulate,
            self.settings.piece,
            Position(self.state.block, self.state.place),
        )
        course = Course(self, exam, stream)
        course.run(stop)
        self.crew.close()
        finish(self.out, self.recipe, self.corpus, exam, self.module, self.journal.path)

    def close(self) -> None:
        self.crew.close()
        for watcher in self.watchers:
            watcher.close()
