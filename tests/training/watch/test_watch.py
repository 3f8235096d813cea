"""Who watches: a panel on a terminal, lines elsewhere, TensorBoard where it is."""

import io
import sys
from types import SimpleNamespace

from regard.training.watch import for_stderr
from regard.training.watch.board import boards
from regard.training.watch.lines import Lines
from regard.training.watch.panel import Panel
from runs import START, run, step


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_panel_on_a_terminal_only(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    for stream, kind in ((Terminal(), Panel), (io.StringIO(), Lines)):
        monkeypatch.setattr(sys, "stderr", stream)
        assert [type(one) for one in for_stderr()] == [kind]
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert [type(one) for one in for_stderr()] == [Lines]
    monkeypatch.setattr(sys, "stderr", None)
    assert for_stderr() == []


def scalars(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    read = EventAccumulator(str(folder))
    read.Reload()
    return {tag: [(one.step, round(one.value, 4)) for one in read.Scalars(tag)] for tag in read.Tags()["scalars"]}


def test_tensorboard_has_the_figures(tmp_path):
    (board,) = boards(tmp_path / "tensorboard")
    assert not (tmp_path / "tensorboard").exists()
    for event in run():
        board.see(event)
    board.close()
    read = scalars(tmp_path / "tensorboard")
    assert set(read) == {
        "training/loss", "training/length of the gradient", "training/learning rate", "training/tokens a second",
        "validation/loss", "validation/perplexity", "validation/BLEU", "validation/chrF", "validation/BLEU lowercased",
    }  # fmt: skip
    assert read["training/loss"][:2] == [(10, 8.9), (20, 8.8)]
    assert len(read["training/loss"]) == 70
    assert read["validation/BLEU"][-2:] == [(600, 24.5), (700, 24.5)]


def test_tensorboard_forgets_what_a_cut_off_run_forgot(tmp_path, monkeypatch):
    for resumed, steps in ((0, (10, 20, 30)), (20, (30, 40))):
        clock = SimpleNamespace(time=lambda began=resumed: 1e9 + began)  # its files are read in the order of seconds
        monkeypatch.setattr("tensorboard.summary.writer.event_file_writer.time", clock)
        (board,) = boards(tmp_path)
        board.see({**START, "resumed_at": resumed})
        for number in steps:
            board.see(step(number, loss=number + resumed))
        board.close()
    assert scalars(tmp_path)["training/loss"] == [(10, 10), (20, 20), (30, 50), (40, 60)]


def test_without_tensorboard_there_is_no_board(tmp_path, monkeypatch):
    monkeypatch.setattr("regard.training.watch.board.find_spec", lambda name: None)
    assert boards(tmp_path) == []
