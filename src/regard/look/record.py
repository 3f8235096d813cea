"""record: watches a model's probes while it lasts, and keeps what passed.

    with record(model) as seen:
        model(source, lengths, target)
    seen["decoder.layers.1.cross"]["weights"][-1]     # [B, H, T, S]

A watched model takes the plain way, with the same numbers; an unwatched one pays nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from torch import Tensor, nn

from regard.attention.probe import Probe, probes

Seen = dict[str, dict[str, list[Tensor]]]  # path of what was watched -> name of the tensor -> one a call


@contextmanager
def record(model: nn.Module) -> Iterator[Seen]:
    """All that passes the probes of a model, in the order of the calls; unhooked at the end, whatever happens."""
    seen: Seen = {}
    handles = []
    try:
        for path, probe in probes(model).items():
            seen[path] = {}
            handles.append(probe.register_forward_hook(keeper(seen[path])))
        yield seen
    finally:
        for handle in handles:
            handle.remove()


def keeper(kept: dict[str, list[Tensor]]) -> Callable[[Probe, tuple[str, Tensor], Tensor], None]:
    """A hook that keeps each tensor under its name."""

    def hook(_: Probe, passed: tuple[str, Tensor], value: Tensor) -> None:
        kept.setdefault(passed[0], []).append(value.detach())

    return hook
