"""B=3, S=7, T=11, width 14, C=5, 13 and 17 pieces: no two alike, so that swapped axes fail."""

import math

import pytest
import torch

from regard.models.convolutional import ByteNet, Convolution, WaveNet
from regard.models.interface import no_source, reorder
from regard.recipe import ByteNetSpec, WaveNetSpec

B, S, T, WIDTH, C, SOURCE, TARGET = 3, 7, 11, 14, 5, 13, 17
LENGTHS = torch.tensor([7, 2, 5])
DOUBLING = [(1, 2, 4, 8, 16)[:depth] for depth in range(1, 6)]


def close(one, other):
    torch.testing.assert_close(one, other, atol=1e-5, rtol=0)


def bytenet(**options):
    torch.manual_seed(1)
    spec = ByteNetSpec(**{"width": WIDTH, "dilations": (1, 2), "encoder_sets": 1, "decoder_sets": 2, **options})
    return ByteNet(spec, SOURCE, TARGET).eval()


def wavenet(**options):
    torch.manual_seed(1)
    return WaveNet(WaveNetSpec(**{"width": WIDTH, "dilations": (1, 2), "sets": 2, **options}), TARGET).eval()


def inputs(length=T):
    generator = torch.Generator().manual_seed(2)
    source = torch.randint(0, SOURCE, (B, S), generator=generator)
    return source, LENGTHS, torch.randint(0, TARGET, (B, length), generator=generator)


def stepped(model, state, target):
    out = []
    for ids in target.unbind(1):
        logits, state = model.step(state, ids)
        out.append(logits)
    return torch.stack(out, 1), state


def test_a_convolution_by_hand():
    # One channel, three taps of weights 1, 10, 100, dilation 2, bias 0.5; x = 1, 2, 3, 4.
    # Causal, y_t = x_(t-4) + 10 x_(t-2) + 100 x_t:       100, 200, 10 + 300, 20 + 400.
    # Both ways, y_t = x_(t-2) + 10 x_t + 100 x_(t+2):    10 + 300, 20 + 400, 1 + 30, 2 + 40.
    x = torch.tensor([[[1.0], [2.0], [3.0], [4.0]]])
    for causal, expected in ((True, [100.5, 200.5, 310.5, 420.5]), (False, [310.5, 420.5, 31.5, 42.5])):
        made = Convolution(1, 1, 3, 2, causal)
        made.weight.data = torch.tensor([[[1.0]], [[10.0]], [[100.0]]])
        made.bias.data.fill_(0.5)
        assert made(x).flatten().tolist() == expected


