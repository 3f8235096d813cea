"""Who looks on while a model learns: a journal always, a panel or lines for the terminal, TensorBoard.

    watchers = [*for_stderr(), *boards(folder / "tensorboard")]

A watcher is shown events, each a plain dictionary: "start", "step", "validation", "note", "end". They are the lines of
log.jsonl, so what a watcher makes of a run can be made again from the file.
"""

import sys
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

Event = dict[str, Any]


class Watcher(Protocol):
    """Who is shown each event, and told when there will be no more."""

    def see(self, event: Event) -> None: ...

    def close(self) -> None: ...


@runtime_checkable
class Recalling(Protocol):
    """A watcher that is told, before the start of a run that goes on, what has been seen of it."""

    def recall(self, events: Sequence[Event]) -> None: ...


def for_stderr() -> list[Watcher]:
    """A panel where standard error is a terminal that can show one, else lines."""
    from rich.console import Console

    from regard.training.watch.lines import Lines
    from regard.training.watch.panel import Panel

    if sys.stderr is None:  # a program without a console
        return []
    console = Console(file=sys.stderr)
    return [Panel(console) if console.is_terminal and not console.is_dumb_terminal else Lines(sys.stderr)]
