"""Measuring tries each way, and leaves the weights as they were."""

from itertools import islice

import numpy as np
import pytest
import torch

from regard.training import measure
from regard.training.measure import measured, pieces
from regard.training.settings import candidates
from trainings import learner, prepared


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("given"), precision='"auto"', batch=1009)


def test_each_way_is_timed_and_the_weights_stay(corpus, monkeypatch):
    monkeypatch.setattr(measure, "SECONDS", 0.0)
    one, fresh = learner(*corpus), learner(*corpus)
    settings, timings = measured(one.recipe, one.module, one.pairs, 0, "cpu")
    ways = candidates(one.recipe.training, "cpu")
    assert [(timing.precision, timing.piece) for timing in timings] == ways
    assert (settings.precision, settings.piece) in ways
    assert all(timing.speed > 0 for timing in timings)
    named = dict(fresh.module.named_parameters())
    assert all(torch.equal(weight, named[name]) for name, weight in one.module.named_parameters())


def test_pieces_come_without_end_from_all_over_the_pairs(corpus):
    pairs = corpus[1].train
    some = list(islice(pieces(pairs, 97, 5), 1000))
    assert len(some) == 1000
    assert all(int((pairs.lengths[piece, 1] + 1).sum()) <= 97 for piece in some)
    assert set(np.concatenate(some).tolist()) == set(range(len(pairs)))
