"""A training that is cut off, stopped, without room or without numbers, in this process; others: test_survival.py."""

import errno
import shutil
import signal
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
import torch

import regard
from regard.errors import FolderError, InputError, RegardError, UserError
from regard.folder import open_folder, read_manifest
from regard.recipe import load
from regard.training import checkpoint, measure
from regard.training.course import Course, Interrupted, State
from regard.training.crew import Learner
from regard.training.flat import Flat
from regard.training.lock import alone
from regard.training.run import train
from regard.training.settings import Settings
from regard.training.watch.journal import read
from trainings import Watch, outcome, small, told


class Cut(BaseException):
    """Ends a training as if it were killed, as far as one process can."""


@pytest.fixture(scope="module", autouse=True)
def hurried():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "SECONDS", 0.0)
        yield


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    return small(tmp_path_factory.mktemp("given"))


@pytest.fixture(scope="module")
def ended(recipe, tmp_path_factory):
    """A training that nothing came between."""
    out = tmp_path_factory.mktemp("ended")
    train(recipe, out)
    return out


@pytest.fixture(scope="module")
def whole(ended):
    return outcome(ended)


@pytest.fixture(scope="module")
def cut_at_35(recipe, tmp_path_factory):
    """One that was cut off, with checkpoints of steps 20 and 30."""
    out = tmp_path_factory.mktemp("cut")
    with pytest.raises(Cut):
        train_until(35, cut, recipe, out)
    return out


@pytest.fixture
def out(cut_at_35, tmp_path):
    return shutil.copytree(cut_at_35, tmp_path / "out")


def train_until(step, do, recipe, out):
    """Something happens in a step, before its weights are improved; what it returns is taken for what was learnt."""
    learn = Learner.learn

    def watched(self, number, pieces):
        share = learn(self, number, pieces)
        return do(self, share) or share if number == step else share

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Learner, "learn", watched)
        train(recipe, out)


def cut(*_):
    raise Cut


def raised(*numbers):
    """Whoever is called raises these signals."""
    return lambda *_: [signal.raise_signal(number) for number in numbers] and None


def on(kind, do, step=0):
    """A watcher to whom something happens at the first event of a kind, from a step on."""
    return Watch(lambda event: do() if event["event"] == kind and event.get("step", 0) >= step else None)


def saved(out):
    return [int(path.name.split("-")[1]) for path in checkpoint.found(out / "training")]


def test_wherever_it_is_cut_off_it_goes_on_as_if_nothing_had_happened(recipe, whole, tmp_path):
    moments = [("note", 0), ("start", 0), ("step", 10), ("validation", 20), ("step", 40), ("validation", 50)]
    for kind, step in [*moments, ("end", 50)]:
        with pytest.raises(Cut):
            train(recipe, tmp_path / "out", watchers=[on(kind, cut, step)])
        assert (tmp_path / "out").exists() is (kind != "note")
    for number in (3, 10, 29, 31):
        with pytest.raises(Cut):
            train_until(number, cut, recipe, tmp_path / "other")
    for out in (tmp_path / "out", tmp_path / "other"):
        train(recipe, out)
        assert outcome(out) == whole
        assert open_folder(out)


def test_ctrl_c_and_sigterm_save_and_the_next_goes_on(recipe, whole, tmp_path):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    for number, code, step in ((signal.SIGINT, 130, 7), (signal.SIGTERM, 143, 33)):
        with pytest.raises(Interrupted) as stopped:
            train_until(step, raised(number), recipe, tmp_path)
        assert str(stopped.value) == f"stopped at step {step}, all is saved; the same command goes on from here"
        assert stopped.value.exit_code == code
        assert saved(tmp_path)[0] == step
        assert told(tmp_path)[-1]["why"] == "interrupted"
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    train(recipe, tmp_path)
    assert outcome(tmp_path) == whole


@pytest.mark.parametrize("kind", ["step", "validation", "end"])
def test_asked_to_end_at_the_last_step_it_leaves_the_scores_to_the_next(recipe, whole, tmp_path, kind):
    with pytest.raises(Interrupted, match="stopped at step 50, all is saved; the same command goes on from here"):
        train(recipe, tmp_path, watchers=[on(kind, raised(signal.SIGINT), 50)])
    assert told(tmp_path)[-1]["why"] == "steps"
    assert not (tmp_path / "scores.json").exists()
    train(recipe, tmp_path)
    assert outcome(tmp_path) == whole


