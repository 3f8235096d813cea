"""The command line as its caller sees it: exit codes, one-line errors, closed pipes, and what is loaded when.

What a command does when it is called is played by a stand-in, which `played` puts in the place of demo.
"""

import os
import signal
import subprocess
import sys

import pytest

import regard
from regard.commands import COMMANDS

STAND_IN = """
import sys, types
from regard.errors import InputError, RecipeError, RegardError, needs
sys.argv[0] = "regard"
def demo():
    {body}
sys.modules["regard.commands.demo"] = types.SimpleNamespace(demo=demo)
from regard.commands import main
main()
"""


def ran(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "regard", *words], capture_output=True, text=True)


def played(body: str) -> "subprocess.CompletedProcess[str]":
    code = STAND_IN.format(body=body)
    return subprocess.run([sys.executable, "-c", code, "demo"], capture_output=True, text=True)


def test_version() -> None:
    done = ran("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"regard {regard.__version__}\n", "")


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_help_names_every_command(words: list[str]) -> None:
    done = ran(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize(
    ("words", "given"),
    [(["demmo"], "demmo"), (["--frobnicate"], "--frobnicate"), (["demo", "--frobnicate"], "--frobnicate")],
)
def test_a_usage_error_is_one_line_and_exits_with_2(words: list[str], given: str) -> None:
    done = ran(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("regard: ")
    assert given in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("body", "code", "error"),
    [
        ("return None", 0, ""),
        ("return 1", 1, ""),
        ("raise RegardError('the disk is full')", 1, "regard: the disk is full\n"),
        ("raise RecipeError('no heads')", 2, "regard: no heads\n"),
        ("raise InputError('an empty batch')", 2, "regard: an empty batch\n"),
        ("raise InputError('first\\nsecond')", 2, "regard: first\nregard: second\n"),
        ("raise KeyboardInterrupt", 130, ""),
    ],
)
def test_exit_codes(body: str, code: int, error: str) -> None:
    done = played(body)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", error)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent otherwise there")
def test_ctrl_c_ends_a_running_command_quietly() -> None:
    code = STAND_IN.format(body="import time; print('ready', flush=True); time.sleep(60)")
    words = [sys.executable, "-c", code, "demo"]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    assert running.stdout.readline() == b"ready\n"
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=30) == (b"", b"")
    assert running.returncode == 130


def test_a_missing_extra_is_one_line() -> None:
    done = played("\n    with needs('train'): raise ModuleNotFoundError(name='torch')")
    assert done.returncode == 2
    assert done.stderr == "regard: this needs torch, which is not installed: run pip install 'regard[train]'\n"


def test_a_fault_of_ours_keeps_its_traceback() -> None:
    done = played("raise ZeroDivisionError")
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")


def test_output_before_an_error_is_kept() -> None:
    done = played("print('half'); raise RegardError('then it broke')")
    assert (done.returncode, done.stdout, done.stderr) == (1, "half\n", "regard: then it broke\n")


def test_output_is_utf8_with_lf_whatever_the_locale() -> None:
    code = STAND_IN.format(body="print('▁é█')")
    narrow = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run([sys.executable, "-c", code, "demo"], capture_output=True, env=narrow)
    assert (done.stdout, done.returncode) == ("▁é█\n".encode(), 0)


@pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is reported otherwise there")
@pytest.mark.parametrize(
    "body",
    [
        "for _ in range(100_000): print('a line of output')",  # met while writing
        "import time; time.sleep(0.5); print('one line')",  # met only when Python empties its buffer
    ],
)
def test_a_closed_pipe_ends_quietly(body: str) -> None:
    code = STAND_IN.format(body=body)
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    words = [sys.executable, "-c", code, "demo"]
    writer = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=buffered)
    assert writer.stdout is not None
    writer.stdout.close()
    _, error = writer.communicate()
    assert (writer.returncode, error) == (0, b"")


@pytest.mark.parametrize("words", [["--help"], ["--version"]])
def test_help_loads_no_command_and_nothing_heavy(words: list[str]) -> None:
    ask = """
import sys
from regard.commands import main
try: main()
except SystemExit: pass
print(sorted({name.partition(".")[0] for name in sys.modules} | {n for n in sys.modules if n.startswith("regard")}))
"""
    done = subprocess.run([sys.executable, "-c", ask, *words], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1]
    assert "'regard.commands'" in loaded
    for name in ("torch", "numpy", "ctranslate2", "sentencepiece", "regard.commands.demo", "regard.models"):
        assert f"'{name}'" not in loaded
