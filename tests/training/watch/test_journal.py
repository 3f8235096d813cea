"""The log: whole lines, and none of what a run forgot when it was cut off."""

import json
import os

import pytest

from regard.training.watch.journal import Journal, read

START = {"event": "start", "resumed_at": 0, "steps": 50}
NOTE = {"event": "note", "text": "é\u2028 \n"}


def steps(*numbers):
    return [{"event": "step", "step": number, "loss": 1 / number} for number in numbers]


def written(path, events):
    journal = Journal(path)
    for event in events:
        journal.see(event)
    journal.close()
    return path.read_bytes()


def test_every_event_is_a_line(tmp_path):
    events = [START, NOTE, *steps(10, 20)]
    lines = written(tmp_path / "log.jsonl", events).decode().split("\n")
    assert [json.loads(line) for line in lines[:-1]] == events == read(tmp_path / "log.jsonl")
    assert lines[-1] == ""
    assert "é" in lines[1]


def test_what_goes_on_looks_as_if_nothing_had_happened(tmp_path):
    path, validation = tmp_path / "log.jsonl", {"event": "validation", "step": 20, "loss": 2.5}
    whole = [
        START,
        NOTE,
        *steps(10, 20),
        validation,
        NOTE,
        *steps(30, 40),
        {"event": "end", "why": "steps", "step": 40},
    ]
    straight = written(tmp_path / "straight.jsonl", whole)
    written(path, [*whole[:6], *steps(30)])
    with path.open("ab") as file:
        file.write(b'{"event":"step","st')  # killed while it wrote
    journal = Journal(path)
    journal.see({"event": "note", "text": "what is said before the checkpoint is read"})
    journal.rewind(20)
    for event in ({**START, "resumed_at": 20}, *whole[6:]):
        journal.see(event)
    journal.close()
    assert path.read_bytes() == straight


def test_an_interrupted_run_has_not_ended(tmp_path):
    path = tmp_path / "log.jsonl"
    before = written(path, [START, *steps(10, 20)])
    written(path, [{"event": "end", "why": "interrupted", "step": 20}])
    journal = Journal(path)
    journal.rewind(20)
    assert path.read_bytes() == before


def test_a_run_that_has_ended_stays_so(tmp_path):
    path = tmp_path / "log.jsonl"
    before = written(path, [START, *steps(10), {"event": "end", "why": "time", "step": 10}])
    journal = Journal(path)
    journal.rewind(10)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("step", "kept"), [(0, 2), (9, 2), (10, 3), (15, 3), (20, 4), (99, 5)])
def test_rewinding_keeps_the_lines_up_to_the_step(tmp_path, step, kept):
    path = tmp_path / "log.jsonl"
    lines = written(path, [START, NOTE, *steps(10, 20, 30)]).splitlines(keepends=True)
    journal = Journal(path)
    journal.rewind(step)
    assert path.read_bytes() == b"".join(lines[:kept])


def test_nothing_behind_a_damaged_line_is_kept(tmp_path):
    path = tmp_path / "log.jsonl"
    first = written(path, [START])
    path.write_bytes(first + b"\0\0\0\n" + json.dumps(steps(10)[0]).encode() + b"\n[1]\n")
    assert read(path) == [START]
    Journal(path).rewind(10)
    assert path.read_bytes() == first


def test_a_line_that_finds_no_room_is_an_error_and_cut_next_time(tmp_path, monkeypatch):
    path, write = tmp_path / "log.jsonl", os.write
    journal = Journal(path)
    journal.see(START)
    before = path.read_bytes()
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:7]))
    with pytest.raises(OSError, match="No space left"):
        journal.see(NOTE)
    journal.close()
    journal.close()
    assert len(path.read_bytes()) == len(before) + 7
    Journal(path).close()
    assert path.read_bytes() == before
