"""The recurrence: one token after the other, a state carried along. RNN, GRU and LSTM.

Two ways, the same numbers: torch's own loop over a whole sequence, and the cell written out here, for single steps and
for whoever watches through the probe.

B batch, T length, I width of an input, D size of the state.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention.attend import unseen
from regard.attention.probe import Probe


class CellState(NamedTuple):
    """What is carried from token to token."""

    hidden: Tensor  # h [B, D], which the outside sees
    cell: Tensor | None = None  # c [B, D], the LSTM's long memory; the others have none


See = Callable[[str, Tensor], Tensor]
Cell = Callable[[Tensor, Tensor, CellState, See], CellState]  # (W x + b, U h + b', state, see) -> the next state


def rnn(own: Tensor, past: Tensor, state: CellState, see: See) -> CellState:
    """h' = tanh(W x + U h) (Elman 1990)"""
    return CellState(see("hidden", torch.tanh(own + past)))


def gru(own: Tensor, past: Tensor, state: CellState, see: See) -> CellState:
    """A state that is updated in part (Cho et al. 2014, section 2.3; with r behind U, as torch and cuDNN have it).

    r = sigmoid(W_r x + U_r h)      how much of the past the candidate hears
    z = sigmoid(W_z x + U_z h)      how much of the past stays
    n = tanh(W_n x + r * U_n h)     the candidate
    h' = (1 - z) * n + z * h
    """
    (own_r, own_z, own_n), (past_r, past_z, past_n) = own.chunk(3, -1), past.chunk(3, -1)
    r = see("reset_gate", torch.sigmoid(own_r + past_r))
    z = see("update_gate", torch.sigmoid(own_z + past_z))
    n = see("candidate", torch.tanh(own_n + r * past_n))
    return CellState(see("hidden", n + z * (state.hidden - n)))


def lstm(own: Tensor, past: Tensor, state: CellState, see: See) -> CellState:
    """A long memory c that changes by small additions (Hochreiter and Schmidhuber 1997; f by Gers et al. 2000).

    i, f, o = sigmoid(W x + U h)    what enters, what is kept, what is shown
    g = tanh(W_g x + U_g h)         the candidate
    c' = f * c + i * g
    h' = o * tanh(c')
    """
    enter, keep, new, show = (own + past).chunk(4, -1)
    i = see("input_gate", torch.sigmoid(enter))
    f = see("forget_gate", torch.sigmoid(keep))
    g = see("candidate", torch.tanh(new))
    o = see("output_gate", torch.sigmoid(show))
    c = see("cell", i * g if state.cell is None else f * state.cell + i * g)
    return CellState(see("hidden", o * torch.tanh(c)), c)


CELLS: dict[str, Cell] = {"rnn": rnn, "gru": gru, "lstm": lstm}
LOOPS: dict[str, Callable[..., nn.RNNBase]] = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}
GATES = {"rnn": 1, "gru": 3, "lstm": 4}  # how many rows of D the weights have


