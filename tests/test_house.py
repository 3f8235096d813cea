"""Who imports whom: the contracts of pyproject.toml hold, and so do the bans that they cannot express yet."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "src" / "regard"
THE_MATHEMATICS = ("attention", "models", "search")
KNOWS_NO_TEXT = ("text", "documents", "corpus", "evaluate")


def imported(file: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in it, by its full name."""
    package = ("regard", *file.relative_to(HOUSE).parent.parts)
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            start = ".".join([*above, *([node.module] if node.module else [])])
            yield start
            yield from (f"{start}.{alias.name}" for alias in node.names)


def files(room: str) -> list[Path]:
    return [*HOUSE.glob(f"{room}.py"), *sorted((HOUSE / room).rglob("*.py"))]


def test_the_contracts_hold() -> None:
    lint = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    done = subprocess.run([sys.executable, "-c", lint], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("room", THE_MATHEMATICS)
def test_the_mathematics_knows_no_text(room: str) -> None:
    banned = tuple(f"regard.{other}" for other in KNOWS_NO_TEXT)
    found = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in files(room)
        for name in imported(file)
        if name in banned or name.startswith(tuple(f"{ban}." for ban in banned))
    ]
    assert not found, "\n".join(found)


def test_imports_are_found_wherever_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "HOUSE", tmp_path)
    room = tmp_path / "models"
    room.mkdir()
    (room / "a.py").write_text(
        "import regard.text.split\ndef f():\n    from ..corpus import batches\n    from . import b\n"
    )
    assert list(imported(room / "a.py")) == [
        "regard.text.split", "regard.corpus", "regard.corpus.batches", "regard.models", "regard.models.b",
    ]  # fmt: skip


def test_every_pin_is_a_plain_version() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9.-]+==[0-9a-z.]+", pin) for pin in pins)
    assert pins == sorted(pins), "sorted, so that a change reads well"


def test_what_the_tests_install_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for name in ("train", "look", "dev", "docs") for one in extras[name])]
    names = {re.split(r"[\[<>=;]", one)[0] for one in wanted} - {"regard"}
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    missing = {name for name in names if not re.search(rf"^{re.escape(name)}==", pins, re.MULTILINE)}
    assert not missing


def test_import_regard_loads_nothing() -> None:
    ask = "import sys; old = set(sys.modules); import regard; print(sorted(set(sys.modules) - old))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", ask],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(ast.literal_eval(done.stdout))
    assert "regard" in loaded
    assert not any(name.startswith(("regard.", "torch", "numpy", "cyclopts", "importlib.metadata")) for name in loaded)
