"""The command line's own trainings, killed and stopped at any moment, and started again by the same command."""

import os
import random
import signal
import subprocess
import sys
import time
from itertools import count

import pytest

import regard
from regard.corpus.workers import cores
from regard.folder import MANIFEST
from regard.recipe import load
from regard.training import measure
from regard.training.run import train
from regard.training.watch.journal import read
from trainings import outcome, told, written

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")

TIMEOUT = 120  # seconds after which a process that should end hangs


class Started:
    """`regard train` at work, in a group of processes as a terminal makes one."""

    def __init__(self, recipe, out):
        self.out, self.before = out, on_its_way(out)
        self.errors = out.with_name(f"{out.name}.stderr")
        words = [sys.executable, "-m", "regard", "train", recipe, "-o", out]
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, start_new_session=True)

    def reaches(self, moment, looked=0.005):
        """Waits until then; false if the training has ended before."""
        while not moment():
            if self.process.poll() is not None:
                return False
            time.sleep(looked)
        return True

    def has_started(self):
        """Whether its log says so."""
        log = self.out / "log.jsonl"
        return log.exists() and any(event["event"] == "start" for event in read(log))

    def is_saving(self, names):
        """Whether one of these has come that will be moved to its place when it is whole."""
        return any(name.startswith(names) for name, _ in on_its_way(self.out) - self.before)

    def send(self, number, alone=False):
        (os.kill if alone else os.killpg)(self.process.pid, number)

    def ended(self):
        """Its exit code and what it said, once all its processes have ended: they share standard output."""
        try:
            self.process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.send(signal.SIGKILL)
            raise
        return self.process.returncode, self.errors.read_text(encoding="utf-8")


def on_its_way(out):
    """What lies there half done, and since when."""
    places = [out / "training" / name for name in (".fresh", ".data-making", "settings.json.new", "recipe.toml.new")]
    found = set()
    for path in [*places, out / ".making", *out.glob(".new-*")]:
        try:
            found.add((path.name, path.stat().st_mtime_ns))
        except FileNotFoundError:
            continue
    return found


def killed_while_saving(run, rng, alone):
    """Kills it while it saves a checkpoint, or anything; false if it ended first."""
    names = rng.choice([(".fresh",), (".fresh",), (".making", ".new-"), ("",)])
    for _ in range(rng.randint(0, 2)):
        if not run.reaches(lambda: run.is_saving(names), looked=0.0005):
            return False
        run.before |= on_its_way(run.out)
    while run.reaches(lambda: run.is_saving(names), looked=0.0005):
        run.send(signal.SIGSTOP, alone)
        time.sleep(0.001)
        if run.is_saving(names):
            run.send(signal.SIGKILL, alone)
            run.ended()
            return True
        run.send(signal.SIGCONT, alone)  # it was too fast
    return False


def killed_at_random(run, rng, alone):
    """Kills it at a moment after its start, its first word or, mostly, its first step; false if it ended first."""
    word = rng.choice([b"", b"", b"\n", b"\nstep ", b"\nstep ", b"\nstep "])
    if not run.reaches(lambda: word in run.errors.read_bytes()):
        return False
    moment = time.monotonic() + rng.uniform(0, 1)
    if not run.reaches(lambda: time.monotonic() > moment):
        return False
    run.send(signal.SIGKILL, alone)
    run.ended()
    return True


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    return written(tmp_path_factory.mktemp("given"))


def undisturbed(recipe, out):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "SECONDS", 0.0)
        train(load(recipe), out)
    return outcome(out)


@pytest.fixture(scope="module")
def whole(recipe, tmp_path_factory):
    return undisturbed(recipe, tmp_path_factory.mktemp("whole"))


def survives(recipe, whole, folder, kills):
    """Kills trainings so often, half of them while saving; all that end at last are as if nothing had happened."""
    rng, runs, done = random.Random(kills), count(), 0
    out = folder / str(next(runs))
    while done < kills:
        run = Started(recipe, out)
        kill = killed_at_random if done % 2 else killed_while_saving
        if kill(run, rng, alone=rng.random() < 0.5):
            done += 1
            if (out / MANIFEST).exists() and rng.random() < 0.5:
                assert regard.load(out).predict(["add cab"])
        else:
            ends_as(whole, run)
            out = folder / str(next(runs))
    ends_as(whole, Started(recipe, out))


def ends_as(whole, run):
    code, said = run.ended()
    assert (code, "Traceback" in said) == (0, False), said
    assert outcome(run.out) == whole


def test_killed_three_times_it_goes_on_as_if_nothing_had_happened(recipe, whole, tmp_path):
    survives(recipe, whole, tmp_path, 3)


@pytest.mark.slow
def test_killed_with_two_workers_in_bfloat16_it_goes_on_as_if_nothing_had_happened(tmp_path):
    recipe = written(tmp_path, accumulate=2, precision='"bfloat16"')
    survives(recipe, undisturbed(recipe, tmp_path / "whole"), tmp_path, 3)


@pytest.mark.slow
def test_killed_fifty_times_with_its_workers_it_goes_on_as_if_nothing_had_happened(tmp_path):
    recipe = written(tmp_path, accumulate=2)
    whole = undisturbed(recipe, tmp_path / "whole")
    assert whole["log"][0]["settings"]["workers"] == min(cores(), 2)
    survives(recipe, whole, tmp_path, 50)


@pytest.mark.parametrize(
    ("number", "wanted"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)]
)
def test_asked_to_end_it_saves_and_says_so_in_one_line(recipe, whole, tmp_path, number, wanted):
    code, runs = 0, count()
    while not code:  # it may have ended before it was asked to
        run = Started(recipe, tmp_path / str(next(runs)))
        assert run.reaches(run.has_started)
        run.send(number)
        code, said = run.ended()
    step = told(run.out)[-1]["step"]
    assert (code, step > 0) == (wanted, True)
    assert said.splitlines()[-1] == f"regard: stopped at step {step}, all is saved; the same command goes on from here"
    assert "Traceback" not in said
    assert undisturbed(recipe, run.out) == whole


def test_ctrl_c_while_the_corpus_is_made_leaves_nothing(tmp_path):
    (tmp_path / "long.toml").write_text('[data]\ngenerate = "dates"\npairs = 40009\n[model]\nkind = "transformer"\n')
    run = Started(tmp_path / "long.toml", tmp_path / "out")
    assert run.reaches(lambda: (run.out / "training" / ".data-making").exists())
    run.send(signal.SIGINT)
    assert run.ended() == (130, "")
    assert not run.out.exists()