class Recurrence(nn.Module):
    """One layer, one direction. The weights live in torch's module, which is also the fast way through a sequence."""

    def __init__(self, cell: str, inputs: int, size: int) -> None:
        super().__init__()
        self.cell, self.size, self.long = CELLS[cell], size, cell == "lstm"
        self.loop = LOOPS[cell](inputs, size, batch_first=True)
        self.probe = Probe()
        initialise(self.loop, size)

    def forward(
        self, x: Tensor, lengths: Tensor | None = None, state: CellState | None = None
    ) -> tuple[Tensor, CellState]:
        """x [B, T, I], read behind `state`: all hidden states [B, T, D], and each sentence's state at its own end.

        Of a padded batch, torch's loop reads what all sentences have and the written-out cell the ragged rest. An LSTM,
        forward and backward at B = 64, T = 32, D = 256: 41 ms for lengths of 30 to 32 (bucketed), 57 ms for 20 to 32;
        packed (pack_padded_sequence) 106 and 93 ms; not padded at all 36 ms.
        """
        state = self.nothing(x) if state is None else state
        shared = self.shared(x.size(1), lengths)
        read: list[Tensor] = []
        if shared:
            hidden, state = self.run(x[:, :shared], state)
            read.append(hidden)
        if shared < x.size(1):
            hidden, state = self.walk(x[:, shared:], None if lengths is None else lengths - shared, state)
            read.append(hidden)
        return read[0] if len(read) == 1 else torch.cat(read, 1), state

    def shared(self, count: int, lengths: Tensor | None) -> int:
        """How many tokens torch's loop may read: those of all sentences; none under a probe, or for a single step."""
        if self.probe.watched or count == 1:
            return 0
        return count if lengths is None else int(lengths.min())

    def run(self, x: Tensor, state: CellState) -> tuple[Tensor, CellState]:
        """The fast way: torch's loop, every sentence to the end."""
        h = state.hidden[None]
        if state.cell is None:
            hidden, h = self.loop(x, h)
            return hidden, CellState(h[0])
        hidden, (h, c) = self.loop(x, (h, state.cell[None]))
        return hidden, CellState(h[0], c[0])

    def walk(self, x: Tensor, lengths: Tensor | None, state: CellState) -> tuple[Tensor, CellState]:
        """The plain way: step by step; a sentence that has ended keeps its state."""
        read = []
        for t, own in enumerate(self.project(x).unbind(1)):
            new = self.step(own, state)
            state = new if lengths is None else choose(lengths > t, new, state)
            read.append(new.hidden)
        return torch.stack(read, 1), state

    def project(self, x: Tensor) -> Tensor:
        """The inputs' part of the gates, W x + b: of a whole sequence in one product."""
        [[weight, _, bias, _]] = self.loop.all_weights
        return F.linear(x, weight, bias)

    def step(self, own: Tensor, state: CellState) -> CellState:
        """One token: own = W x + b [B, gates * D] meets the state."""
        [[_, weight, _, bias]] = self.loop.all_weights
        return self.cell(own, F.linear(state.hidden, weight, bias), state, self.probe if self.probe.watched else unseen)

    def nothing(self, x: Tensor) -> CellState:
        """The state before the first token: zeros."""
        zeros = x.new_zeros(x.size(0), self.size)
        return CellState(zeros, zeros if self.long else None)


class BothWays(nn.Module):
    """One layer in both directions, half the state each: a feature knows what stands before it and behind it."""

    def __init__(self, cell: str, inputs: int, size: int) -> None:
        super().__init__()
        self.onward, self.back = Recurrence(cell, inputs, size // 2), Recurrence(cell, inputs, size // 2)

    def forward(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, CellState]:
        """x [B, T, I]: features [B, T, D], and the states of both directions after their last token, side by side."""
        hidden, end = self.onward(x, lengths)
        turned, first = self.back(turn(x, lengths), lengths)
        return torch.cat((hidden, turn(turned, lengths)), -1), beside(end, first)


def choose(condition: Tensor, new: CellState, old: CellState) -> CellState:
    """Row by row the new state where the condition [B] holds, else the old."""
    row = condition[:, None]
    cell = None if new.cell is None or old.cell is None else torch.where(row, new.cell, old.cell)
    return CellState(torch.where(row, new.hidden, old.hidden), cell)


def beside(a: CellState, b: CellState) -> CellState:
    """Two states side by side."""
    cell = None if a.cell is None or b.cell is None else torch.cat((a.cell, b.cell), -1)
    return CellState(torch.cat((a.hidden, b.hidden), -1), cell)


def turn(x: Tensor, lengths: Tensor) -> Tensor:
    """Each sentence back to front, its padding left in place: x [B, T, D]."""
    position = torch.arange(x.size(1), device=x.device)
    mirrored = lengths[:, None] - 1 - position
    index = torch.where(mirrored >= 0, mirrored, position)
    return x.gather(1, index[..., None].expand_as(x))


def initialise(loop: nn.RNNBase, size: int) -> None:
    """Orthogonal recurrent matrices, Xavier's input matrices, gate by gate; an LSTM starts with forget bias 1."""
    [[inputs, recurrent, *biases]] = loop.all_weights
    for own, past in zip(inputs.data.split(size), recurrent.data.split(size), strict=True):
        nn.init.xavier_uniform_(own)
        nn.init.orthogonal_(past)
    for bias in biases:
        nn.init.zeros_(bias)
    if isinstance(loop, nn.LSTM):
        nn.init.ones_(biases[0].data[size : 2 * size])
