"""The demonstration cut to seconds; `make demo` runs it whole."""

import re

from regard.commands import demo as command


def test_it_learns_translates_and_shows(capsys, monkeypatch):
    monkeypatch.setattr(command, "SECONDS", 3)
    monkeypatch.setattr(command, "ASKED_EVERY", 10)
    command.demo()
    out = capsys.readouterr().out
    assert re.search(r"\d+ steps, \d+ s: \d+\.\d% of 500 strings it never saw", out)
    assert "Cut off after 3 s, not yet good" in out
    assert len(re.findall(r"^ +\w+ -> \w* +(right|wrong: \w+)$", out, re.MULTILINE)) == len(command.WORDS)
    assert all(len(line) <= 80 for line in out.split("\n"))
    assert "   a t t e n t i o n ■" in out.replace("      ", "   ")
