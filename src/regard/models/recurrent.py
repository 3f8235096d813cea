"""Recurrent encoder-decoders: without attention, with additive attention, with multiplicative scores.

Without attention the last state of each encoder layer is all that passes (Sutskever et al. 2014). Additive attention
looks before each step and feeds the cell with what it saw (Bahdanau et al. 2015); dot and bilinear look after the cell
(Luong et al. 2015), so that in training the whole target runs through it at once.

B batch, S source length, T target length, D width of an embedding, N size of the state, V vocabulary.
"""

from collections.abc import Sequence
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from regard.attention import masks
from regard.attention.attend import attend
from regard.attention.heads import Keys
from regard.attention.probe import Probe
from regard.attention.scores import make_score
from regard.models.cells import GATES, BothWays, CellState, Recurrence
from regard.models.dropout import Dropout
from regard.models.embedding import Embedding, Logits, source_front, tie
from regard.models.interface import Seq2Seq, Shared, check_source
from regard.models.transformer import initialise
from regard.recipe import RecurrentSpec


class Memory(NamedTuple):
    """What the encoder passes on."""

    last: tuple[CellState, ...]  # of each layer, the state at the sentence's end
    features: Tensor | None  # a [B, S, N], one for each token; without attention nothing
    mask: Tensor | None  # which of them count [B, 1, 1, S]


class Source(NamedTuple):
    """What the decoder looks at."""

    keys: Keys | None  # the features as the attention wants them, made once: k and v [B, 1, S, N]
    mask: Tensor | None


class RecurrentState(NamedTuple):
    """What the decoder carries from step to step."""

    layers: tuple[CellState, ...]
    source: Shared  # a Source


class Encoder(nn.Module):
    """A stack of recurrences; where attention will look at its features, each layer reads both ways."""

    def __init__(self, spec: RecurrentSpec) -> None:
        super().__init__()
        kind = Recurrence if spec.attention == "none" else BothWays
        self.layers = nn.ModuleList(kind(spec.cell, inputs, spec.state) for inputs in widths(spec))
        self.dropout = Dropout(spec.dropout)

    def forward(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, tuple[CellState, ...]]:
        """x [B, S, D]: the top layer's features [B, S, N], and each layer's last state."""
        last = []
        for layer in self.layers:
            x, state = layer(self.dropout(x), lengths)
            last.append(state)
        return x, tuple(last)


class Attention(nn.Module):
    """alpha = softmax(e) over the source, context = sum of alpha a; one head, the values are the features themselves.

    additive:  e = w . tanh(W s + U a)  (Bahdanau et al. 2015, appendix A.1.2)
    dot:       e = s . a                (Luong et al. 2015, section 3.1)
    bilinear:  e = s W a                (the same, "general")
    """

    def __init__(self, kind: str, size: int) -> None:
        super().__init__()
        small_network = kind == "additive"
        self.query = nn.Linear(size, size, bias=False) if small_network else nn.Identity()
        self.key = nn.Linear(size, size) if small_network else nn.Identity()
        self.score = make_score(kind, 1, size)
        self.probe = Probe(heads=1)

    def project(self, features: Tensor) -> Keys:
        """a [B, S, N] -> k = U a and v = a, each [B, 1, S, N]"""
        return Keys(self.key(features)[:, None], features[:, None])

    def forward(self, states: Tensor, keys: Keys, mask: Tensor | None) -> Tensor:
        """s [B, T, N] looks at the source: contexts [B, T, N]."""
        q = self.query(states)[:, None]
        return attend(q, keys.k, keys.v, mask, score=self.score, probe=self.probe)[:, 0]


class Decoder(nn.Module):
    """A stack of recurrences over what has been said; then, with dot or bilinear, a look at the source; then a readout.

    The first state is the encoder's last, layer by layer; with attention, whose encoder reads both ways, what a learned
    map makes of its two ends side by side: tanh(W h), and tanh(V c) for an LSTM's cell (Bahdanau et al. 2015, A.2.2).
    """

    def __init__(self, spec: RecurrentSpec) -> None:
        super().__init__()
        looks = spec.attention != "none"
        layers = nn.ModuleList(Recurrence(spec.cell, inputs, spec.state) for inputs in widths(spec))
        self.layers = cast("Sequence[Recurrence]", layers)
        self.cross = Attention(spec.attention, spec.state) if looks else None
        self.bridges = nn.ModuleList(Bridge(spec) for _ in range(spec.layers if looks else 0))
        self.readout = nn.Linear(2 * spec.state if looks else spec.state, spec.width)
        self.dropout = Dropout(spec.dropout)

    def read(self, memory: Memory) -> RecurrentState:
        """The state before the first token."""
        if self.cross is None or memory.features is None:
            return RecurrentState(memory.last, Shared(Source(None, None)))
        first = tuple(bridge(state) for bridge, state in zip(self.bridges, memory.last, strict=True))
        return RecurrentState(first, Shared(Source(self.cross.project(memory.features), memory.mask)))

    def forward(self, x: Tensor, state: RecurrentState) -> tuple[Tensor, RecurrentState]:
        """x [B, T, D], behind what the state has seen: readouts [B, T, D]."""
        layers = []
        for layer, before in zip(self.layers, state.layers, strict=True):
            x, after = layer(self.dropout(x), state=before)
            layers.append(after)
        if self.cross is not None:
            x = torch.cat((self.cross(x, *state.source.tree), x), -1)
        return self.speak(x), state._replace(layers=tuple(layers))

    def speak(self, x: Tensor) -> Tensor:
        """tanh(W [context; h]) (Luong et al. 2015, equation 5), as wide as an embedding: the output can be tied."""
        return self.dropout(torch.tanh(self.readout(x)))


