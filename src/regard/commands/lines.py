"""Lines in, lines out: standard input or files, a batch at a time; what comes slowly is answered when it pauses.

A line ends at LF and nowhere else; bytes that are not UTF-8 become U+FFFD; a last line without LF is answered without.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from queue import Empty, Queue
from secrets import token_hex
from typing import TextIO

from regard.errors import InputError, RegardError, reading

MANY = 1024  # lines that are answered together
IDLE = 0.2  # seconds without another line, after which what is there is answered
BLOCK = 2**16  # bytes
EVERY = 1.0  # seconds between two words of progress

Answer = Callable[[list[str]], list[str]]
Lines = Queue[bytes | OSError]


def spoken(word: str) -> str:
    """A word of the command line as text, whatever its bytes were."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_file(name: str) -> bool:
    with suppress(OSError, ValueError):  # too long for a name
        return Path(name).is_file()
    return False


def is_there(path: Path) -> bool:
    with suppress(OSError):  # too long for a name: what writes there says so
        return path.exists()
    return False


def of_text(text: str) -> Iterator[list[str]]:
    """A text's lines; the last one is taken to end too."""
    yield [f"{line}\n" for line in text.split("\n")]


def of_file(path: Path) -> Iterator[list[str]]:
    """A file's lines, each with its end."""
    with reading(path), path.open("rb") as file:
        while some := list(islice(file, MANY)):
            yield [line.decode("utf-8", "replace") for line in some]


def of_input() -> Iterator[list[str]]:
    """The lines of standard input, each with its end: as many as there are when it pauses, MANY at most."""
    if sys.stdin is None:
        return
    queue: Lines = Queue(4 * MANY)
    # The thread reads the bare file: who waits in sys.stdin holds its lock when the program ends.
    threading.Thread(target=pump, args=(sys.stdin.fileno(), queue), daemon=True).start()
    while line := taken(queue):
        batch = [line]
        with suppress(Empty):
            while len(batch) < MANY and (line := taken(queue, IDLE)):
                batch.append(line)
        yield [one.decode("utf-8", "replace") for one in batch]
        if not line:
            return


def taken(queue: Lines, seconds: float | None = None) -> bytes:
    """The next line, for which it waits so long at most."""
    line = queue.get(timeout=seconds)
    if isinstance(line, OSError):
        raise InputError(f"standard input cannot be read: {line.strerror}")
    return line


def pump(source: int, queue: Lines) -> None:
    """Puts a file's lines into a queue as they come, and nothing at its end; or why no more can be read."""
    rest = b""
    try:
        while block := os.read(source, BLOCK):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                queue.put(line + b"\n")
    except OSError as error:
        queue.put(error)
        return
    if rest:
        queue.put(rest)
    queue.put(b"")


def answer_all(batches: Iterable[list[str]], answer: Answer, out: TextIO, progress: "Progress", whole: bool) -> None:
    """Writes an answer for each line; where `whole`, each ends in LF."""
    for batch in batches:
        answers = answer([line.removesuffix("\n") for line in batch])
        for line, said in zip(batch, answers, strict=True):
            out.write(said + "\n" * (whole or line.endswith("\n")))
        out.flush()
        progress.add(len(batch))


@contextmanager
def written(path: Path) -> Iterator[TextIO]:
    """A new file at the path, there only when it is whole."""
    fresh = path.with_name(f".{token_hex(8)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("x", encoding="utf-8", newline="\n") as file:
            yield file
        fresh.replace(path)
    except OSError as error:
        raise RegardError(f"cannot write {path}: {error.strerror}") from None
    finally:
        with suppress(OSError):  # where there is no folder, there is no file either
            fresh.unlink()


class Progress:
    """How much is done, on standard error: on a terminal that nothing else is written to meanwhile, or if wanted."""

    def __init__(self, wanted: bool, what: str = "lines", alone: bool = False) -> None:
        """`alone`: the answers are kept for later, wherever they go."""
        terminal = sys.stderr is not None and sys.stderr.isatty()
        self.shown, self.what = wanted or (terminal and (alone or not sys.stdout.isatty())), what
        self.before, self.after = ("\r\033[K", "") if terminal else ("", "\n")
        self.began = self.said = time.monotonic()
        self.count = 0

    def add(self, lines: int) -> None:
        self.count += lines
        if time.monotonic() - self.said > EVERY:
            self.say(self.after)

    def close(self) -> None:
        self.say("\n")

    def say(self, end: str) -> None:
        self.said = time.monotonic()
        if self.shown and sys.stderr is not None:
            rate = self.count / max(self.said - self.began, 1e-9)
            said = f"{self.before}{self.count:,} {self.what}, {rate:,.1f} a second"
            print(said, end=end, file=sys.stderr, flush=True)
