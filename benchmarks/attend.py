"""Attention by torch's fused kernel beside the four plain functions: what `attend` goes by when nobody watches.

    make bench-attend

Forward and backward with a causal mask, all four runs interleaved. The last column names the way `attend` takes.
"""

import argparse
from collections.abc import Callable

import torch
import torch.nn.functional as F
from measure import interleaved, wait_until_idle
from torch import Tensor

from regard.attention.attend import fused_pays, hide, mix, softmax
from regard.attention.masks import causal
from regard.attention.scores import scaled_dot

SHAPES = ((128, 4, 32), (16, 8, 64), (16, 8, 256))  # sentences, heads, tokens
WIDTH = 64  # of a head


def run(batch: int, heads: int, length: int, dtype: torch.dtype, fused: bool) -> Callable[[], None]:
    # [B, T, H, K] seen as [B, H, T, K], as a projection leaves it
    shape = batch, length, heads, WIDTH
    q, k, v = (torch.randn(shape, dtype=dtype).transpose(1, 2).requires_grad_() for _ in range(3))
    mask, above = causal(length), torch.randn(batch, heads, length, WIDTH, dtype=dtype)

    def plain() -> Tensor:
        return mix(softmax(hide(scaled_dot(q, k), mask), mask), v)

    def kernel() -> Tensor:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    way = kernel if fused else plain
    return lambda: way().backward(above)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--anyway", action="store_true", help="measure on a busy machine too; the figures mean little")
    given = parser.parse_args()
    if not given.anyway:
        wait_until_idle()
    print("sentences x heads x tokens  numbers    plain ms  fused ms  plain / fused  attend takes")
    for shape in SHAPES:
        dtypes = {"float32": torch.float32, "bfloat16": torch.bfloat16}
        ways = {"plain": False, "fused": True}
        runs = {f"{way} {name}": run(*shape, dtypes[name], ways[way]) for name in dtypes for way in ways}
        times, _ = interleaved(runs, given.rounds)
        for name, dtype in dtypes.items():
            plain, fused = times[f"plain {name}"], times[f"fused {name}"]
            taken = "fused" if fused_pays(torch.empty(1, dtype=dtype), scaled_dot) else "plain"
            size = " x ".join(map(str, shape))
            print(f"{size:>26}  {name:<8}  {plain * 1e3:>9.1f}  {fused * 1e3:>8.1f}  {plain / fused:>13.2f}  {taken}")


if __name__ == "__main__":
    main()
