"""A training from a recipe to a model's folder: it survives anything, and goes on where it stood.

    train(load("recipes/dates.toml"), Path("dates"))

In the folder's `training/` lies what a run needs to go on: the recipe, the corpus as token ids, settings, checkpoints.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import torch

from regard.corpus.batches import Position, Stream
from regard.corpus.prepare import prepare
from regard.errors import InputError, RegardError, UserError
from regard.folder import write_files
from regard.models.build import build, parameters
from regard.recipe import Recipe, difference, load, to_toml
from regard.text.languages import check_language
from regard.training import checkpoint
from regard.training.checkpoint import Checkpoint
from regard.training.course import Course, State, cpu_seconds
from regard.training.crew import Crew, Learner
from regard.training.exam import Exam
from regard.training.finish import WEIGHTS, as_file, finish, finished, has_weights, put_model
from regard.training.flat import Flat
from regard.training.improver import Improver
from regard.training.lock import alone
from regard.training.measure import measured
from regard.training.objective import make_objective
from regard.training.older import Older
from regard.training.settings import Settings, check_device, keep_memory
from regard.training.signals import leaving, stopping
from regard.training.sizes import mask_of, sizes_of
from regard.training.threads import one_thread
from regard.training.watch import Recalling, Watcher
from regard.training.watch.journal import Journal, read

PLACE, LOG = "training", "log.jsonl"  # in the model's folder
RECIPE, SETTINGS, DATA = "recipe.toml", "settings.json", "data"  # in PLACE


def train(recipe: Recipe, out: Path, *, device: str = "", watchers: Sequence[Watcher] = ()) -> None:
    """Trains a model into the folder `out`, or goes on with what stands there."""
    check_device(device)
    recipe = coded(recipe)
    claim(out, recipe)
    try:
        with leaving(), alone(out / PLACE), tidied(out), one_thread():
            run = Run(recipe, out, device, watchers)
            try:
                run.go()
            finally:
                run.close()
    except OSError as error:
        raise RegardError(
            f"cannot write {error.filename or out}: {error.strerror}; when that is mended, the same command goes on"
        ) from None


def coded(recipe: Recipe) -> Recipe:
    """The recipe with its languages' codes as text/languages.py spells them."""
    codes = {"source": recipe.source, "target": recipe.target}
    for side, code in codes.items():
        try:
            codes[side] = code and check_language(code)
        except InputError as error:
            raise InputError(f"{side}: {error}") from None
    return msgspec.structs.replace(recipe, **codes)


def claim(out: Path, recipe: Recipe) -> None:
    """An error where another recipe's run, or something else, lies in the folder."""
    path = out / PLACE / RECIPE
    if path.exists():
        if other := difference(load(path), recipe):
            raise UserError(f"{out} holds a training by another recipe ({other}); name another folder with -o")
    elif out.exists() and (not out.is_dir() or {one.name for one in out.iterdir()} - {PLACE, LOG}):
        raise UserError(f"{out} exists and holds no training; name another folder with -o")


@contextmanager
def tidied(out: Path) -> Iterator[None]:
    """A run that ends before it has begun, for its data are no good, leaves nothing."""
    try:
        yield
    except BaseException:
        if not (out / PLACE / RECIPE).exists():
            shutil.rmtree(out / PLACE, ignore_errors=True)
            with suppress(OSError):
                (out / LOG).unlink(missing_ok=True)
                out.rmdir()
        raise


def put(path: Path, data: bytes) -> None:
    """A file that is there whole or not at all."""
    fresh = path.with_name(f"{path.name}.new")
    write_files(fresh.parent, {fresh.name: data})
    fresh.replace(path)


