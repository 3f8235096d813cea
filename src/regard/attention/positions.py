"""Positions: what tells the first word from the second, where attention alone could not.

B batch, H heads, T length, D model width, K key width.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from regard.errors import InputError, RecipeError, nearest

BASE = 10000.0  # wavelengths run from 2 pi to 10000 * 2 pi (Vaswani et al. 2017, section 3.5)


def sinusoidal(length: int, width: int, layout: str = "interleaved", offset: int = 0) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i/D)), PE(pos, 2i+1) = cos(pos / 10000^(2i/D)): [T, D].

    `halved` holds the same numbers with all the sines first (Marian's layout).
    """
    if width % 2:
        raise RecipeError(f"width is {width}; sinusoidal positions pair sines and cosines: an even width")
    angles = turns(length, width, offset)  # [T, D/2]
    if layout == "halved":
        return torch.cat((angles.sin(), angles.cos()), -1).float()
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(-2).float()


def turns(length: int, width: int, offset: int = 0) -> Tensor:
    """pos / 10000^(2i/D) for each position and pair, in float64: [T, D/2]."""
    pair = torch.arange(0, width, 2, dtype=torch.float64)
    position = torch.arange(offset, offset + length, dtype=torch.float64)
    return position[:, None] * BASE ** (-pair / width)


class Nowhere(nn.Module):
    """No positions: the input is a bag of words."""

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        return x


class Sinusoidal(nn.Module):
    """Adds the sinusoids; knows no longest position."""

    table: Tensor

    def __init__(self, width: int, layout: str) -> None:
        super().__init__()
        self.width, self.layout = width, layout
        self.register_buffer("table", sinusoidal(64, width, layout), persistent=False)

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        end = offset + x.size(1)
        if end > self.table.size(0):  # grow by doubling, so that stepping to T costs T
            with torch.inference_mode(False):  # what grows during a search may serve a training afterwards
                self.table = sinusoidal(2 * end, self.width, self.layout).to(self.table)
        return x + self.table[offset:end].to(x.dtype)


class Learned(nn.Module):
    """Adds one learned vector a position, up to the longest."""

    def __init__(self, width: int, longest: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(longest, width) * width**-0.5)

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        end, longest = offset + x.size(1), self.weight.size(0)
        if end > longest:
            raise InputError(f"a sequence of {end} tokens; this model's learned positions end at {longest} (`longest`)")
        return x + self.weight[offset:end]


class Rotary(nn.Module):
    """Turns each pair (i, i + K/2) of a query or key by its position's angle (Su et al. 2021, equation 34).

    A score then depends on the distance of its two positions alone.
    """

    def __init__(self, key_width: int) -> None:
        super().__init__()
        self.key_width = key_width

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        """x [B, H, T, K]"""
        angles = turns(x.size(-2), self.key_width, offset)  # not every device knows float64
        cos, sin = angles.cos().to(x), angles.sin().to(x)
        first, second = x.chunk(2, -1)
        return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


def make_positions(name: str, width: int, longest: int) -> nn.Module:
    """What is added to the embeddings. Rotary positions add nothing there: they turn queries and keys."""
    makers: dict[str, Callable[[], nn.Module]] = {
        "sinusoidal": lambda: Sinusoidal(width, "interleaved"),
        "halved": lambda: Sinusoidal(width, "halved"),
        "learned": lambda: Learned(width, longest),
        "rotary": Nowhere,
        "none": Nowhere,
    }
    if name not in makers:
        raise RecipeError(f"positions is {name!r}; it may be {', '.join(makers)}{nearest(name, makers)}")
    return makers[name]()
