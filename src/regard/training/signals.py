"""Ctrl-C and SIGTERM while training: the step under way is finished and saved; a second one leaves at once."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from regard.corpus.shelter import ASKING, answered


class Stop:
    """Whether, and by what, the end was asked for."""

    signal = 0

    def __bool__(self) -> bool:
        return self.signal != 0


@contextmanager
def stopping() -> Iterator[Stop]:
    """Meanwhile a first signal is noted, and a second one interrupts."""
    stop = Stop()

    def note(number: int, frame: FrameType | None) -> None:
        if stop:
            raise KeyboardInterrupt
        stop.signal = number

    with answered(ASKING, note):
        yield stop


@contextmanager
def leaving() -> Iterator[None]:
    """Meanwhile SIGTERM leaves as Ctrl-C does: by an exception, so that what is half made goes away."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    with answered((signal.SIGTERM,), leave):
        yield
