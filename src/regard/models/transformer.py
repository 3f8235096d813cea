"""The Transformer: an encoder that looks at itself, a decoder that looks at itself and at the encoder.

B batch, S source length, T target length, D model width, V vocabulary.
"""

import math
from typing import NamedTuple

from torch import Tensor, nn

from regard.attention import masks
from regard.attention.heads import Keys, MultiHead
from regard.attention.positions import make_positions
from regard.models.dropout import Dropout, WordDropout, skipped
from regard.models.embedding import Embedding, Logits, source_front, tie
from regard.models.interface import Seq2Seq, Shared, check_source
from regard.models.layers import FeedForward, Residual, final_norm, make_attention, self_attention
from regard.recipe import StackSpec, TransformerSpec


class EncoderLayer(nn.Module):
    """Look at one another, then think each alone."""

    def __init__(self, spec: StackSpec) -> None:
        super().__init__()
        self.own = self_attention(spec)
        self.feed_forward = FeedForward(spec)
        self.around_own, self.around_feed_forward = Residual(spec), Residual(spec)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        x = self.around_own.leave(x, self.own(self.around_own.enter(x), mask=mask))
        return self.around_feed_forward.leave(x, self.feed_forward(self.around_feed_forward.enter(x)))


class Encoder(nn.Module):
    """A stack of such layers: x [B, S, D] -> [B, S, D]."""

    def __init__(self, spec: StackSpec, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(spec) for _ in range(layers))
        self.norm = final_norm(spec)
        self.window, self.layer_dropout = spec.window, spec.layer_dropout

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        if self.window:
            mask = masks.combine(mask, masks.window(x.size(1), x.size(1), self.window, device=x.device))
        for layer in self.layers:
            if not skipped(self.layer_dropout, self.training):
                x = layer(x, mask)
        return self.norm(x)


class DecoderLayer(nn.Module):
    """Look back at what has been said, look at the source where there is one, then think."""

    def __init__(self, spec: StackSpec, cross: bool = True) -> None:
        super().__init__()
        self.own = self_attention(spec)
        self.cross = make_attention(spec) if cross else None
        self.feed_forward = FeedForward(spec)
        self.around_own, self.around_feed_forward = Residual(spec), Residual(spec)
        self.around_cross = Residual(spec) if cross else None

    def forward(
        self,
        x: Tensor,
        past: Keys | None,
        mask: Tensor | None,
        source: Keys | None,
        source_mask: Tensor | None,
        offset: int,
    ) -> tuple[Tensor, Keys]:
        """x [B, T, D] stands behind the `past` of `offset` tokens; returns with its own keys added to them."""
        y = self.around_own.enter(x)
        keys = self.own.project(y, offset)
        keys = keys if past is None else past.extend(keys)
        x = self.around_own.leave(x, self.own.look(y, keys, mask, offset))
        if self.cross is not None and self.around_cross is not None and source is not None:
            x = self.around_cross.leave(x, self.cross.look(self.around_cross.enter(x), source, source_mask))
        return self.around_feed_forward.leave(x, self.feed_forward(self.around_feed_forward.enter(x))), keys


class Source(NamedTuple):
    """What a decoder looks at."""

    keys: tuple[Keys, ...]  # of each layer, the source's keys for its cross-attention; none in a language model
    mask: Tensor | None


class DecoderState(NamedTuple):
    """What a decoder carries from step to step."""

    source: Shared  # a Source
    own: tuple[Keys, ...]  # of each layer, the keys of what has been said
    length: int  # how many tokens that is


