"""The base install, without torch: every room that promises to start there does, and what cannot says so in one line.

The environment is made once and kept in .venv-base until pyproject.toml or constraints.txt changes.
"""

import hashlib
import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import regard
from regard import folder
from regard.recipe import Recipe, RecurrentSpec, to_toml
from regard.text.tokens import Tokens
from regard.training.run import train
from trainings import small

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "src" / "regard"
PLACE = ROOT / ".venv-base"
TORCH_FREE = ("errors", "recipe", "folder", "text", "documents", "evaluate", "translate", "serve", "commands")

IMPORT_ALL = """
import importlib, importlib.util, json, sys
from regard.errors import EXTRAS, MissingExtra

failed = {}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except MissingExtra:
        pass
    except ModuleNotFoundError as error:
        # A room may need the packages of the extra that bears its name, and no others.
        if (error.name or "").partition(".")[0] not in EXTRAS.get(name.split(".")[1], ()):
            failed[name] = str(error)
    except Exception as error:
        failed[name] = repr(error)
torch = importlib.util.find_spec("torch") is not None or "torch" in sys.modules
print(json.dumps({"failed": failed, "torch": torch}))
"""


def modules(room: str) -> list[str]:
    """Every module of a room, by its full name."""
    files = [*HOUSE.glob(f"{room}.py"), *(HOUSE / room).rglob("*.py")]
    parts = [("regard", *file.relative_to(HOUSE).with_suffix("").parts) for file in files]
    return sorted(".".join(part for part in one if part != "__init__") for one in parts)


def made_of() -> str:
    parts = [str(ROOT).encode(), sys.version.encode()]
    parts += [(ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


@pytest.fixture(scope="module")
def base() -> Path:
    """The Python of an environment that holds the base install alone."""
    python = PLACE / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp = PLACE / "made-of"
    if not stamp.exists() or stamp.read_text() != made_of():
        venv.create(PLACE, clear=True, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        done = subprocess.run([*pip, "-e", ".", "-c", "constraints.txt"], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        stamp.write_text(made_of())
    return python


def ran(python: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(python), *words], capture_output=True, text=True)


def test_every_torch_free_module_starts_there(base: Path) -> None:
    names = [name for room in TORCH_FREE for name in modules(room)]
    assert {"regard.errors", "regard.commands", "regard.commands.demo"} <= set(names)
    done = ran(base, "-c", IMPORT_ALL, *names)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"failed": {}, "torch": False}


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_the_command_line_starts_there(base: Path, word: str) -> None:
    done = ran(base, "-m", "regard", word)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_that_needs_torch_names_the_extra(base: Path) -> None:
    done = ran(base, "-m", "regard", "demo")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("regard: this needs ")
    assert done.stderr.endswith("run pip install 'regard[train]'\n")
    assert done.stderr.count("\n") == 1


def test_a_trained_transformer_translates_there(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regard.training.measure.SECONDS", 0)
    train(small(tmp_path, steps=20), tmp_path / "model")
    wanted = regard.load(tmp_path / "model").translate("abc").text
    done = ran(base, "-m", "regard", "translate", "--model", str(tmp_path / "model"), "abc")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{wanted}\n", "")


def test_a_model_that_only_torch_runs_names_the_extra(base: Path, tmp_path: Path) -> None:
    recipe, tokens = Recipe(model=RecurrentSpec(width=6, state=6)), Tokens.train(["a dog"], "unigram", 0, symbols=True)
    files = {"recipe.toml": to_toml(recipe).encode(), "tokens.model": tokens.data, "weights.safetensors": b""}
    folder.put(tmp_path / "model", files)
    done = ran(base, "-m", "regard", "translate", "--model", str(tmp_path / "model"), "abc")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "regard: this needs torch, which is not installed: run pip install 'regard[look]'\n"
