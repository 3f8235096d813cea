"""Processes that do not hear of Ctrl-C, which a terminal sends to all of a command's: their parent answers it."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType
from typing import Any

ASKING = (signal.SIGINT, signal.SIGTERM)  # for the end


@contextmanager
def sheltered(numbers: Sequence[int] = ASKING) -> Iterator[None]:
    """A process started meanwhile never hears of Ctrl-C and SIGTERM.

    Its parent hears of them when it has started: else what that tells it might break off in the middle.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    noted: list[int] = []  # by whichever thread the system sent it to
    resource_tracker.ensure_running()  # which Python starts with the first process, and then unblocks them
    try:
        with answered(numbers, lambda number, _: noted.append(number)):
            before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
            try:
                yield
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
    finally:
        for number in noted:
            signal.raise_signal(number)


@contextmanager
def answered(numbers: Sequence[int], answer: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    """Meanwhile the signals are answered so; in another thread than the main one, which alone may ask, as they were."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, answer) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
