"""log.jsonl: every event, a line each, whole or not at all. A run that goes on looks as if it had never stopped."""

import errno
import os
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec

from regard.training.watch import Event

CUT_OFF = "interrupted"  # why a run ended that may go on


class Journal:
    """Appends events to a file; a last line that was cut off is taken away first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        self._closed = False
        self._cut(path.read_bytes().rfind(b"\n") + 1)

    def see(self, event: Event) -> None:
        """One event; of a run that goes on, be it from its begin, the start stands there already."""
        if event["event"] == "start" and any(one["event"] == "start" for one in read(self.path)):
            return
        line = msgspec.json.encode(event) + b"\n"
        if os.write(self._file, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    def rewind(self, step: int) -> None:
        """Cuts what came after a step: the first line of a later one, or an end that was none, and all behind it."""
        kept = takewhile(lambda line: belongs(line, step), self.path.read_bytes().splitlines(keepends=True))
        self._cut(sum(map(len, kept)))

    def keep(self) -> None:
        """What it has seen is on the disk, not on its way to it."""
        os.fsync(self._file)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            os.close(self._file)

    def _cut(self, size: int) -> None:
        os.ftruncate(self._file, size)


def belongs(line: bytes, step: int) -> bool:
    """Whether a line is an event of that step or before."""
    try:
        event: Any = msgspec.json.decode(line)
        return event.get("step", 0) <= step and event.get("why") != CUT_OFF
    except (msgspec.DecodeError, AttributeError, TypeError):
        return False  # damaged: nothing behind it can be trusted to follow


def read(path: Path) -> list[Event]:
    """The events of a log, as far as its lines are whole."""
    events: list[Event] = []
    for line in path.read_bytes().splitlines():
        try:
            events.append(msgspec.json.decode(line))
        except msgspec.DecodeError:
            break
    return events
