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
DTYPES = (torch.float32, torch.bfloat16)


def run(batch: int, heads: int, length: int, like: Tensor, fused: bool) -> Callable[[], None]:
    """What is timed, in the number format and on the device of `like`."""
    # [B, T, H, K] seen as [B, H, T, K], as a projection leaves it
    q, k, v = (like.new_empty(batch, length, heads, WIDTH).normal_().transpose(1, 2).requires_grad_() for _ in range(3))
    mask, above = causal(length, device=like.device), torch.randn_like(q)

    def plain() -> Tensor:
        return mix(softmax(hide(scaled_dot(q, k), mask), mask), v)

    def kernel() -> Tensor:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    way = kernel if fused else plain

    def both() -> None:
        way().backward(above)
        if like.is_cuda:
            torch.cuda.synchronize()

    return both


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--anyway", action="store_true", help="measure on a busy machine too; the figures mean little")
    given = parser.parse_args()
    if not given.anyway:
        wait_until_idle()
    print("sentences x heads x tokens  numbers    plain ms  fused ms  plain / fused  attend takes")
    for shape in SHAPES:
        likes = {str(t).removeprefix("torch."): torch.empty(1, dtype=t, device=given.device) for t in DTYPES}
        ways = {"plain": False, "fused": True}
        runs = {f"{way} {name}": run(*shape, likes[name], ways[way]) for name in likes for way in ways}
        times, _ = interleaved(runs, given.rounds)
        for name, like in likes.items():
            plain, fused = times[f"plain {name}"], times[f"fused {name}"]
            taken = "fused" if fused_pays(like, scaled_dot) else "plain"
            size = " x ".join(map(str, shape))
            print(f"{size:>26}  {name:<8}  {plain * 1e3:>9.1f}  {fused * 1e3:>8.1f}  {plain / fused:>13.2f}  {taken}")


if __name__ == "__main__":
    main()
