"""What the tests of commands share."""

import pytest

from rows import put, rows


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with a table, two texts and a recipe."""
    monkeypatch.chdir(tmp_path)
    pairs = rows("translation")
    put(tmp_path / "a.tsv", pairs[:61])
    put(tmp_path / "a.en", [row[:1] for row in pairs[:31]])
    put(tmp_path / "a.fr", [row[1:] for row in pairs[:31]])
    (tmp_path / "mine.toml").write_text(
        'source = "fr"\ntarget = "EN-gb"\n[model]\nwidth = 24\n[data]\nabout = "mine"\nlongest = 77\n'
        '[[data.train]]\nfiles = ["own.tsv"]\ncolumns = [2, 1]\n[[data.test]]\nfiles = ["test.tsv"]\ncolumns = [2, 1]\n'
    )
    return tmp_path
