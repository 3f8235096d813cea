"""Probes: where an onlooker may stand. Nothing is stored here; who looks, brings the paper.

Each attention lets q, k, v, scores, masked, weights, mix and output pass through its probe, by name. A forward hook
on the probe sees them (`look.record` does), and one that returns a tensor puts it in the place of what passed: so a
head is switched off, or a weight changed, without a line in the attention itself.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from regard.errors import InputError, nearest


class Probe(nn.Module):
    """An identity that hooks can watch; of an attention with so many heads, or (0) of something else."""

    def __init__(self, heads: int = 0) -> None:
        super().__init__()
        self.heads = heads

    def forward(self, name: str, value: Tensor) -> Tensor:
        return value

    @property
    def watched(self) -> bool:
        return bool(self._forward_hooks)


def probes(model: nn.Module) -> dict[str, Probe]:
    """All probes of a model by the path of what they watch: `encoder.layers.0.own`."""
    return {
        path.removesuffix("probe").removesuffix("."): m for path, m in model.named_modules() if isinstance(m, Probe)
    }


@contextmanager
def heads_off(model: nn.Module, heads: Mapping[str, Iterable[int]]) -> Iterator[None]:
    """While it lasts, the named heads add nothing: `heads_off(model, {"decoder.layers.1.cross": [0]})`."""
    known = {path: probe for path, probe in probes(model).items() if probe.heads}
    handles = []
    try:
        for path, off in heads.items():
            if path not in known:
                raise InputError(f"no attention at {path!r}{nearest(path, known)}; there are {', '.join(known)}")
            silent, count = sorted(off), known[path].heads
            if silent and not 0 <= silent[0] <= silent[-1] < count:
                raise InputError(f"heads {silent} of {path!r} to switch off; it has {count}, numbered from 0")
            handles.append(known[path].register_forward_hook(silencer(silent)))
        yield
    finally:
        for handle in handles:
            handle.remove()


def silencer(off: list[int]) -> Callable[[Probe, tuple[str, Tensor], Tensor], Tensor | None]:
    """A hook that puts zeros in the place of what these heads mixed."""

    def hook(_: Probe, passed: tuple[str, Tensor], value: Tensor) -> Tensor | None:
        if passed[0] != "mix":
            return None
        kept = torch.ones(value.size(1), dtype=value.dtype, device=value.device)
        kept[off] = 0
        return value * kept[:, None, None]

    return hook
