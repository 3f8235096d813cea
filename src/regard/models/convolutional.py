"""Models of dilated convolutions: ByteNet, an encoder-decoder, and a WaveNet-like language model.

A stack sees 1 + (K - 1) * (sum of the dilations) positions, so with dilations that double, log2 N layers connect two
positions at distance N, where a recurrence needs N steps.

B batch, S source length, P length of the source stretched, T target length, D model width, C channels, K kernel.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.models.dropout import Dropout
from regard.models.embedding import Embedding, Logits, source_front, tie
from regard.models.interface import Seq2Seq, check_no_source, check_source
from regard.models.transformer import initialise
from regard.recipe import ByteNetSpec, WaveNetSpec


class Convolution(nn.Module):
    """y_t = b + sum over k of x_(t + offset_k) W_k: causal, its taps end at t; else they stand around it.

    A sum of K shifted products on [B, T, C]: forward and backward at B = 64, T = 32, C = 256, K = 3 it takes 5 to 10 ms
    in bfloat16, as training runs, where nn.Conv1d takes 10 to 13; in float32 it is 15 to 28 against 17 to 19.
    """

    def __init__(self, inputs: int, outputs: int, kernel: int, dilation: int, causal: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(kernel, inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.kernel, self.dilation = kernel, dilation
        last = 0 if causal else (kernel - 1) // 2
        self.offsets = [(k + last - kernel + 1) * dilation for k in range(kernel)]
        bound = math.sqrt(6 / (kernel * (inputs + outputs)))  # Glorot and Bengio 2010, over all taps
        nn.init.uniform_(self.weight, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        """x [B, T, C] -> [B, T, C']; outside of it there are zeros."""
        y = self.bias.expand(x.size(0), x.size(1), -1)
        for weight, offset in zip(self.weight, self.offsets, strict=True):
            if abs(offset) < x.size(1):
                y = y + tap(x, weight, offset)
        return y

    def step(self, x: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        """The newest x [B, C] behind its `past` [B, (K - 1) * dilation, C]: its y [B, C'], and the past of the next."""
        window = torch.cat((past, x[:, None]), 1)
        return torch.addmm(self.bias, window[:, :: self.dilation].flatten(1), self.weight.flatten(0, 1)), window[:, 1:]

    def nothing(self, batch: int) -> Tensor:
        """The past before the first token: zeros."""
        return self.weight.new_zeros(batch, (self.kernel - 1) * self.dilation, self.weight.size(1))


def tap(x: Tensor, weight: Tensor, offset: int) -> Tensor:
    """x_(t + offset) W at each t, zeros where x has ended or not begun."""
    if offset > 0:
        return F.pad(x[:, offset:] @ weight, (0, 0, 0, offset))
    return F.pad(x[:, : x.size(1) + offset] @ weight, (0, 0, -offset, 0))


class ResidualBlock(nn.Module):
    """x + up(relu(norm(conv(relu(norm(down(relu(norm(x)))))))), at half width (Kalchbrenner et al. 2016, figure 3)."""

    def __init__(self, spec: ByteNetSpec, dilation: int, causal: bool) -> None:
        super().__init__()
        half = spec.width // 2
        self.norms = nn.ModuleList(nn.LayerNorm(width) for width in (spec.width, half, half))
        self.down, self.up = nn.Linear(spec.width, half), nn.Linear(half, spec.width)
        self.convolution = Convolution(half, half, spec.kernel, dilation, causal)
        self.dropout = Dropout(spec.dropout)

    def forward(self, x: Tensor, inside: Tensor | None = None) -> Tensor:
        """x [B, T, D]; positions that are not `inside` [B, T, 1] their sentence are zeros to the convolution."""
        y = self.before(x)
        return self.after(x, self.convolution(y if inside is None else y * inside))

    def step(self, x: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        """The newest x [B, D]."""
        y, past = self.convolution.step(self.before(x), past)
        return self.after(x, y), past

    def before(self, x: Tensor) -> Tensor:
        return torch.relu(self.norms[1](self.down(torch.relu(self.norms[0](x)))))

    def after(self, x: Tensor, y: Tensor) -> Tensor:
        return x + self.dropout(self.up(torch.relu(self.norms[2](y))))


class GatedBlock(nn.Module):
    """W (tanh(W_f * x) . sigmoid(W_g * x)), added to x and to the output (van den Oord et al. 2016, equation 2)."""

    def __init__(self, spec: WaveNetSpec, dilation: int) -> None:
        super().__init__()
        self.convolution = Convolution(spec.width, 2 * spec.width, spec.kernel, dilation, causal=True)
        self.mix = nn.Linear(spec.width, spec.width)
        self.dropout = Dropout(spec.dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.gate(self.convolution(x))

    def step(self, x: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        y, past = self.convolution.step(x, past)
        return self.gate(y), past

    def gate(self, y: Tensor) -> Tensor:
        """Filter and gate lie side by side in y [..., 2 * D]."""
        signal, gate = y.chunk(2, -1)
        return self.dropout(self.mix(torch.tanh(signal) * torch.sigmoid(gate)))


class Memory(NamedTuple):
    """The encoder's output [B, P, D], zeros behind each sentence's stretched end. Of a language model: [B, 0]."""

    features: Tensor


class ConvolutionState(NamedTuple):
    """What is carried from step to step."""

    features: Tensor
    past: tuple[Tensor, ...]  # of each layer, the last inputs of its convolution [B, (K - 1) * dilation, C]
    length: int  # how many tokens have been read


class ByteNet(Seq2Seq):
    """A decoder that stands on its encoder: position t is given the word before and the encoder's output at t.

    Dynamic unfolding (Kalchbrenner et al. 2016, section 3.2): a source of n tokens becomes stretch * n + extra features
    (never fewer than n), of which those behind its end come from zeros; a target that is longer still stands on zeros.
    """

    def __init__(self, spec: ByteNetSpec, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__()
        self.stretch, self.extra = spec.stretch, spec.extra
        self.source = source_front(spec.source_vectors, source_vocabulary, spec.width)
        self.target = Embedding(target_vocabulary, spec.width)
        self.encoder = nn.ModuleList(ResidualBlock(spec, d, causal=False) for d in spec.dilations * spec.encoder_sets)
        decoder = nn.ModuleList(ResidualBlock(spec, d, causal=True) for d in spec.dilations * spec.decoder_sets)
        self.decoder = cast("Sequence[ResidualBlock]", decoder)
        self.stand = nn.Linear(2 * spec.width, spec.width)
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(spec.width), nn.LayerNorm(spec.width)
        self.readout = nn.Linear(spec.width, spec.width)
        self.dropout = Dropout(spec.dropout)
        self.logits = Logits(target_vocabulary, spec.width)
        initialise(self.encoder, self.stand, decoder, self.readout)
        tie(spec.tied, self.source, self.target, self.logits)

    def encode(self, source: Tensor, lengths: Tensor) -> Memory:
        check_source(source, lengths, self.source)
        stretched = self.unfold(lengths)
        size = int(stretched.max())
        x = resize(self.dropout(self.source(source)) * within(lengths, source.size(1)), size)
        inside = within(stretched, size)
        for block in self.encoder:
            x = block(x, inside)
        return Memory(self.encoder_norm(x) * inside)

    def unfold(self, lengths: Tensor) -> Tensor:
        """How many positions the decoder may stand on: ceil(stretch * n) + extra, for each sentence."""
        exact = lengths.double() * self.stretch
        return torch.maximum(lengths, (exact - 1e-9).ceil().long() + self.extra)  # 1.1 * 10 is a little above 11

    def start(self, memory: Memory) -> ConvolutionState:
        return ConvolutionState(memory.features, nothing(self.decoder, memory.features.size(0)), 0)

    def step(self, state: ConvolutionState, ids: Tensor) -> tuple[Tensor, ConvolutionState]:
        below = resize(state.features[:, state.length :], 1)[:, 0]
        x, past = self.stand(torch.cat((self.dropout(self.target(ids)), below), -1)), []
        for block, before in zip(self.decoder, state.past, strict=True):
            x, after = block.step(x, before)
            past.append(after)
        return self.logits(self.speak(x)), state._replace(past=tuple(past), length=state.length + 1)

    def features(self, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        below = resize(self.encode(source, lengths).features, target.size(1))
        x = self.stand(torch.cat((self.dropout(self.target(target)), below), -1))
        for block in self.decoder:
            x = block(x)
        return self.speak(x)

    def speak(self, x: Tensor) -> Tensor:
        out: Tensor = self.dropout(self.readout(torch.relu(self.decoder_norm(x))))
        return out


class WaveNet(Seq2Seq):
    """A language model: gated causal convolutions, each added to its input and, by a skip connection, to the output."""

    reads = False

    def __init__(self, spec: WaveNetSpec, vocabulary: int) -> None:
        super().__init__()
        self.target = Embedding(vocabulary, spec.width)
        decoder = nn.ModuleList(GatedBlock(spec, d) for d in spec.dilations * spec.sets)
        self.decoder = cast("Sequence[GatedBlock]", decoder)
        self.readout = nn.Linear(spec.width, spec.width)
        self.dropout = Dropout(spec.dropout)
        self.logits = Logits(vocabulary, spec.width)
        initialise(decoder, self.readout)

    def encode(self, source: Tensor, lengths: Tensor) -> Memory:
        check_no_source(source)
        return Memory(source)

    def start(self, memory: Memory) -> ConvolutionState:
        return ConvolutionState(memory.features, nothing(self.decoder, memory.features.size(0)), 0)

    def step(self, state: ConvolutionState, ids: Tensor) -> tuple[Tensor, ConvolutionState]:
        x, past = self.dropout(self.target(ids)), []
        skipped = torch.zeros_like(x)
        for block, before in zip(self.decoder, state.past, strict=True):
            change, after = block.step(x, before)
            x, skipped = x + change, skipped + change
            past.append(after)
        return self.logits(self.speak(skipped)), state._replace(past=tuple(past), length=state.length + 1)

    def features(self, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        check_no_source(source)
        x = self.dropout(self.target(target))
        skipped = torch.zeros_like(x)
        for block in self.decoder:
            change = block(x)
            x, skipped = x + change, skipped + change
        return self.speak(skipped)

    def speak(self, x: Tensor) -> Tensor:
        """relu, 1x1, relu, and as logits 1x1 (the paper's figure 4)"""
        return torch.relu(self.readout(torch.relu(x)))


def nothing(blocks: Sequence[ResidualBlock] | Sequence[GatedBlock], batch: int) -> tuple[Tensor, ...]:
    """The past of each block before the first token."""
    return tuple(block.convolution.nothing(batch) for block in blocks)


def within(lengths: Tensor, size: int) -> Tensor:
    """1 for positions inside their sentence, 0 behind its end: [B, size, 1]."""
    return (torch.arange(size, device=lengths.device) < lengths[:, None])[..., None]


def resize(x: Tensor, size: int) -> Tensor:
    """x [B, S, D] cut, or filled up with zeros, to so many positions."""
    return x[:, :size] if x.size(1) >= size else F.pad(x, (0, 0, 0, size - x.size(1)))