class Run:
    """One training: everything made or found again, and put together."""

    def __init__(self, recipe: Recipe, out: Path, device: str, watchers: Sequence[Watcher]) -> None:
        self.recipe, self.out, self.place = recipe, out, out / PLACE
        self.cpu_began = cpu_seconds()
        keep_memory()
        self.journal = Journal(out / LOG)
        self.watchers: list[Watcher] = [*watchers, self.journal]
        older = Older(recipe.start_from) if recipe.start_from else None
        self.corpus = prepare(recipe, self.place / DATA, self.say, older.vocabulary if older else None)
        self.mask, sizes = mask_of(self.corpus), sizes_of(self.corpus)
        torch.manual_seed(recipe.seed)
        self.module = build(recipe.model, *sizes)
        if older:
            self.say(older.lend(self.module))
        found, damaged = checkpoint.latest(self.place)
        self.settings = self.kept_settings(found, device)
        flat = Flat(self.module.to(self.settings.device))
        self.improver = Improver(flat, recipe.training)
        self.objective = make_objective(recipe, self.module, self.settings.dtype, self.mask)
        self.state = self.resumed(found, damaged)
        self.width = getattr(recipe.model, "width", 1)
        learner = Learner(recipe, self.module, flat, self.objective, self.corpus.train)
        put(self.place / RECIPE, to_toml(recipe).encode())
        self.crew = Crew(learner, self.settings, sizes, self.mask)

    def see(self, kind: str, **facts: Any) -> None:
        for watcher in self.watchers:
            watcher.see({"event": kind, **facts})

    def say(self, text: str) -> None:
        self.see("note", text=text)

    def kept_settings(self, found: Checkpoint | None, device: str) -> Settings:
        """Those of the run so far, or the fastest, measured now; measuring changes no weights."""
        if kept := self.begun_with(found):
            if device and device != kept.device:
                raise UserError(f"--device is {device!r}, but this training began on {kept.device!r}; leave it out")
            check_device(kept.device)
            return kept
        device = device or "cpu"
        settings, timings = measured(self.recipe, self.module.to(device), self.corpus.train, self.mask, device)
        for one in timings:
            self.say(f"{one.precision}, pieces of {one.piece:,} tokens: {one.speed:,.0f} target tokens/s a worker")
        put(self.place / SETTINGS, as_file(settings))
        return settings

    def begun_with(self, found: Checkpoint | None) -> Settings | None:
        """The settings of the checkpoint; before there is one those of the file, if it is whole and of this recipe."""
        if found and "settings" in found.facts:
            return msgspec.convert(found.facts["settings"], Settings)
        if (self.place / RECIPE).exists():
            with suppress(FileNotFoundError, msgspec.DecodeError):
                return msgspec.json.decode((self.place / SETTINGS).read_bytes(), type=Settings)
        return None

    def resumed(self, found: Checkpoint | None, damaged: Sequence[str]) -> State:
        """Takes up a checkpoint, else the beginning; says which were damaged."""
        state = msgspec.convert(found.facts, State) if found else State(steps=self.recipe.training.steps)
        self.journal.rewind(state.step)
        for word in damaged:
            self.say(word)
        if found:
            self.improver.load(found.tensors)
        return state

    def started(self) -> None:
        """Says what is about to be learnt, and what has been."""
        corpus, recipe = self.corpus, self.recipe
        past = read(self.journal.path)
        for watcher in self.watchers:
            if isinstance(watcher, Recalling):
                watcher.recall(past)
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

    def go(self) -> None:
        """Steps until the end; then the best weights are scored, and the folder completed, unless that is done."""
        done = bool(self.state.ended) and finished(self.out)
        with stopping() as stop:
            self.started()
            exam = Exam(self.recipe, self.corpus, self.objective, self.settings.device)
            course = Course(self, exam, self.stream())
            course.run(stop)
            if stop:
                course.interrupted(stop)
        self.crew.close()
        if not done:
            self.mend()
            finish(self.out, self.recipe, self.corpus, exam, self.module, self.journal.path)

    def mend(self) -> None:
        """Where the best weights are damaged, the checkpoint's running mean takes their place."""
        if has_weights(self.out):
            return
        best, step = self.state.best_step, self.state.step
        lost = f"; those of step {best}, the best, are lost" if best not in (0, step) else ""
        self.say(f"{WEIGHTS} is missing or damaged: the weights of step {step} take its place{lost}")
        with self.improver.averaged():
            put_model(self.out, self.recipe, self.corpus, self.module, step)

    def stream(self) -> Stream:
        """The steps of the data, from where the run stands."""
        spec, train = self.recipe.training, self.corpus.train
        at = Position(self.state.block, self.state.place)
        return Stream(
            train.lengths, train.weights, self.recipe.seed, spec.batch * spec.accumulate, self.settings.piece, at
        )

    def close(self) -> None:
        self.crew.close()
        for watcher in self.watchers:
            watcher.close()
