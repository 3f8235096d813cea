"""B=3, T=11, I=5, D=7: primes, so that swapped axes fail."""

import math

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from regard.attention.attend import unseen
from regard.models.cells import BothWays, CellState, Recurrence, gru, lstm, rnn, turn

B, T, I, D = 3, 11, 5, 7  # noqa: E741  # the letters of the shapes
CELLS = ["rnn", "gru", "lstm"]
NAMES = {
    "rnn": {"hidden"},
    "gru": {"reset_gate", "update_gate", "candidate", "hidden"},
    "lstm": {"input_gate", "forget_gate", "candidate", "output_gate", "cell", "hidden"},
}
RAGGED = torch.tensor([11, 3, 5])


def recurrence(cell, size=D):
    torch.manual_seed(1)
    made = Recurrence(cell, I, size)
    for weight in made.parameters():  # fresh biases are zeros, which would hide one that is forgotten
        weight.data += 0.3 * torch.randn(weight.shape)
    return made


def sentences():
    return torch.randn(B, T, I, generator=torch.Generator().manual_seed(2))


def states(cell, size=D):
    first, second = torch.randn(2, B, size, generator=torch.Generator().manual_seed(3))
    return CellState(first, second if cell == "lstm" else None)


def close(one, other):
    torch.testing.assert_close(one, other, atol=1e-5, rtol=0)


def watched(made, *given):
    """What the plain way says, and what was seen on it."""
    seen = {}
    with made.probe.register_forward_hook(lambda _, passed, value: seen.setdefault(passed[0], []).append(value)):
        return made(*given), seen


def test_an_lstm_step_by_hand():
    # D = 1. W x = (0, ln 3, artanh 0.8, 0) for i, f, g, o and U h = 0; c = 2:
    # i = sigmoid(0) = 1/2, f = sigmoid(ln 3) = 3/4, g = 4/5, o = 1/2;
    # c' = f c + i g = 3/4 * 2 + 1/2 * 4/5 = 1.9;  h' = o tanh(c') = tanh(1.9) / 2.
    own = torch.tensor([[0.0, math.log(3), math.atanh(0.8), 0.0]])
    after = lstm(own, torch.zeros(1, 4), CellState(torch.tensor([[9.0]]), torch.tensor([[2.0]])), unseen)
    close(after.cell, torch.tensor([[1.9]]))
    close(after.hidden, torch.tensor([[math.tanh(1.9) / 2]]))


def test_a_gru_step_by_hand():
    # D = 1. W x = (ln 3, -ln 3, 0) and U h = (0, 0, 4/3 artanh 0.8) for r, z, n; h = 2:
    # r = 3/4, z = 1/4, n = tanh(0 + 3/4 * 4/3 artanh 0.8) = 4/5;  h' = (1 - z) n + z h = 3/4 * 4/5 + 1/4 * 2 = 1.1.
    own = torch.tensor([[math.log(3), -math.log(3), 0.0]])
    past = torch.tensor([[0.0, 0.0, 4 / 3 * math.atanh(0.8)]])
    close(gru(own, past, CellState(torch.tensor([[2.0]])), unseen).hidden, torch.tensor([[1.1]]))


def test_an_rnn_step_by_hand():
    # h' = tanh(W x + U h) = tanh(artanh 0.8 - 0.2 + 0.2) = 0.8
    own, past = torch.tensor([[math.atanh(0.8) - 0.2]]), torch.tensor([[0.2]])
    close(rnn(own, past, CellState(torch.tensor([[2.0]])), unseen).hidden, torch.tensor([[0.8]]))


@pytest.mark.parametrize("lengths", [None, torch.full((B,), T), RAGGED])
@pytest.mark.parametrize("cell", CELLS)
def test_our_cell_equals_torchs_loop(cell, lengths):
    made, x, first = recurrence(cell), sentences().requires_grad_(), states(cell)
    given = (first.hidden[None], first.cell[None]) if cell == "lstm" else first.hidden[None]
    (ours, last), _ = watched(made, x, lengths, first)
    if lengths is None:
        theirs, end = made.loop(x, given)
    else:
        packed, end = made.loop(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False), given)
        theirs, _ = pad_packed_sequence(packed, batch_first=True)
    for i, length in enumerate([T] * B if lengths is None else lengths):
        close(ours[i, :length], theirs[i, :length])
    end = end if cell == "lstm" else (end,)
    for mine, other in zip(last, end, strict=False):
        close(mine, other[0])
    assert (last.cell is None) == (cell != "lstm")
    # and so do the gradients
    ours_back = torch.autograd.grad(sum(part.square().sum() for part in last if part is not None), x)
    close(ours_back, torch.autograd.grad(sum(part.square().sum() for part in end), x))


