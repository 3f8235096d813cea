"""The paper's base block, forward and backward: ours beside torch.nn.Transformer's, same shapes, same threads, one run.

    make bench-layers

A ratio above 1 says how many times as fast ours is. Without dropout both compute the same numbers (tests show it). With
the recipe's dropout of 0.1 each does as it is built: torch also drops attention weights and inner activations, ours by
default what the paper names (section 5.4: embeddings and what a sublayer adds), with masks from cheaper random bytes.
"""

import argparse
from collections.abc import Callable
from contextlib import nullcontext

import msgspec
import torch
from measure import interleaved, wait_until_idle
from torch import Tensor, nn

from regard.attention.masks import causal
from regard.models.build import parameters
from regard.models.transformer import DecoderLayer, EncoderLayer, Transformer
from regard.recipe import TransformerSpec, load, shipped

SHAPES = ((128, 16), (64, 32), (16, 128))  # sentences, tokens in each
PAPER = {"base": 65, "big": 213}  # million parameters (2017, table 3), with 37,000 joint pieces
PIECES = 37_000


def ours(spec: TransformerSpec, x: Tensor) -> Callable[[], Tensor]:
    """An encoder layer and a decoder layer that looks at it."""
    encoder, decoder = EncoderLayer(spec), DecoderLayer(spec)
    mask = causal(x.size(1))

    def run() -> Tensor:
        memory = encoder(x, None)
        assert decoder.cross is not None
        out, _ = decoder(x, None, mask, decoder.cross.project(memory), None, 0)
        return out

    return run


def theirs(spec: TransformerSpec, x: Tensor) -> Callable[[], Tensor]:
    """The same two of torch."""
    size = spec.width, spec.heads, spec.inner, spec.dropout
    encoder = nn.TransformerEncoderLayer(*size, batch_first=True)
    decoder = nn.TransformerDecoderLayer(*size, batch_first=True)
    mask = nn.Transformer.generate_square_subsequent_mask(x.size(1))
    return lambda: decoder(x, encoder(x), tgt_mask=mask, tgt_is_causal=True)


def forward_and_backward(make: Callable[[], Tensor], above: Tensor, bf16: bool) -> Callable[[], None]:
    """What is timed, with the gradient `above` the block; weights' gradients pile up, which costs the same everywhere.

    A random one: of a loss such as the output's mean square, behind a LayerNorm nearly nothing is left, and a
    processor multiplies denormal numbers many times slower.
    """

    def run() -> None:
        with torch.autocast("cpu", torch.bfloat16) if bf16 else nullcontext():
            out = make()
        out.backward(above.to(out.dtype))

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--anyway", action="store_true", help="measure on a busy machine too; the figures mean little")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    for name, million in PAPER.items():
        spec = load(shipped(name)).model
        assert isinstance(spec, TransformerSpec)
        with torch.device("meta"):
            count = parameters(Transformer(spec, PIECES, PIECES))
        print(f"{name} with {PIECES:,} joint pieces: {count / 1e6:.1f} million parameters; the paper says {million}")
    if not given.anyway:
        wait_until_idle()
    print(f"\nbase block (encoder layer + decoder layer), forward and backward, {given.threads} threads")
    print("sentences x tokens  dropout  numbers   torch ms   ours ms  times as fast  canary GFLOP/s")
    spec = load(shipped("base")).model
    assert isinstance(spec, TransformerSpec)
    for batch, length in SHAPES:
        for dropout in (0.0, spec.dropout):
            row(spec, batch, length, dropout, given.rounds)


def row(spec: TransformerSpec, batch: int, length: int, dropout: float, rounds: int) -> None:
    """Measures one shape in both number formats, all four runs interleaved."""
    torch.manual_seed(1)
    spec = msgspec.structs.replace(spec, dropout=dropout)
    x = torch.randn(batch, length, spec.width)
    above = torch.randn_like(x)
    blocks = {"torch": theirs(spec, x), "ours": ours(spec, x)}
    runs = {
        f"{name} {bf16}": forward_and_backward(run, above, bf16)
        for bf16 in (False, True)
        for name, run in blocks.items()
    }
    times, speed = interleaved(runs, rounds)
    for bf16 in (False, True):
        torchs, our = times[f"torch {bf16}"], times[f"ours {bf16}"]
        numbers = "bfloat16" if bf16 else "float32"
        print(
            f"{batch:>9} x {length:<6}  {dropout:>7}  {numbers:<8}  {torchs * 1e3:>8.1f}  {our * 1e3:>8.1f}"
            f"  {torchs / our:>13.2f}  {speed:>14.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
