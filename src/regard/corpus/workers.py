"""Work on many items, its results in their order: by this process where they are few, else by one process a core."""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import get_context, parent_process
from typing import Any, TypeVar

from regard.corpus.shelter import sheltered

FEW = 12  # items: below that, starting processes takes longer than it saves

Item = TypeVar("Item")
Made = TypeVar("Made")


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
    """What the work makes of each item."""
    items = iter(items)
    first = list(islice(items, FEW))
    if len(first) < FEW:
        yield from map(work, first)
        return
    workers = min(cores(), 32)
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin, (work,)) as pool:
        waiting: deque[Future[Made]] = deque()
        for item in chain(first, items):
            with nameless_main(), sheltered((signal.SIGINT,)):  # SIGTERM ends the others when one of them dies
                waiting.append(pool.submit(_there, item))
            if len(waiting) > 2 * workers:  # no more: what is made ahead lies in memory
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@contextmanager
def nameless_main() -> Iterator[None]:
    """A process started meanwhile does not run the user's script again, which may not ask whether it is `__main__`."""
    main = sys.modules["__main__"]
    spec, file = main.__spec__, main.__dict__.pop("__file__", None)
    main.__spec__ = None
    try:
        yield
    finally:
        main.__spec__ = spec
        if file is not None:
            main.__file__ = file


_work: Callable[[Any], Any]  # of a worker


def _begin(work: Callable[[Any], Any]) -> None:
    """A worker leaves Ctrl-C to its parent, and ends when that is gone, however it went."""
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _there(item: Any) -> Any:
    return _work(item)