@pytest.mark.parametrize("lengths", [None, torch.full((B,), T), RAGGED])
@pytest.mark.parametrize("cell", CELLS)
def test_watched_or_not_it_is_the_same(cell, lengths):
    made, x, first = recurrence(cell), sentences().requires_grad_(), states(cell)
    inside = slice(None) if lengths is None else torch.arange(T) < lengths[:, None]
    (plain, plain_last), _ = watched(made, x, lengths, first)
    fast, fast_last = made(x, lengths, first)
    close(fast[inside], plain[inside])
    close(tuple(fast_last), tuple(plain_last))
    both = [
        torch.autograd.grad(out[inside].square().sum() + last.hidden.sum(), [x, *made.parameters()])
        for out, last in ((plain, plain_last), (fast, fast_last))
    ]
    for one, other in zip(*both, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("cell", CELLS)
def test_nobody_watching_takes_torchs_loop(cell, monkeypatch):
    made = recurrence(cell)
    monkeypatch.setattr(made, "cell", None)  # the plain way would fail
    made(sentences(), torch.full((B,), T))


@pytest.mark.parametrize("cell", CELLS)
def test_both_ways_equals_torchs_bidirectional_loop(cell):
    made, x = BothWays(cell, I, 2 * D), sentences()
    theirs = type(made.onward.loop)(I, D, batch_first=True, bidirectional=True)
    there = made.onward.loop.state_dict()
    back = {name + "_reverse": weight for name, weight in made.back.loop.state_dict().items()}
    theirs.load_state_dict({**there, **back})
    packed, end = theirs(pack_padded_sequence(x, RAGGED, batch_first=True, enforce_sorted=False))
    expected, _ = pad_packed_sequence(packed, batch_first=True)
    features, last = made(x, RAGGED)
    for i, length in enumerate(RAGGED):
        close(features[i, :length], expected[i, :length])
    for mine, other in zip(last, end if cell == "lstm" else (end,), strict=False):
        close(mine, torch.cat((other[0], other[1]), -1))


@pytest.mark.parametrize("cell", CELLS)
def test_all_that_happens_inside_can_be_seen(cell):
    made = recurrence(cell)
    (hidden, last), seen = watched(made, sentences())
    assert set(seen) == NAMES[cell]
    for name, steps in seen.items():
        assert [step.shape for step in steps] == [(B, D)] * T
        if name.endswith("gate"):
            assert all(step.min() > 0 and step.max() < 1 for step in steps)
    close(torch.stack(seen["hidden"], 1), hidden)
    if cell == "lstm":
        close(seen["cell"][-1], last.cell)
        close(seen["hidden"][-1], seen["output_gate"][-1] * seen["cell"][-1].tanh())


def test_what_a_hook_returns_takes_the_place_of_what_passed():
    made = recurrence("lstm")
    with made.probe.register_forward_hook(lambda _, passed, value: 0 * value if passed[0] == "input_gate" else None):
        _, last = made(sentences())
    close(last.cell, torch.zeros(B, D))  # nothing entered


def test_a_sentence_back_to_front():
    x = torch.arange(10).view(2, 5, 1)
    assert turn(x, torch.tensor([5, 3]))[..., 0].tolist() == [[4, 3, 2, 1, 0], [7, 6, 5, 8, 9]]


def test_how_it_begins():
    made = Recurrence("lstm", I, D)
    [[own, past, bias, other]] = made.loop.all_weights
    for gate in past.split(D):
        close(gate @ gate.T, torch.eye(D))
    bound = math.sqrt(6 / (I + D))  # Xavier's, of each gate alone
    assert own.abs().max() <= bound
    assert own.abs().max() > 0.8 * bound
    assert bias.view(4, D).tolist() == [[0] * D, [1] * D, [0] * D, [0] * D]  # i, f, g, o
    assert not other.any()


@pytest.mark.parametrize("between", range(1, T - 1))
def test_between_two_positions_lie_as_many_steps_as_their_distance(between):
    # Whatever the last state knows of the first token has passed through every state between: cut one, and it is gone.
    made, x = recurrence("rnn"), sentences().requires_grad_()
    (_, last), _ = watched(made, x)
    assert torch.autograd.grad(last.hidden.sum(), x)[0][:, 0].abs().min() > 0
    steps = iter(range(T))
    with made.probe.register_forward_hook(lambda _, __, value: 0 * value if next(steps) == between else None):
        _, last = made(x)
    (grad,) = torch.autograd.grad(last.hidden.sum(), x)
    assert not grad[:, : between + 1].any()
    assert grad[:, between + 1 :].abs().min() > 0