@pytest.mark.parametrize("length", [1, 3, T])
@pytest.mark.parametrize("dilation", [1, 2, 5])
@pytest.mark.parametrize(("kernel", "causal"), [(1, True), (2, True), (3, True), (3, False), (5, False)])
def test_a_convolution_equals_torchs(kernel, causal, dilation, length):
    ours, reach = Convolution(C, 3, kernel, dilation, causal), (kernel - 1) * dilation
    theirs = torch.nn.Conv1d(C, 3, kernel, dilation=dilation)
    theirs.weight.data, theirs.bias.data = ours.weight.data.permute(2, 1, 0), ours.bias.data.normal_()
    x = torch.randn(B, length, C)
    around = (reach, 0) if causal else (reach // 2, reach // 2)
    close(ours(x), theirs(torch.nn.functional.pad(x.transpose(1, 2), around)).transpose(1, 2))


@pytest.mark.parametrize(("kernel", "dilation"), [(1, 1), (2, 1), (3, 2), (2, 5)])
def test_a_convolution_steps_with_its_last_inputs_alone(kernel, dilation):
    made, x = Convolution(C, 3, kernel, dilation, causal=True), torch.randn(B, T, C)
    past, whole = made.nothing(B), made(x)
    for t in range(T):
        y, past = made.step(x[:, t], past)
        close(y, whole[:, t])
        assert past.shape == (B, (kernel - 1) * dilation, C)


def test_bytenet_keeps_the_contract():
    # The target is longer than any source, stretched or not: behind its end the decoder stands on zeros.
    model, (source, lengths, target) = bytenet(stretch=1.0, extra=1), inputs()
    whole, rows = model(source, lengths, target), torch.tensor([2, 0, 0, 1])
    state = reorder(model.start(model.encode(source, lengths)), rows)
    out, state = stepped(model, state, target[rows])
    close(out, whole[rows])
    assert state.length == T
    close(model(source, lengths, target[:, :3]), whole[:, :3])
    for i, length in enumerate(lengths):
        close(model(source[i : i + 1, :length], lengths[i : i + 1], target[i : i + 1])[0], whole[i])
    close(model(torch.cat((source, source), 1), lengths, target), whole)  # padded farther than anybody needs


def test_wavenet_keeps_the_contract():
    model, (*_, target) = wavenet(), inputs()
    nothing, rows = no_source(B), torch.tensor([2, 0, 0, 1])
    whole = model(*nothing, target)
    out, state = stepped(model, reorder(model.start(model.encode(*nothing)), rows), target[rows])
    close(out, whole[rows])
    assert [past.shape for past in state.past] == [(4, d, WIDTH) for d in (1, 2, 1, 2)]  # however long the text
    close(model(*nothing, target[:, :3]), whole[:, :3])
    for i in range(B):
        close(model(*no_source(1), target[i : i + 1])[0], whole[i])


@pytest.mark.parametrize(
    ("stretch", "extra", "expected"),
    [
        (1.2, 4, [3 + 4, 6 + 4, 12 + 4]),  # 2.4, 6 and 12, rounded up
        (1.1, 0, [3, 6, 11]),  # 2.2, 5.5, and 11, which in floating point is a little more
        (0.5, 0, [2, 5, 10]),  # never fewer than the source has
    ],
)
def test_how_far_a_source_is_unfolded(stretch, extra, expected):
    assert bytenet(stretch=stretch, extra=extra).unfold(torch.tensor([2, 5, 10])).tolist() == expected


def test_behind_its_own_unfolded_end_each_sentence_is_zeros():
    model, (source, lengths, _) = bytenet(), inputs()
    features, ends = model.encode(source, lengths).features, model.unfold(lengths)
    assert ends.tolist() == [13, 7, 10]  # ceil(1.2 n) + 4
    assert features.shape == (B, 13, WIDTH)
    for i, (length, end) in enumerate(zip(lengths, ends, strict=True)):
        assert features[i, : length + 1].abs().amax(-1).min() > 0  # the first behind its end, too: it sees the source
        assert not features[i, end:].any()


def test_position_stands_on_position():
    # The logits at t know the encoder's output at t, and behind t nothing.
    model, (source, lengths, target) = bytenet(), inputs()
    memory = model.encode(source, lengths)
    features = memory.features.detach().requires_grad_()
    logits, _ = stepped(model, model.start(memory._replace(features=features)), target)
    for t in (0, 4, 9):
        (grad,) = torch.autograd.grad(logits[0, t].square().sum(), features, retain_graph=True)
        assert grad[0, t].any()
        assert not grad[0, t + 1 :].any()


def reach(run, length, at):
    """The positions of x [1, length, C] that reach the output at one position."""
    x = torch.randn(1, length, C, dtype=torch.float64, requires_grad=True)
    (grad,) = torch.autograd.grad(run(x)[0, at].sum(), x)
    return grad[0].abs().amax(-1).nonzero().flatten().tolist()


def reach_of(model, module, at, *given):
    """The same for a model: from which positions of what the module gives out."""
    kept = []
    with module.register_forward_hook(lambda _, __, out: kept.append(out)):
        logits = model(*given)
    (grad,) = torch.autograd.grad(logits[0, at].square().sum(), kept[0])
    return grad[0].abs().amax(-1).nonzero().flatten().tolist()


@pytest.mark.parametrize("kernel", [2, 3])
@pytest.mark.parametrize("dilations", DOUBLING)
def test_wavenets_receptive_field(dilations, kernel):
    # The farthest input that reaches an output: 1 + (K - 1) * sum of the dilations positions, and every one between.
    # kernel 2, dilations 1 | 1 2 | 1 2 4 | 1 2 4 8 | 1 2 4 8 16:  2, 4, 8, 16, 32; kernel 3:  3, 7, 15, 31, 63.
    field = 1 + (kernel - 1) * sum(dilations)
    assert field == {2: 2 ** len(dilations), 3: 2 ** (len(dilations) + 1) - 1}[kernel]
    model, last = wavenet(kernel=kernel, dilations=dilations, sets=1).double(), 70
    reached = reach_of(model, model.target, last, *no_source(1), torch.randint(0, TARGET, (1, last + 1)))
    assert reached == list(range(last - field + 1, last + 1))


@pytest.mark.parametrize("dilations", DOUBLING[:4])
def test_bytenets_receptive_fields(dilations):
    # The decoder sees 1 + (K - 1) * sum positions back, the encoder half as far, but both ways.
    model, total, last = bytenet(dilations=dilations, decoder_sets=1).double(), sum(dilations), 40
    given = torch.randint(0, SOURCE, (1, 41)), torch.tensor([41]), torch.randint(0, TARGET, (1, 41))
    assert reach_of(model, model.target, last, *given) == list(range(last - 2 * total, last + 1))

    def encoder(x):
        for block in model.encoder:
            x = block(x)
        return x

    x = torch.randn(1, 41, WIDTH, dtype=torch.float64, requires_grad=True)
    (grad,) = torch.autograd.grad(encoder(x)[0, 20].sum(), x)
    assert grad[0].abs().amax(-1).nonzero().flatten().tolist() == list(range(20 - total, 20 + total + 1))


@pytest.mark.parametrize("distance", [1, 2, 3, 7, 8, 15, 16, 31])
def test_the_path_between_two_positions_grows_with_the_logarithm_of_their_distance(distance):
    # With kernel 2 and dilations 1, 2, 4, ... it takes ceil(log2(N + 1)) layers to connect two positions N apart: a
    # layer fewer and nothing of the first is left. (A recurrence takes N steps: test_cells.py.)
    enough = math.ceil(math.log2(distance + 1))
    for depth in range(enough - 1, enough + 1):
        layers = [Convolution(C, C, 2, 2**i, causal=True).double() for i in range(depth)]
        reached = reach(torch.nn.Sequential(*layers), distance + 1, distance)
        assert (0 in reached) == (depth == enough)
        assert distance in reached


@pytest.mark.parametrize("make", [bytenet, wavenet])
def test_in_bfloat16_it_says_about_the_same(make):
    model, (source, lengths, target) = make(), inputs()
    given = (source, lengths) if make is bytenet else no_source(B)
    with torch.autocast("cpu", torch.bfloat16):
        half = model(*given, target)
    half.float().sum().backward()
    torch.testing.assert_close(half.float(), model(*given, target), atol=0.2, rtol=0)
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


@pytest.mark.parametrize("make", [bytenet, wavenet])
def test_dropout_falls_while_training_alone(make):
    model, (source, lengths, target) = make(dropout=0.5), inputs()
    given = (source, lengths, target) if make is bytenet else (*no_source(B), target)
    close(model(*given), model(*given))
    model.train()
    assert (model(*given) - model(*given)).abs().max() > 1e-3


def test_bytenets_output_can_be_tied():
    model = bytenet(tied=("target", "output"))
    assert model.logits.weight is model.target.weight
    model(*inputs()).sum().backward()
    assert model.target.weight.grad.any()