def test_who_watches_may_recall_what_was_before(recipe, out):
    class Recalling(Watch):
        def recall(self, events):
            self.past = events

    seen = Recalling()
    with pytest.raises(Cut):
        train(recipe, out, watchers=[seen, on("start", cut)])
    assert [(event["event"], event["step"]) for event in seen.past if "step" in event] == [
        ("step", 10), ("step", 20), ("validation", 20), ("step", 30),
    ]  # fmt: skip


def test_a_second_ctrl_c_leaves_at_once(recipe, whole, out):
    with pytest.raises(KeyboardInterrupt):
        train_until(33, raised(signal.SIGINT, signal.SIGINT), recipe, out)
    assert saved(out) == [30, 20]
    train(recipe, out)
    assert outcome(out) == whole


@pytest.mark.parametrize(
    ("number", "error", "code"), [(signal.SIGINT, KeyboardInterrupt, None), (signal.SIGTERM, SystemExit, 143)]
)
def test_stopped_before_it_has_begun_it_leaves_nothing(recipe, tmp_path, number, error, code):
    with pytest.raises(error) as left:
        train(recipe, tmp_path / "out", watchers=[on("note", raised(number))])
    assert getattr(left.value, "code", None) == code
    assert not (tmp_path / "out").exists()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_damaged_checkpoint_is_noticed_and_the_one_before_is_used(recipe, whole, out):
    newest = checkpoint.found(out / "training")[0]
    data = bytearray(newest.read_bytes())
    data[len(data) // 2] ^= 1
    newest.write_bytes(data)
    seen = Watch()
    train(recipe, out, watchers=[seen])
    assert seen.notes == [f"{newest.name} is damaged (its SHA-256 differs); the one of step 20 is used"]
    assert seen.events[1]["resumed_at"] == 20
    assert seen.notes[0] in [event.get("text") for event in read(out / "log.jsonl")]
    assert outcome(out) == whole


def test_without_a_whole_checkpoint_it_begins_anew(recipe, whole, out):
    newest, older = checkpoint.found(out / "training")
    newest.write_bytes(newest.read_bytes()[:-1])
    older.write_bytes(b"")
    seen = Watch()
    train(recipe, out, watchers=[seen])
    assert [note.partition("; ")[2] for note in seen.notes] == 2 * ["there is none before, so the training begins anew"]
    assert seen.events[2]["resumed_at"] == 0
    assert outcome(out) == whole


def test_of_an_ended_training_the_end_is_made_again(recipe, ended, whole, tmp_path):
    out = shutil.copytree(ended, tmp_path / "out")
    for path in (checkpoint.found(out / "training")[0], out / "scores.json"):
        path.write_bytes(b"")
    train(recipe, out)
    assert outcome(out) == whole
    assert open_folder(out)


def test_an_ended_training_has_nothing_left_to_do(recipe, ended, whole, monkeypatch):
    seen = Watch()
    with monkeypatch.context() as patch:
        patch.setattr(Learner, "learn", cut)
        train(recipe, ended, watchers=[seen])
    assert seen.notes == ["this training ended at step 50 (steps); nothing is left to do"]
    assert outcome(ended) == whole


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-7])


@pytest.mark.parametrize("name", ["scores.json", "CARD.md", "curves.svg", "tokens.model", "recipe.toml"])
def test_a_file_of_a_finished_folder_is_made_again(recipe, ended, whole, tmp_path, monkeypatch, name):
    out = shutil.copytree(ended, tmp_path / "out")
    cut_off(out / name)
    monkeypatch.setattr(Learner, "learn", cut)
    train(recipe, out)
    assert name in open_folder(out)
    assert outcome(out) == whole


@pytest.mark.parametrize("damage", [cut_off, Path.unlink])
@pytest.mark.parametrize("name", ["weights.safetensors", "manifest.json"])
def test_weights_that_are_damaged_come_out_of_the_checkpoint(recipe, ended, whole, tmp_path, monkeypatch, name, damage):
    out, seen = shutil.copytree(ended, tmp_path / "out"), Watch()
    damage(out / name)
    monkeypatch.setattr(Learner, "learn", cut)
    train(recipe, out, watchers=[seen])
    assert seen.notes[1:] == ["weights.safetensors is missing or damaged: the weights of step 50 take its place"]
    assert open_folder(out)
    assert outcome(out) == whole


