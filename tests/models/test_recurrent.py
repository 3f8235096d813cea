"""B=3, S=7, T=5, width 11, state 14, 13 and 17 pieces: no two alike, so that swapped axes fail."""

import math

import pytest
import torch

from regard.errors import InputError
from regard.look.record import record
from regard.models.interface import reorder
from regard.models.recurrent import Attention, Recurrent
from regard.recipe import RecurrentSpec

B, S, T, WIDTH, STATE, SOURCE, TARGET = 3, 7, 5, 11, 14, 13, 17
LENGTHS = torch.tensor([7, 2, 5])
CELLS, ATTENTIONS = ["rnn", "gru", "lstm"], ["none", "additive", "dot", "bilinear"]


def make(cell="lstm", attention="additive", layers=2, **options):
    torch.manual_seed(1)
    spec = RecurrentSpec(cell=cell, attention=attention, layers=layers, width=WIDTH, state=STATE, **options)
    return Recurrent(spec, SOURCE, TARGET).eval()


def inputs():
    generator = torch.Generator().manual_seed(2)
    source = torch.randint(0, SOURCE, (B, S), generator=generator)
    return source, LENGTHS, torch.randint(0, TARGET, (B, T), generator=generator)


def close(one, other):
    torch.testing.assert_close(one, other, atol=1e-5, rtol=0)


def stepped(model, state, target):
    out = []
    for ids in target.unbind(1):
        logits, state = model.step(state, ids)
        out.append(logits)
    return torch.stack(out, 1)


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("cell", CELLS)
def test_the_contract_for_every_kind(cell, attention, layers):
    model, (source, lengths, target) = make(cell, attention, layers), inputs()
    whole = model(source, lengths, target)
    # stepping equals forward, and states can change places
    rows = torch.tensor([2, 0, 0, 1])
    state = reorder(model.start(model.encode(source, lengths)), rows)
    close(stepped(model, state, target[rows]), whole[rows])
    # a later target token changes no earlier output
    close(model(source, lengths, target[:, :3]), whole[:, :3])
    # padding and batching change nothing
    for i, length in enumerate(lengths):
        close(model(source[i : i + 1, :length], lengths[i : i + 1], target[i : i + 1])[0], whole[i])


@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("cell", CELLS)
def test_watched_or_not_the_logits_are_the_same(cell, attention):
    model, given = make(cell, attention), inputs()
    before = model(*given)
    with record(model) as seen:
        close(model(*given), before)
    looks = attention != "none"
    encoder = [f"encoder.layers.{i}{way}" for i in (0, 1) for way in ((".onward", ".back") if looks else ("",))]
    decoder = ["decoder.layers.0", "decoder.layers.1"]
    assert list(seen) == [*encoder, *decoder, *(["decoder.cross"] if looks else [])]
    assert {len(seen[path]["hidden"]) for path in encoder} == {S}
    assert {len(seen[path]["hidden"]) for path in decoder} == {T}


def test_without_attention_the_last_state_is_all_that_passes():
    # Two sources of different length: what the decoder gets has one size, and it is the state at each one's own end.
    model, (source, lengths, _) = make(attention="none"), inputs()
    memory = model.encode(source, lengths)
    assert memory.features is None
    assert memory.mask is None
    assert [part.shape for state in memory.last for part in state] == [(B, STATE)] * 4
    for i, length in enumerate(lengths):
        x = model.source(source[i : i + 1, :length])
        for layer, state in zip(model.encoder.layers, memory.last, strict=True):
            x, (h, c) = layer.loop(x)
            close(state.hidden[i], h[0, 0])
            close(state.cell[i], c[0, 0])
    first = model.start(memory)
    assert first.source.tree.keys is None
    assert first.layers == memory.last


def test_additive_attention_by_hand():
    # N = 1, W = U = 1, w = ln 3 / 0.8; s = 0 looks at a_1 = artanh 0.8 and a_2 = 0:
    # e = w tanh(s + a) = (ln 3, 0);  alpha = (3/4, 1/4);  context = 3/4 artanh 0.8.
    attention, a = Attention("additive", 1), torch.tensor([[[math.atanh(0.8)], [0.0]]])
    for part, value in ((attention.query, 1.0), (attention.key, 1.0), (attention.score, math.log(3) / 0.8)):
        part.weight.data.fill_(value)
    attention.key.bias.data.zero_()
    context = attention(torch.zeros(1, 1, 1), attention.project(a), None)
    close(context, torch.tensor([[[0.75 * math.atanh(0.8)]]]))


