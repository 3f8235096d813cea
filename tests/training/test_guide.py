"""Guided alignment: its loss by hand, which head is drawn, and that the head goes where it is drawn."""

import math
import re

import numpy as np
import pytest
import torch

import zoo
from regard.corpus.batches import make_batch
from regard.errors import RecipeError
from regard.models.build import build
from regard.recipe import TrainingSpec, TransformerSpec
from regard.text.symbols import EOS
from regard.training.flat import Flat
from regard.training.guide import Guide, gathered
from regard.training.improver import Improver
from regard.training.objective import Lesson, Speaking
from regard.training.schedule import rate_at


def guide(strength=1.0, name="transformer"):
    return Guide(zoo.make(name), strength)


def test_by_hand():
    # Two sentences, two heads (the second is not looked at), two target and three source tokens.
    weights = torch.full((2, 2, 2, 3), 1 / 3)
    weights[0, 0] = torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]])
    weights[1, 0] = torch.tensor([[0.0, 1.0, 0.0], [0.25, 0.25, 0.5]])
    # The first sentence's first target token is linked with two source tokens: the mean of them counts.
    links = torch.tensor([[0, 0, 0], [0, 1, 0], [1, 2, 1]])
    wanted = (-math.log(0.5) - math.log(0.25)) / 2 - math.log(0.5)
    assert guide().loss(weights, links).item() == pytest.approx(wanted)
    assert guide(0.3).loss(weights, links).item() == pytest.approx(0.3 * wanted)
    # What has no weight at all is as bad as can be, but no infinity.
    assert guide().loss(weights, torch.tensor([[1, 0, 0]])).item() == pytest.approx(-math.log(1e-9))
    assert guide().loss(weights, torch.empty(0, 3, dtype=torch.long)).item() == 0


def test_the_pieces_of_a_step_add_up():
    torch.manual_seed(1)
    weights = torch.rand(5, 2, 7, 11)
    links = torch.stack([torch.randint(0, size, (29,)) for size in (5, 11, 7)], 1).unique(dim=0)
    whole = guide().loss(weights, links)
    parts = [guide().loss(weights[i : i + 1], links[links[:, 0] == i] - torch.tensor([i, 0, 0])) for i in range(5)]
    torch.testing.assert_close(sum(parts), whole)


def test_links_of_sentences_by_hand():
    found = gathered([np.array([[4, 0], [2, 1]], np.uint8), np.empty((0, 2), np.uint8), np.array([[250, 3]], np.uint8)])
    assert found.tolist() == [[0, 4, 0], [0, 2, 1], [2, 250, 3]]
    assert gathered([np.empty((0, 2), np.uint8)]).shape == (0, 3)


def test_the_last_layer_but_one_is_drawn():
    assert guide().path == "decoder.layers.1.cross"  # of three
    spec, sizes = zoo.transformer(decoder_layers=1)
    assert Guide(build(spec, *sizes), 1.0).path == "decoder.layers.0.cross"
    assert guide(name="lstm-dot").path == "decoder.cross"


@pytest.mark.parametrize("name", ["bytenet", "lstm-none", "language"])
def test_a_model_without_attention_to_the_source(name):
    message = "training.guided draws a cross-attention head to an alignment, and this model has none"
    with pytest.raises(RecipeError, match=re.escape(message)):
        guide(name=name)


def test_nobody_watches_afterwards():
    model = zoo.make("transformer")
    inputs = zoo.inputs("transformer")
    drawn = Guide(model, 1.0)
    with drawn.watching(model) as seen:
        model(*inputs)
    assert [weights.shape for weights in seen] == [(3, 3, 5, 7)]
    torch.testing.assert_close(seen[0].sum(-1), torch.ones(3, 3, 5))
    model(*inputs)
    assert len(seen) == 1


# A head becomes what it is drawn to.

SPEC = TrainingSpec(steps=130, batch=500, rate=8e-3, warmup=10, schedule="cosine", smoothing=0.0)


def copies(count, seed):
    """Strings of 5 to 9 letters and their copies."""
    rng = np.random.default_rng(seed)
    texts = [rng.integers(4, 23, rng.integers(5, 10)).tolist() for _ in range(count)]
    return [(text, text) for text in texts]


def learnt(guided):
    """A model that has learnt to copy; its letters are linked each with itself, where that is told."""
    torch.manual_seed(1)
    spec = TransformerSpec(width=32, inner=48, heads=2, encoder_layers=1, decoder_layers=2, dropout=0.0, norm="pre")
    model = build(spec, 23, 23)
    judge = Speaking(SPEC, torch.float32, 0.0, Guide(model, guided) if guided else None)
    flat = Flat(model)
    improver = Improver(flat, SPEC)
    for step in range(1, SPEC.steps + 1):
        pairs = copies(53, step)
        links = gathered([np.stack([np.arange(len(text))] * 2, 1) for text, _ in pairs])
        flat.grads.zero_()
        total, count = judge.loss(model, Lesson(make_batch(pairs), links if guided else None))
        total.backward()
        improver.improve(step, count, rate_at(step, SPEC, SPEC.steps, 32))
    return model.eval()


def diagonal(model):
    """The share of the head's weight that a letter has on itself, ends left out."""
    pairs = copies(101, 0)
    source, lengths, given, wanted = map(torch.from_numpy, make_batch(pairs))
    drawn = Guide(model, 1.0)
    with torch.no_grad(), drawn.watching(model) as seen:
        model(source, lengths, given)
    weights = seen[0][:, 0].diagonal(dim1=1, dim2=2)
    return weights[wanted > EOS].mean().item()


def test_a_head_that_is_drawn_to_the_diagonal_becomes_diagonal():
    assert diagonal(learnt(guided=1.0)) > 0.85
    assert diagonal(learnt(guided=0.0)) < 0.7
