"""Masks: who may look at whom. True: may look. None: everybody may look at everybody.

B batch, T queries, S keys. A mask broadcasts against scores [B, H, T, S].
"""

from functools import reduce

import torch
from torch import Tensor


def padding(lengths: Tensor, size: int) -> Tensor | None:
    """Hides what lies behind each sequence's end: [B, 1, 1, S]; None where nothing does."""
    if bool((lengths >= size).all()):
        return None
    return (torch.arange(size, device=lengths.device) < lengths[:, None])[:, None, None, :]


def causal(queries: int, offset: int = 0, device: torch.device | None = None) -> Tensor | None:
    """Hides the future: query i stands at position offset + i and sees the keys up to itself: [T, S].

    One query, the newest, has no future to hide: None.
    """
    if queries == 1:
        return None
    return torch.ones(queries, offset + queries, dtype=torch.bool, device=device).tril(offset)


def window(queries: int, keys: int, neighbours: int, offset: int = 0, device: torch.device | None = None) -> Tensor:
    """Hides what is more than so many neighbours away, before or behind: [T, S]."""
    query = torch.arange(offset, offset + queries, device=device)
    key = torch.arange(keys, device=device)
    return (query[:, None] - key).abs() <= neighbours


def combine(*masks: Tensor | None) -> Tensor | None:
    """Visible is what every mask lets through."""
    given = [mask for mask in masks if mask is not None]
    return reduce(torch.logical_and, given) if given else None
