"""The panel in a terminal of 80 columns, as its reader sees it; and that the terminal is whole afterwards."""

import io
import os
import signal
import subprocess
import sys

import pytest
from rich.cells import cell_len
from rich.console import Console

from regard.training.watch.panel import Panel, compared, fitting
from runs import START, end, run, step, validation

SHOWN, HIDDEN = "\x1b[?25h", "\x1b[?25l"


class Clock:
    """A clock that stands until it is set."""

    now = 0.0

    def __call__(self):
        return self.now


def terminal(width=80):
    return Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)


def picture(*events, width=80, later=0.0):
    """What the panel shows some seconds after the last of the events, line by line."""
    console, clock = terminal(width), Clock()
    panel = Panel(console, clock)
    panel.draw = lambda: None
    for event in events:
        panel.see(event)
    clock.now += later
    console.print(panel.render())
    return console.file.getvalue().splitlines()


def test_half_way():
    seen = [event for event in run()[1:] if event.get("step", 0) <= 350]
    assert picture(*seen, later=2) == [
        "╭─ English to German ──────────────────────────────────────────────────────────╮",
        "│ ━━━━━━━━━━━━━━━━━━━━━━━━━━                             50 %  step 350 of 700 │",
        "│                                                                              │",
        "│ loss            5.500   ██▇▇▇▆▆▅▅▅▄▄▄▃▃▂▂▂▁▁      trained 4 min              │",
        "│ perplexity      22.76   ▁▁▁                       left    about 4 min        │",
        "│ BLEU            15.00   ▁▅█                       speed   5,851 tokens/s     │",
        "│ best            15.00   at step 300               epoch   4                  │",
        "│                                                                              │",
        "│ source       A dog runs.                                                     │",
        "│ wanted       Ein Hund rennt.                                                 │",
        "│ says         Ein Mann rennt.                                                 │",
        "╰─ 2.6 million numbers · 28,991 pairs · 9,973 tokens · bfloat16 on cpu ────────╯",
    ]


def test_before_there_is_anything_to_say():
    assert picture(START, later=7)[1:-1] == [
        "│                                                         0 %  step   0 of 700 │",
        "│                                                                              │",
        "│ loss                                              trained 7 s                │",
        "│ validation    comes later                                                    │",
    ]


def test_the_end():
    lines = picture(*run(), later=99)
    assert "100 %  step 700 of 700" in lines[3]
    assert "trained 8 min" in lines[5]
    assert "ended   all steps are done" in lines[6]
    assert "24.50" in lines[7]
    assert "25.00   at step 500" in lines[8]
    stopped = picture(START, step(350), end(350, "interrupted"))
    assert "50 %" in stopped[1]
    assert "ended   interrupted " in stopped[4]


def test_time_goes_on_between_steps():
    assert "trained 24 s" in picture(START, step(10, seconds=4), later=20)[3]
    assert "left    about 4 min" in picture(START, step(10, seconds=4), later=20)[4]  # 0.4 s x 690 - 20 s
    planned = {**START, "seconds_planned": 80}
    assert "left    about 56 s" in picture(planned, step(10, seconds=4), later=20)[4]


def test_a_run_that_goes_on():
    assert "20 %  step 140 of 700" in picture({**START, "resumed_at": 140})[1]


def test_a_run_that_goes_on_looks_as_if_it_had_never_stopped():
    before = [event for event in run() if event.get("step", 0) <= 350]
    behind = [step(360, 5.4), validation(400, 20.0)]
    console = terminal()
    panel = Panel(console, Clock())
    panel.recall(before)
    assert console.file.getvalue() == ""
    panel.draw = lambda: None
    for event in ({**START, "resumed_at": 350}, *behind):
        panel.see(event)
    console.print(panel.render())
    assert console.file.getvalue().splitlines() == picture(*before[1:], *behind)


