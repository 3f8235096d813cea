"""Ctrl-C and SIGTERM while training: the step under way is finished and saved; a second one leaves at once."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


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

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
