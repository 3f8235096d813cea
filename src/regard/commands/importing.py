"""Importing what is heavy: a missing extra is one line, and Ctrl-C leaves at once."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from regard.errors import needs

INTERRUPTED = 130  # the exit code of what Ctrl-C has ended: 128 + SIGINT


@contextmanager
def leaving_at_once() -> Iterator[None]:
    """Meanwhile Ctrl-C ends the process there and then: a module half imported does not survive an exception."""
    before = signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def leave(_: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


@contextmanager
def importing(extra: str) -> Iterator[None]:
    """Around the imports of an extra's packages."""
    with leaving_at_once(), needs(extra):
        yield