def test_where_the_best_weights_are_lost_the_last_are_scored_and_said_to_be(tmp_path, monkeypatch):
    recipe, out, seen = small(tmp_path, steps=20, validate_every=10), tmp_path / "out", Watch()
    values = iter([3.0, 2.0])
    monkeypatch.setattr("regard.training.course.better", lambda *_: next(values))
    train(recipe, out)
    assert "- **best weights**: those of step 10\n" in (out / "CARD.md").read_text(encoding="utf-8")
    cut_off(out / "weights.safetensors")
    train(recipe, out, watchers=[seen])
    assert seen.notes[-1].endswith("the weights of step 20 take its place; those of step 10, the best, are lost")
    assert read_manifest(out)["step"] == 20
    assert "- **best weights**: those of step 20\n" in (out / "CARD.md").read_text(encoding="utf-8")
    assert open_folder(out)


@contextmanager
def room(size):
    """No file may grow beyond that; whoever writes more is told so, as on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("file", ["log", "model", "checkpoint"])
def test_without_room_it_ends_in_one_line_and_goes_on_when_there_is_some(recipe, whole, out, file):
    newest = checkpoint.found(out / "training")[0].stat().st_size
    sizes = {"log": (out / "log.jsonl").stat().st_size + 7, "model": newest // 5, "checkpoint": newest * 3 // 4}
    with room(sizes[file]), pytest.raises(RegardError) as full:
        train(recipe, out)
    assert full.value.exit_code == 1
    assert str(full.value).count("\n") == 0
    assert {"log": "log.jsonl", "model": out.name, "checkpoint": "step 40"}[file] in str(full.value)
    assert "the same command" in str(full.value)
    assert saved(out) == [30, 20]
    assert not list(out.rglob(".fresh"))
    assert open_folder(out)
    train(recipe, out)
    assert outcome(out) == whole


def test_without_room_for_the_corpus_nothing_is_left(recipe, tmp_path):
    with room(1009), pytest.raises(RegardError, match=r"cannot write .*; when that is mended, the same command goes"):
        train(recipe, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_disk_that_is_full_is_said_to_be(recipe, tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    def filled(*_):
        monkeypatch.setattr("os.fsync", full)

    with pytest.raises(RegardError, match=r"cannot write .*out: No space left on device; when that is mended, the sa"):
        train_until(7, filled, recipe, tmp_path / "out")


def to_nan(learner, share):
    return share._replace(loss=float("nan"))


def gradient_to_inf(learner, share):
    learner.flat.grads[11] = float("inf")


def weights_to_nan(learner, share):
    learner.flat.values[11] = float("nan")


@pytest.mark.parametrize(
    ("step", "change", "what", "kept"),
    [
        (3, to_nan, "the loss is not a number; nothing was saved before", []),
        (33, to_nan, "the loss is not a number; step 30 is kept", [30, 20]),
        (31, gradient_to_inf, "the gradient is not a number; step 30 is kept", [30, 20]),
        (30, weights_to_nan, "the weights are not numbers; step 20 is kept", [20, 10]),
        (40, weights_to_nan, "the weights are not numbers; step 30 is kept", [30, 20]),
    ],
)
def test_what_is_no_number_is_said_and_the_last_good_state_kept(recipe, cut_at_35, tmp_path, step, change, what, kept):
    out = tmp_path / "out"
    if step > 30:
        shutil.copytree(cut_at_35, out)
    with pytest.raises(RegardError) as failed:
        train_until(step, change, recipe, out)
    assert str(failed.value).startswith(f"at step {step} {what}. Start again in another folder with a lower training.r")
    assert failed.value.exit_code == 1
    assert saved(out) == kept
    found, _ = checkpoint.latest(out / "training")
    assert all(one.isfinite().all() for one in (found.tensors.values() if found else ()))


def test_after_what_was_no_number_the_last_good_state_goes_on(recipe, whole, out):
    with pytest.raises(RegardError, match="at step 33 the loss is not a number"):
        train_until(33, to_nan, recipe, out)
    train(recipe, out)
    assert outcome(out) == whole


def test_a_rate_far_too_high_is_found_out(tmp_path):
    recipe = small(tmp_path, rate="1e9")
    said = []
    for _ in range(2):  # the same command comes to the same end
        with pytest.raises(RegardError, match=r"at step \d the (loss|gradient) is not a number; nothing was sa") as bad:
            train(recipe, tmp_path / "out")
        said.append(str(bad.value))
    assert said[0] == said[1]
    assert not (tmp_path / "out" / "manifest.json").exists()


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_another_recipe_is_refused(recipe, ended, tmp_path):
    before = files(ended)
    other = small(tmp_path, rate="2e-2")
    other = msgspec.structs.replace(other, data=recipe.data)
    with pytest.raises(UserError, match=r"holds a training by another recipe \(training\.rate.*\); name another fol"):
        train(other, ended)
    assert files(ended) == before


def test_a_second_process_is_refused(recipe, out):
    before = files(out)
    with alone(out / "training"), pytest.raises(UserError, match=r"another process trains into .*out; wait for it, or"):
        train(recipe, out)
    assert files(out) == before


def test_a_folder_of_something_else_is_refused(recipe, tmp_path):
    (tmp_path / "letter").write_text("to a friend")
    for other in (tmp_path, tmp_path / "letter"):
        with pytest.raises(UserError, match="exists and holds no training; name another folder with -o"):
            train(recipe, other)
    with pytest.raises(RegardError, match=r"cannot write .*: Not a directory"):
        train(recipe, tmp_path / "letter" / "out")
    assert files(tmp_path) == {tmp_path / "letter": b"to a friend"}


def test_an_empty_folder_is_taken(recipe, tmp_path):
    with pytest.raises(Cut):
        train(recipe, tmp_path, watchers=[on("start", cut)])
    assert (tmp_path / "training" / "recipe.toml").exists()


@pytest.mark.parametrize("given", ["few", "none", "device"])
def test_what_fails_before_it_begins_leaves_nothing(tmp_path, given):
    recipe = small(tmp_path)
    if given == "few":
        (tmp_path / "pairs.tsv").write_text("a\tb\n" * 3)
    if given == "none":
        (tmp_path / "pairs.tsv").unlink()
    with pytest.raises(UserError):
        train(recipe, tmp_path / "out", device="tpu" if given == "device" else "")
    assert not (tmp_path / "out").exists()


def test_the_best_weights_so_far_can_be_loaded_at_any_moment(recipe, tmp_path):
    best = []

    def look(event):
        if event["event"] == "validation" and event["best"]:
            best.append(event["step"])
        if best:
            assert read_manifest(tmp_path)["step"] == best[-1]
            model = regard.load(tmp_path)
            assert model.predict(["add cab"], beam=2)

    train(recipe, tmp_path, watchers=[Watch(look)])
    assert best[:2] == [20, 40]


def test_whoever_reads_the_model_meanwhile_finds_a_whole_one(tmp_path):
    recipe, out, over = small(tmp_path, steps=20, validate_every=3), tmp_path / "out", threading.Event()
    found, failed = set(), []

    def read_on():
        while not over.is_set():
            try:
                open_folder(out)
                found.add(read_manifest(out)["step"])
            except FolderError as error:
                failed.append(str(error))
            time.sleep(0.001)

    reader = threading.Thread(target=read_on)
    reader.start()
    train(recipe, out)
    over.set()
    reader.join()
    assert {one.partition(": ")[2] for one in failed} <= {"there is no manifest.json"}  # before the first
    assert len(found) > 1


def test_settings_are_kept_of_a_training_that_has_begun(recipe, tmp_path, monkeypatch):
    # killed after they were written and before the recipe was: those of another recipe, maybe
    (tmp_path / "training").mkdir()
    settings = tmp_path / "training" / "settings.json"
    settings.write_bytes(msgspec.json.encode(Settings(precision="bfloat16", piece=89)))
    with pytest.raises(Cut):
        train(recipe, tmp_path, watchers=[on("start", cut)])
    kept = settings.read_bytes()
    assert msgspec.json.decode(kept, type=Settings) == Settings(piece=97)
    monkeypatch.setattr("regard.training.run.measured", cut)
    with pytest.raises(Cut):
        train(recipe, tmp_path, watchers=[on("step", cut)])
    assert settings.read_bytes() == kept


def test_who_calls_has_its_threads_again_and_its_own_time_is_no_part_of_the_training(tmp_path):
    seen, before, threads = [], time.process_time(), torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        train(
            small(tmp_path, steps=10),
            tmp_path / "out",
            watchers=[on("step", lambda: seen.append(torch.get_num_threads()))],
        )
        assert (seen, torch.get_num_threads()) == ([1], 3)
    finally:
        torch.set_num_threads(threads)
    spent = time.process_time() - before
    assert 0 < read(tmp_path / "out" / "log.jsonl")[-1]["cpu_seconds"] <= spent + 0.01  # rounded


@pytest.mark.parametrize("left", [b"", b'{"device":"cpu","precision":"float32","wor', b'{"piece":"large"}', None])
def test_settings_are_those_of_the_checkpoint_whatever_became_of_their_file(recipe, whole, out, monkeypatch, left):
    settings = out / "training" / "settings.json"
    settings.write_bytes(left) if left is not None else settings.unlink()
    with monkeypatch.context() as patch:
        patch.setattr("regard.training.run.measured", cut)
        train(recipe, out)
    assert outcome(out) == whole


def test_without_checkpoint_and_whole_settings_they_are_measured_again(recipe, whole, tmp_path):
    with pytest.raises(Cut):
        train(recipe, tmp_path, watchers=[on("start", cut)])
    settings = tmp_path / "training" / "settings.json"
    kept = settings.read_bytes()
    settings.write_bytes(kept[:-7])
    train(recipe, tmp_path)
    assert settings.read_bytes() == kept
    assert outcome(tmp_path) == whole


def test_a_plan_by_the_clock_is_kept_with_its_checkpoint(tmp_path):
    recipe = small(tmp_path, seconds=60, steps=100000, validate_every=0)
    with pytest.raises(Cut):
        train_until(13, cut, recipe, tmp_path / "out")
    found, _ = checkpoint.latest(tmp_path / "out" / "training")
    none = msgspec.convert(found.facts, State)
    assert (none.step, none.steps, none.validate_every) == (10, 100000, 0)
    with pytest.raises(Cut):
        train_until(25, cut, recipe, tmp_path / "out")
    found, _ = checkpoint.latest(tmp_path / "out" / "training")
    plan = msgspec.convert(found.facts, State)
    assert (plan.step, plan.steps % 10, plan.steps < 100000) == (20, 0, True)
    assert plan.validate_every == max(plan.steps // 20 // 10 * 10, 10)
    seen = Watch()
    with pytest.raises(Cut):
        train(recipe, tmp_path / "out", watchers=[seen, on("step", cut)])
    assert (seen.events[-1]["step"], seen.events[-1]["of"]) == (30, plan.steps)


def test_a_run_by_the_clock_whose_steps_are_slow_ends_then(tmp_path, monkeypatch):
    monkeypatch.setattr(Course, "clock", lambda course: setattr(course.state, "seconds", 30.0 * course.state.step))
    train(small(tmp_path, seconds=100, steps=100000, validate_every=0), tmp_path / "out")
    end = told(tmp_path / "out")[-1]
    assert (end["why"], end["step"], end["best_step"]) == ("time", 3, 3)


def test_what_passes_until_the_first_step_is_done_says_nothing_of_the_speed(tmp_path, monkeypatch):
    """Neither of a beginning, nor of each time it goes on."""
    clock, recipe = Course.clock, small(tmp_path, seconds=1000, steps=100000, validate_every=0)

    def by_hand(course):
        """A second a step, behind 300 s of which the clock of a new process does not know."""
        clock(course)
        course.state.seconds = course.before + 300 + course.state.step - course.first

    monkeypatch.setattr(Course, "clock", by_hand)
    for step, more in ((11, {"first_steps": 1, "first_seconds": 300}), (31, {"first_steps": 2, "first_seconds": 600})):
        with pytest.raises(Interrupted):
            train_until(step, raised(signal.SIGINT), recipe, tmp_path / "out")
        found, _ = checkpoint.latest(tmp_path / "out" / "training")
        assert found.facts["step"] == step
        assert more.items() <= found.facts.items()
    assert found.facts["seconds"] == 300 + 10 + 300 + 19
    assert found.facts["steps"] == 400  # 371 s are left: whole tens of steps


def test_the_average_is_what_is_kept(ended, whole):
    found, _ = checkpoint.latest(ended / "training")
    model = regard.load(ended)
    kept = Flat(model.module).values
    assert torch.equal(kept, found.tensors["average"])
    assert not torch.equal(kept, found.tensors["weights"])
    assert whole["state"]["best_step"] == 50


def test_languages_are_spelt_as_they_are_known(tmp_path):
    recipe = small(tmp_path, steps=7, validate_every=7)
    train(msgspec.structs.replace(recipe, source="EN-GB", target=" FR"), tmp_path / "out")
    made = load(tmp_path / "out" / "recipe.toml")
    assert (made.source, made.target) == ("en", "fr")
    with pytest.raises(InputError, match="source: unknown language 'xx'"):
        train(msgspec.structs.replace(recipe, source="xx"), tmp_path / "other")
    assert not (tmp_path / "other").exists()