def test_additive_attention_looks_before_each_step():
    model, (source, lengths, target) = make(), inputs()
    features = model.encode(source, lengths).features
    first = model.start(model.encode(source, lengths)).layers[-1].hidden
    with record(model) as seen:
        model(source, lengths, target)
    look = {name: torch.cat(tensors, 2)[:, 0] for name, tensors in seen["decoder.cross"].items() if name not in "kv"}
    states = torch.stack([first, *seen["decoder.layers.1"]["hidden"]], 1)[:, :-1]  # s_(t-1) of the top layer
    # alpha sums to 1 over the source and is 0 on padding
    close(look["weights"].sum(-1), torch.ones(B, T))
    for i, length in enumerate(lengths):
        assert not look["weights"][i, :, length:].any()
        assert look["weights"][i, :, :length].min() > 0
    # e = w . tanh(W s + U a), pair by pair
    cross = model.decoder.cross
    for t in range(T):
        for s in range(S):
            meeting = torch.tanh(cross.query(states[:, t]) + cross.key(features[:, s]))
            close(look["scores"][:, t, s], meeting @ cross.score.weight[0])
    # the values are the features, unprojected, and the context their weighted sum
    close(seen["decoder.cross"]["v"][0][:, 0], features)
    close(look["mix"], look["weights"] @ features)


def test_the_context_enters_the_first_cell_beside_the_word():
    # One step written out: gates = W y + C context + U s + b, then the LSTM's equations.
    model, (source, lengths, target) = make(layers=1), inputs()
    decoder, state = model.decoder, model.start(model.encode(source, lengths))
    [[w, u, b, b_]], (h, c) = decoder.layers[0].loop.all_weights, state.layers[0]
    context = decoder.cross(h[:, None], *state.source.tree)[:, 0]
    gates = model.target(target[:, 0]) @ w.T + context @ decoder.context.weight.T + h @ u.T + b + b_
    i, f, g, o = gates.chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    logits, after = model.step(state, target[:, 0])
    close(tuple(after.layers[0]), (h, c))
    close(logits, torch.tanh(decoder.readout(torch.cat((context, h), -1))) @ model.logits.weight.T)


@pytest.mark.parametrize("attention", ["dot", "bilinear"])
def test_multiplicative_attention_looks_after_the_cell_at_all_steps_at_once(attention):
    model, (source, lengths, target) = make("gru", attention), inputs()
    features = model.encode(source, lengths).features
    with record(model) as seen:
        logits = model(source, lengths, target)
    assert all(len(tensors) == 1 for tensors in seen["decoder.cross"].values())
    weights, h = seen["decoder.cross"]["weights"][0], torch.stack(seen["decoder.layers.1"]["hidden"], 1)
    close(weights.sum(-1), torch.ones(B, 1, T))
    assert all(not weights[i, ..., length:].any() for i, length in enumerate(lengths))
    middle = model.decoder.cross.score.weight[0] if attention == "bilinear" else torch.eye(STATE)
    close(seen["decoder.cross"]["scores"][0][:, 0], h @ middle @ features.transpose(1, 2))
    both = torch.cat((weights[:, 0] @ features, h), -1)
    close(logits, torch.tanh(model.decoder.readout(both)) @ model.logits.weight.T)


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_readout_as_wide_as_an_embedding_lets_the_output_be_tied(attention):
    model = make(attention=attention, tied=("target", "output"))
    assert model.logits.weight is model.target.weight
    model(*inputs()).sum().backward()
    assert model.target.weight.grad.any()
    with pytest.raises(InputError, match="tied source, output: matrices of"):
        make(attention=attention, tied=("source", "output"))


@pytest.mark.parametrize("cell", CELLS)
def test_in_bfloat16_it_says_about_the_same(cell):
    model, given = make(cell), inputs()
    with torch.autocast("cpu", torch.bfloat16):
        half = model(*given)
    half.float().sum().backward()
    torch.testing.assert_close(half.float(), model(*given), atol=0.05, rtol=0)
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


def test_dropout_falls_while_training_alone():
    model, given = make(dropout=0.5), inputs()
    close(model(*given), model(*given))
    model.train()
    assert (model(*given) - model(*given)).abs().max() > 1e-3


# Learning: strings of an alphabet of 11 letters, written backwards.
LETTERS, BOS, EOS, PAD, PIECES = 11, 11, 12, 13, 14