class AdditiveDecoder(Decoder):
    """Looks before each step: the top state s_(t-1) asks, and the context enters the first cell beside the last word.

    Each state needs the one before, so the loop stays; what does not is taken out of it: U a, and the words' part W y
    of the first cell's gates W y + C context + U s.
    """

    def __init__(self, spec: RecurrentSpec) -> None:
        super().__init__(spec)
        self.context = nn.Linear(spec.state, GATES[spec.cell] * spec.state, bias=False)

    def forward(self, x: Tensor, state: RecurrentState) -> tuple[Tensor, RecurrentState]:
        assert self.cross is not None
        layers, spoken = state.layers, []
        for word in self.layers[0].project(self.dropout(x)).unbind(1):
            context = self.cross(layers[-1].hidden[:, None], *state.source.tree)[:, 0]
            layers = self.advance(word + self.context(context), layers)
            spoken.append(torch.cat((context, layers[-1].hidden), -1))
        return self.speak(torch.stack(spoken, 1)), state._replace(layers=layers)

    def advance(self, own: Tensor, layers: tuple[CellState, ...]) -> tuple[CellState, ...]:
        """One step up through the layers; `own` is the inputs' part of the first one's gates."""
        after: list[CellState] = []
        for layer, before in zip(self.layers, layers, strict=True):
            after.append(layer.step(layer.project(self.dropout(after[-1].hidden)) if after else own, before))
        return tuple(after)


class Bridge(nn.Module):
    """From an encoder layer's last state to the decoder layer's first."""

    def __init__(self, spec: RecurrentSpec) -> None:
        super().__init__()
        self.hidden = nn.Linear(spec.state, spec.state)
        self.cell = nn.Linear(spec.state, spec.state) if spec.cell == "lstm" else None

    def forward(self, last: CellState) -> CellState:
        cell = None if self.cell is None or last.cell is None else torch.tanh(self.cell(last.cell))
        return CellState(torch.tanh(self.hidden(last.hidden)), cell)


class Recurrent(Seq2Seq):
    """The forebears of the Transformer: RNN, GRU or LSTM, with attention or without."""

    def __init__(self, spec: RecurrentSpec, source_vocabulary: int, target_vocabulary: int) -> None:
        super().__init__()
        self.looks = spec.attention != "none"
        self.source = source_front(spec.source_vectors, source_vocabulary, spec.width)
        self.target = Embedding(target_vocabulary, spec.width)
        self.encoder = Encoder(spec)
        self.decoder = (AdditiveDecoder if spec.attention == "additive" else Decoder)(spec)
        self.logits = Logits(target_vocabulary, spec.width)
        initialise(self.decoder)
        tie(spec.tied, self.source, self.target, self.logits)

    def encode(self, source: Tensor, lengths: Tensor) -> Memory:
        check_source(source, lengths, self.source)
        features, last = self.encoder(self.source(source), lengths)
        if not self.looks:
            return Memory(last, None, None)
        return Memory(last, features, masks.padding(lengths, source.size(1)))

    def start(self, memory: Memory) -> RecurrentState:
        return self.decoder.read(memory)

    def step(self, state: RecurrentState, ids: Tensor) -> tuple[Tensor, RecurrentState]:
        x, state = self.decoder(self.target(ids[:, None]), state)
        return self.logits(x[:, -1]), state

    def features(self, source: Tensor, lengths: Tensor, target: Tensor) -> Tensor:
        x, _ = self.decoder(self.target(target), self.start(self.encode(source, lengths)))
        return x


def widths(spec: RecurrentSpec) -> list[int]:
    """The width of each layer's input: the first reads embeddings, the others the states below."""
    return [spec.width, *[spec.state] * (spec.layers - 1)]