class Decoder(nn.Module):
    """A stack of such layers; the same code runs a whole target at once and one token behind the others."""

    def __init__(self, spec: StackSpec, layers: int, cross: bool = True) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(spec, cross) for _ in range(layers))
        self.norm = final_norm(spec)
        self.window, self.layer_dropout = spec.window, spec.layer_dropout

    def read(self, memory: Tensor, mask: Tensor | None) -> DecoderState:
        """The state before the first token, with the source [B, S, D] projected for each layer's cross-attention."""
        crosses = [layer.cross for layer in self.layers if isinstance(layer, DecoderLayer)]
        source = tuple(cross.project(memory) for cross in crosses if cross is not None)
        return DecoderState(Shared(Source(source, mask)), (), 0)

    def forward(self, x: Tensor, state: DecoderState) -> tuple[Tensor, DecoderState]:
        """x [B, T, D], behind what the state has seen: [B, T, D]."""
        offset, count = state.length, x.size(1)
        mask = masks.causal(count, offset, x.device)
        if self.window:
            mask = masks.combine(mask, masks.window(count, offset + count, self.window, offset, x.device))
        keys, source_mask = state.source.tree
        own = []
        for i, layer in enumerate(self.layers):
            if skipped(self.layer_dropout, self.training):
                continue
            past = state.own[i] if state.own else None
            x, newer = layer(x, past, mask, keys[i] if keys else None, source_mask, offset)
            own.append(newer)
        return self.norm(x), state._replace(own=tuple(own), length=offset + count)


class Entrance(nn.Module):
    """Embeddings, scaled, with positions and dropout: ids [B, T] -> [B, T, D]."""

    def __init__(self, spec: StackSpec, embedding: nn.Module) -> None:
        super().__init__()
        self.embedding = embedding
        self.scale = math.sqrt(spec.width) if spec.scale_embeddings else 1.0
        self.positions = make_positions(spec.positions, spec.width, spec.longest)
        self.words, self.dropout = WordDropout(spec.word_dropout), Dropout(spec.dropout)

    def forward(self, ids: Tensor, offset: int = 0) -> Tensor:
        out: Tensor = self.dropout(self.positions(self.words(self.embedding(ids)) * self.scale, offset))
        return out


class Memory(NamedTuple):
    """The encoder's last layer [B, S, D], and which of it counts [B, 1, 1, S]."""

    features: Tensor
    mask: Tensor | None


class Transformer(Seq2Seq):
    """The encoder-decoder of "Attention Is All You Need", with what has been learnt about it since as options."""

    def __init__(self, spec: TransformerSpec, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__()
        self.source = Entrance(spec, source_front(spec.source_vectors, source_vocabulary, spec.width))
        target = Embedding(target_vocabulary, spec.width)
        self.target = Entrance(spec, target)
        self.encoder = Encoder(spec, spec.encoder_layers)
        self.decoder = Decoder(spec, spec.decoder_layers)
        self.logits = Logits(target_vocabulary, spec.width, spec.output_bias)
        initialise(self.encoder, self.decoder)
        tie(spec.tied, self.source.embedding, target, self.logits)

    def encode(self, source: Tensor, lengths: Tensor) -> Memory:
        check_source(source, lengths, self.source.embedding)
        mask = masks.padding(lengths, source.size(1))
        return Memory(self.encoder(self.source(source), mask), mask)

    def start(self, memory: Memory) -> DecoderState:
        return self.decoder.read(*memory)

    def step(self, state: DecoderState, ids: Tensor) -> tuple[Tensor, DecoderState]:
        x, state = self.decoder(self.target(ids[:, None], state.length), state)
        return self.logits(x[:, -1]), state

    def features(self, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        x, _ = self.decoder(self.target(target), self.start(self.encode(source, lengths)))
        return x


def initialise(*parts: nn.Module) -> None:
    """Xavier's uniform weights and zero biases for every linear map (Glorot and Bengio 2010).

    The last map of each of a stack's N sublayers is sqrt(N) times smaller (Radford et al. 2019, section 2.3): together
    they then weigh as much as the embeddings, and a post-norm stack's first layers learn from the first step on.
    """
    for part in parts:
        for module in part.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        last = [last_map(module) for module in part.modules() if isinstance(module, MultiHead | FeedForward)]
        for linear in last:
            nn.init.xavier_uniform_(linear.weight, gain=len(last) ** -0.5)


def last_map(sublayer: MultiHead | FeedForward) -> nn.Linear:
    """The map that makes a sublayer's answer."""
    return sublayer.output if isinstance(sublayer, MultiHead) else sublayer.outer
