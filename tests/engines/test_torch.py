"""The engine for every model: what it answers in batches is what a model says of each sentence alone."""

import random

import pytest
import torch

import zoo
from regard.engines.torch import TorchEngine, batches
from regard.errors import InputError
from regard.models.interface import Seq2Seq
from regard.text.symbols import BOS, EOS, PAD, UNK

READING = [name for name in zoo.SEQ2SEQ if not name.endswith("vectors") and name not in ("language", "wavenet")]
LANGUAGE = ["language", "wavenet"]


def sentences(count, seed=1, longest=9):
    rng = random.Random(seed)
    return [[rng.randrange(4, zoo.SOURCE) for _ in range(rng.randrange(1, longest))] for _ in range(count)]


class Counting(Seq2Seq):
    """Whatever the source, it counts down from 9 to 5 and ends: each step is certain but for a share e^-3."""

    def encode(self, source, lengths):
        return source

    def start(self, memory):
        return memory

    def step(self, state, ids):
        wanted = torch.where(ids == BOS, 9, torch.where(ids == 5, EOS, ids - 1))
        return torch.full((len(ids), 11), -3.0).scatter(1, wanted[:, None], 0.0), state

    def features(self, source, lengths, target):
        return target

    def forward(self, source, lengths, target):
        return torch.stack([self.step(None, ids)[0] for ids in target.T], 1)


def test_the_answer_by_hand():
    engine = TorchEngine(Counting())
    # log softmax of the token at 0, with ten others at -3
    each = -torch.log(torch.tensor(1 + 10 * torch.e**-3)).item()
    for beam in (1, 2):
        (one,), (other,) = engine.search([[7], [8, 4]], beam=beam)
        assert one.ids == other.ids == (9, 8, 7, 6, 5)
        assert one.ended
        assert one.log_prob == pytest.approx(6 * each, abs=1e-5)
    assert engine.score([[7]], [[9, 8, 7, 6, 5]])[0].log_probs == pytest.approx([each] * 6, abs=1e-5)
    assert engine.search([[7], [7]], beam=2, prefix=[[], [7]])[1][0].ids == (7, 6, 5)
    cut, _ = engine.search([[7], [7]], beam=1, limits=[3, 7])
    assert (cut[0].ids, cut[0].ended) == ((9, 8, 7), False)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("name", READING)
def test_sentences_are_answered_in_order_and_in_batches_as_alone(name, beam):
    engine, sources = TorchEngine(zoo.make(name)), sentences(13)
    together = engine.search(sources, beam=beam, n_best=beam, batch_tokens=61)
    for source, found in zip(sources, together, strict=True):
        (alone,) = engine.search([source], beam=beam, n_best=beam)
        assert [h.ids for h in found] == [h.ids for h in alone]
        assert [h.score for h in found] == pytest.approx([h.score for h in alone], abs=1e-4)
        assert len(found) == beam
        assert all(len(h.log_probs) <= 2 * len(source) + 10 for h in found)
        assert not {UNK, PAD, BOS, EOS} & {token for h in found for token in h.ids}


@pytest.mark.parametrize("name", [*READING, *LANGUAGE])
def test_a_forced_target_is_as_likely_as_when_it_was_searched(name):
    engine, sources = TorchEngine(zoo.make(name)), sentences(11)
    if name in LANGUAGE:
        sources = [[] for _ in sources]
    found = [best for best, *_ in engine.search(sources, beam=3, limits=list(range(2, 13)))]
    scored = engine.score(sources, [h.ids for h in found])
    for hypothesis, forced in zip(found, scored, strict=True):
        count = len(hypothesis.log_probs)  # the limit may have cut it, while what is forced always ends
        assert forced.log_probs[:count] == pytest.approx(hypothesis.log_probs, abs=1e-4)
        assert len(forced.log_probs) == len(hypothesis.ids) + 1
        assert forced.log_prob == pytest.approx(sum(forced.log_probs))


@pytest.mark.parametrize("name", LANGUAGE)
def test_a_language_model_goes_on_from_what_has_been_said(name):
    engine = TorchEngine(zoo.make(name))
    prefix = [[5, 6, 7], [], [8]]
    together = engine.search([[]] * 3, beam=1, prefix=prefix, limits=[11, 7, 5], no_repeat=2)
    for i, (best, *_) in enumerate(together):
        assert list(best.ids[: len(prefix[i])]) == prefix[i]
        pairs = list(zip(best.ids, best.ids[1:], strict=False))
        assert len(set(pairs)) == len(pairs)
        alone = engine.search([[]], beam=1, prefix=[prefix[i]], limits=[(11, 7, 5)[i]], no_repeat=2)
        assert best.ids == alone[0][0].ids


@pytest.mark.parametrize("name", ["classify-mean", "classify-first"])
def test_labels(name):
    engine, sources = TorchEngine(zoo.make(name)), sentences(13)
    logits = engine.label(sources)
    for source, found in zip(sources, logits, strict=True):
        ids = torch.tensor([[*source, EOS]])
        wanted = engine.module(ids, torch.tensor([ids.size(1)]))[0]
        assert found.shape == (zoo.LABELS,)
        assert found == pytest.approx(wanted.detach().numpy(), abs=1e-5)


def test_what_may_stand_in_a_gap():
    engine, sources = TorchEngine(zoo.make("fill")), [[5, 6, 7, 8], [9, 4], [10, 5, 6]]
    found = engine.fill(sources, [[0, 3], [1], []])
    assert [one.shape for one in found] == [(2, zoo.SOURCE), (1, zoo.SOURCE), (0, zoo.SOURCE)]
    wanted = engine.module(torch.tensor([[9, 4, EOS]]), torch.tensor([3]))[0, 1].log_softmax(-1)
    assert found[1][0] == pytest.approx(wanted.detach().numpy(), abs=1e-5)


def test_ratings():
    engine = TorchEngine(zoo.make("factorization"))
    users, items = [0, 6, 2, 2], [4, 0, 1, 3]
    wanted = engine.module(torch.tensor(users), torch.tensor(items)).tolist()
    assert engine.rate(users, items) == pytest.approx(wanted, abs=1e-6)
    assert engine.rate([], []) == []


def test_the_module_is_left_as_it_was_and_computes_in_float32():
    module = zoo.make("transformer").train()
    engine = TorchEngine(module)
    calm = engine.score([[4, 5]], [[6, 7]])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert engine.score([[4, 5]], [[6, 7]]) == calm
    assert module.training
    with pytest.raises(InputError, match="tokens from 3 to 97"):
        engine.score([[97, 4]], [[6]])
    assert module.training
    loss = module(torch.tensor([[4, 5, EOS]]), torch.tensor([3]), torch.tensor([[BOS, 6]])).sum()
    loss.backward()  # nothing of the inference is left in the module


def test_a_limit_is_no_longer_than_the_positions_reach():
    module = zoo.make("transformer-learned-unscaled")  # 37 positions
    module.logits.weight.data[EOS] = 0
    assert TorchEngine(module).longest == 37
    (best,) = TorchEngine(module).search([[5] * 30], beam=1)[0]  # by itself the limit were 70
    assert len(best.log_probs) <= 37
    assert TorchEngine(zoo.make("transformer")).longest is None


def test_batches_hold_what_they_may():
    sizes = [3, 11, 2, 5, 5, 7, 1]
    found = list(batches(sizes, 11))
    assert found == [[1], [5], [3, 4], [0, 2, 6]]
    assert next(batches(sizes, 5)) == [1]  # longer than allowed: alone
    assert list(batches([], 5)) == []
