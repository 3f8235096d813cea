"""What is always true, for every model (DESIGN: the contracts)."""

from contextlib import nullcontext

import pytest
import torch

import zoo
from regard.errors import InputError
from regard.look.record import record
from regard.models.interface import reorder

LENGTHS = [7, 3, 5]


def steps(model, state, target):
    out = []
    for t in range(target.size(1)):
        logits, state = model.step(state, target[:, t])
        out.append(logits)
    return torch.stack(out, 1), state


@pytest.mark.parametrize("name", zoo.SEQ2SEQ)
def test_stepping_equals_forward(name):
    model, target = zoo.make(name), zoo.target_of(3, 11)
    source = zoo.source_of(name, LENGTHS)
    stepped, _ = steps(model, model.start(model.encode(*source)), target)
    torch.testing.assert_close(stepped, model(*source, target), atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", zoo.SEQ2SEQ)
def test_a_later_target_token_changes_no_earlier_output(name):
    model, target = zoo.make(name), zoo.target_of(3, 11)
    source = zoo.source_of(name, LENGTHS)
    before = model(*source, target)
    for t in (1, 5, 10):
        changed = target.clone()
        changed[:, t:] = (changed[:, t:] + 1) % zoo.TARGET
        after = model(*source, changed)
        torch.testing.assert_close(after[:, :t], before[:, :t], atol=1e-5, rtol=0)
        assert (after[:, t] - before[:, t]).abs().max() > 1e-4


@pytest.mark.parametrize("name", zoo.SEQ2SEQ)
def test_padding_and_batching_change_nothing(name):
    model, target = zoo.make(name), zoo.target_of(3, 5)
    source, lengths = zoo.source_of(name, LENGTHS)
    together = model(source, lengths, target)
    for i, length in enumerate(LENGTHS):
        alone = model(source[i : i + 1, :length], lengths[i : i + 1], target[i : i + 1])
        torch.testing.assert_close(together[i : i + 1], alone, atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", zoo.LABELLERS)
def test_padding_and_batching_change_no_label(name):
    model = zoo.make(name)
    source, lengths = zoo.source_of(name, LENGTHS)
    together = model(source, lengths)
    for i, length in enumerate(LENGTHS):
        alone = model(source[i : i + 1, :length], lengths[i : i + 1])
        if name == "fill":
            torch.testing.assert_close(together[i : i + 1, :length], alone, atol=1e-5, rtol=0)
        else:
            torch.testing.assert_close(together[i : i + 1], alone, atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", [name for name in zoo.SEQ2SEQ if name not in ("language", "wavenet")])
def test_the_source_matters(name):
    model, target = zoo.make(name), zoo.target_of(3, 5)
    one, other = zoo.source_of(name, LENGTHS), zoo.source_of(name, LENGTHS, seed=5)
    assert (model(*one, target) - model(*other, target)).abs().amax((1, 2)).min() > 1e-5


@pytest.mark.parametrize("name", zoo.EVERY)
def test_gradients_reach_every_parameter(name):
    model = zoo.make(name).train()
    out = zoo.outputs(name, model)
    (out * torch.randn(out.shape, generator=torch.Generator().manual_seed(4))).sum().backward()
    without = [path for path, weight in model.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert without == []


@pytest.mark.parametrize("name", zoo.EVERY)
def test_saved_and_loaded_it_says_the_same(name, tmp_path):
    from safetensors.torch import load_model, save_model

    model = zoo.make(name)
    save_model(model, str(tmp_path / "weights.safetensors"))
    fresh = zoo.make(name, seed=99)
    assert not torch.equal(zoo.outputs(name, fresh), zoo.outputs(name, model))
    load_model(fresh, str(tmp_path / "weights.safetensors"))
    assert torch.equal(zoo.outputs(name, fresh), zoo.outputs(name, model))


@pytest.mark.parametrize("name", zoo.SEQ2SEQ)
def test_a_state_can_be_reordered_along_the_batch(name):
    model, target = zoo.make(name), zoo.target_of(3, 5)
    source = zoo.source_of(name, LENGTHS)
    _, state = steps(model, model.start(model.encode(*source)), target[:, :3])
    rows = torch.tensor([2, 0, 0, 1])
    expected = model(*source, target)[rows][:, 3:]
    got, _ = steps(model, reorder(state, rows), target[rows][:, 3:])
    torch.testing.assert_close(got, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("name", zoo.SEQ2SEQ)
def test_the_beams_of_a_sentence_may_share_what_is_the_same_for_all(name, watched):
    model, target = zoo.make(name), zoo.target_of(6, 5)
    source = zoo.source_of(name, LENGTHS)
    sentences = torch.arange(3)
    each = sentences.repeat_interleave(2)
    start = model.start(model.encode(*source))
    expected, _ = steps(model, reorder(start, each), target)
    with record(model) if watched else nullcontext():
        got, state = steps(model, reorder(start, each, sentences), target[:, :2])
        torch.testing.assert_close(got, expected[:, :2], atol=1e-5, rtol=0)
        # the second sentence ends, and so does one beam of each other
        kept, beams = torch.tensor([0, 2]), torch.tensor([1, 1, 5, 4])
        rest = torch.cat((target[beams, :2], target[:4, 2:]), 1)
        got, _ = steps(model, reorder(state, beams, kept), rest[:, 2:])
    expected, _ = steps(model, reorder(start, each[beams]), rest)
    torch.testing.assert_close(got, expected[:, 2:], atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", zoo.SEQ2SEQ)
def test_a_memory_can_be_reordered_along_the_batch(name):
    model, target = zoo.make(name), zoo.target_of(3, 5)
    source = zoo.source_of(name, LENGTHS)
    rows = torch.tensor([1, 1, 2])
    got, _ = steps(model, model.start(reorder(model.encode(*source), rows)), target[rows])
    torch.testing.assert_close(got, model(*source, target)[rows], atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", [name for name in zoo.SEQ2SEQ if name not in ("language", "wavenet")])
def test_what_no_model_can_read_is_refused(name):
    model = zoo.make(name)
    source, lengths = zoo.source_of(name, LENGTHS)
    with pytest.raises(InputError, match="an empty batch; give at least one sentence"):
        model.encode(source[:0], lengths[:0])
    with pytest.raises(InputError, match=r"lengths from 0 to 7; a sentence here has 1 to 7 tokens"):
        model.encode(source, torch.tensor([7, 0, 5]))
    with pytest.raises(InputError, match=r"lengths from 3 to 8; a sentence here has 1 to 7 tokens"):
        model.encode(source, torch.tensor([7, 3, 8]))
    with pytest.raises(InputError, match=r"lengths of shape \[2\]; one number a sentence: \[3\]"):
        model.encode(source, lengths[:2])
    with pytest.raises(InputError, match="sentences of no tokens"):
        model.encode(source[:, :0], torch.zeros(3, dtype=torch.long))
    if source.dim() == 2:
        with pytest.raises(InputError, match="source tokens from 0 to 11; this model knows 0 to 10"):
            model.encode(torch.tensor([[0, zoo.SOURCE]]), torch.tensor([2]))
    with pytest.raises(InputError, match=r"a source of shape .*; this model reads (vectors|tokens): \[batch, length"):
        model.encode(source[None], lengths)


@pytest.mark.parametrize("name", ["language", "wavenet"])
def test_a_language_model_has_no_source(name):
    with pytest.raises(InputError, match="a source of 2 tokens; a language model has none"):
        zoo.make(name)(torch.tensor([[4, 5]]), torch.tensor([2]), zoo.target_of(1, 3))
