"""Every model on a GPU says what it says on the processor. Skipped where there is none."""

import pytest
import torch

import zoo
from regard.look.record import record
from regard.models.interface import Seq2Seq
from regard.search.beam import BeamOptions, beam
from regard.search.sampling import SamplingOptions, sample
from regard.search.steps import finish

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")


def moved(inputs):
    return [x.cuda() for x in inputs]


@pytest.mark.parametrize("name", zoo.EVERY)
def test_the_same_numbers_on_a_gpu(name):
    model, inputs = zoo.make(name), zoo.inputs(name)
    # cuDNN's recurrences round to 10 bits unless told not to
    with torch.no_grad(), torch.backends.cudnn.flags(allow_tf32=False):
        here = model(*inputs)
        there = model.cuda()(*moved(inputs))
    torch.testing.assert_close(there.cpu(), here, atol=1e-4, rtol=0)


@pytest.mark.parametrize("name", zoo.EVERY)
def test_it_trains_there(name):
    model = zoo.make(name).cuda().train()
    model(*moved(zoo.inputs(name))).square().mean().backward()
    assert all(weight.grad is not None and weight.grad.isfinite().all() for weight in model.parameters())


@pytest.mark.parametrize("name", zoo.SEQ2SEQ)
def test_searched_and_watched_there(name):
    model = zoo.make(name)
    assert isinstance(model, Seq2Seq)
    source, lengths, _ = zoo.inputs(name)
    options = BeamOptions(start=2, end=3, limit=7, beams=3, n_best=2, no_repeat=2, phrases=[[[5]], [], [[6, 7]]])
    draws = SamplingOptions(start=2, end=3, limit=7, top_k=5, seeds=[1, 2, 3])
    here = [finish(beam(model, source, lengths, options)), finish(sample(model, source, lengths, draws))]
    model.cuda()
    with record(model):
        there = [
            finish(beam(model, source.cuda(), lengths.cuda(), options)),
            finish(sample(model, source.cuda(), lengths.cuda(), draws)),
        ]
    scores = [[h.score for found in run for many in found for h in many] for run in (here, there)]
    assert scores[1] == pytest.approx(scores[0], abs=1e-3)