def test_a_run_that_had_ended_is_shown_so():
    console = terminal()
    panel = Panel(console, Clock())
    panel.recall(run())
    panel.draw = lambda: None
    panel.see({**START, "resumed_at": 700})
    console.print(panel.render())
    assert console.file.getvalue().splitlines() == picture(*run()[1:])


@pytest.mark.parametrize("width", [40, 60, 80, 133])
def test_every_line_fits(width):
    long = {"source": "sehr " * 99, "target": "長" * 99, "said": "x" * 999}
    lines = picture(*run()[1:], validation(700, 31.5, sample=long), width=width)
    assert {cell_len(line) for line in lines} == {min(width, 100)}
    assert len(lines) <= 22


def test_a_task_without_sample_or_perplexity():
    ratings = {**START, "task": "ratings", "from": "", "to": "", "vocabulary": [], "parameters": 44_000}
    rated = validation(100, 0, scores={"rmse": 0.93456}, perplexity=None, sample={})
    lines = picture(ratings, step(100), rated)
    assert "ratings" in lines[0]
    assert [line.split()[1:3] for line in lines[3:6]] == [["loss", "4.250"], ["RMSE", "0.9346"], ["best", "0.9346"]]
    assert lines[-1].startswith("╰─ 44,000 numbers · 28,991 ratings · bfloat16 on cpu ─")
    language = validation(100, 0, scores={"perplexity": 22.76}, sample={})
    assert len([line for line in picture(START, language) if "perplexity" in line]) == 1


def test_texts_give_no_commands():
    sample = {"source": "a\x1b[2J\nb", "target": "[red]c[/red]\x07", "said": "\x9bd\u202e"}
    lines = picture(START, {"event": "note", "text": "\x1b]0;title\x07[bold]note"}, validation(10, 1.5, sample=sample))
    text = "\n".join(lines)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\x9b" not in text
    assert "]0;title [bold]note" in text
    assert "a [2J b" in text
    assert "[red]c[/red]" in text


def test_what_is_as_wanted_is_green():
    def parts(said, wanted):
        text = compared(said, wanted)
        return [(text.plain[span.start : span.end], span.style) for span in text.spans]

    assert parts("ein Mann rennt", "ein Hund rennt") == [("ein", "green"), ("Mann", "yellow"), ("rennt", "green")]
    assert parts("2009-06-03", "2009-05-03") == [("2009-0", "green"), ("6", "yellow"), ("-03", "green")]
    assert parts("", "x") == []


def test_what_is_too_long_is_cut():
    assert fitting(["one", "two", "three"], 14) == "one · two"
    assert fitting(["one", "two"], 2) == "o…"
    assert fitting(["長長長"], 5) == "長長…"


def test_the_terminal_is_left_whole_whatever_happens():
    console = terminal()
    panel = Panel(console)
    for event in run()[:40]:
        panel.see(event)
    assert HIDDEN in console.file.getvalue()
    panel.close()
    panel.close()
    out = console.file.getvalue()
    assert out.rfind(SHOWN) > out.rfind(HIDDEN)
    assert out.endswith((SHOWN, "\n"))


PLAYED = """
import sys, time
from rich.console import Console
from runs import run
from regard.training.watch.panel import Panel
panel = Panel(Console(file=sys.stderr, force_terminal=True))
for event in run()[:5]: panel.see(event)
print("ready", flush=True)
{body}
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent otherwise there")
@pytest.mark.parametrize("body", ["time.sleep(60)", "raise ValueError('no')", "pass"])
def test_nobody_closes_the_panel(body):
    words = [sys.executable, "-c", PLAYED.format(body=body)]
    path = os.pathsep.join([os.path.dirname(os.path.dirname(os.path.dirname(__file__))), *sys.path])  # noqa: PTH120
    running = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path, "TERM": "xterm"}
    )
    assert running.stdout is not None
    assert running.stdout.readline() == b"ready\n"
    if "sleep" in body:
        running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=30)
    assert error.rfind(SHOWN.encode()) > error.rfind(HIDDEN.encode()) >= 0
