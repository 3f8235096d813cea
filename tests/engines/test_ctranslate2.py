"""The fast engine says what torch says."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from regard.engines.ctranslate2 import FastEngine
from regard.engines.export import engine_files
from regard.engines.torch import TorchEngine
from regard.errors import FolderError
from regard.models.build import build
from regard.recipe import TransformerSpec
from regard.text.tokens import Tokens, Vocabulary

SPEC = TransformerSpec(width=28, inner=23, heads=7, encoder_layers=2, decoder_layers=2, norm="pre")
LONGEST = 97


@pytest.fixture(scope="module")
def vocabulary():
    tokens = Tokens.train(["a dog", "two cats", "a house", "the red car", "one more"] * 3, "unigram", 0, symbols=True)
    return Vocabulary(tokens, tokens)


@pytest.fixture(scope="module")
def engines(vocabulary, tmp_path_factory):
    """The same random model, of strong opinions, in both engines."""
    torch.manual_seed(1)
    module = build(SPEC, *map(len, vocabulary)).eval()
    with torch.no_grad():
        for weight in module.parameters():
            weight.mul_(2)
    folder = tmp_path_factory.mktemp("engine")
    weights = {name: weight.detach().numpy() for name, weight in module.named_parameters()}
    for name, data in engine_files(SPEC, weights, vocabulary, "float32").items():
        (folder / name).write_bytes(data)
    return FastEngine(folder, vocabulary, LONGEST), TorchEngine(module)


@pytest.fixture(scope="module")
def sources(vocabulary):
    rng = np.random.default_rng(2)
    return [rng.integers(4, len(vocabulary.source), rng.integers(1, 13)).tolist() for _ in range(211)]


def test_greedy_says_the_same(engines, sources):
    fast, slow = (engine.search(sources, beam=1) for engine in engines)
    assert [one.ids for (one,) in fast] == [one.ids for (one,) in slow]
    assert [one.ended for (one,) in fast] == [one.ended for (one,) in slow]
    assert len({one.ids for (one,) in fast}) > 20  # it says this and that


def test_a_batch_is_the_same_as_one_by_one(engines, sources):
    fast, _ = engines
    together = fast.search(sources[:23], beam=3, n_best=2)
    alone = [fast.search([source], beam=3, n_best=2)[0] for source in sources[:23]]
    assert [[one.ids for one in some] for some in together] == [[one.ids for one in some] for some in alone]
    assert all(len(some) == 2 and some[0].score >= some[1].score for some in together)


def test_targets_are_as_likely(engines, sources):
    fast, slow = (engine.score(sources[:53], sources[53:106]) for engine in engines)
    for one, other in zip(fast, slow, strict=True):
        assert one.log_prob == pytest.approx(other.log_prob, abs=1e-3)
        np.testing.assert_allclose(one.log_probs, other.log_probs, rtol=1e-4)


def test_each_sentence_has_a_limit_of_its_own(engines, sources):
    limits = [1 + i % 5 for i in range(31)]
    fast, slow = (engine.search(sources[:31], beam=1, limits=limits) for engine in engines)
    assert [one.ids for (one,) in fast] == [one.ids for (one,) in slow]
    assert [one.ended for (one,) in fast] == [one.ended for (one,) in slow]
    assert {len(one.ids) for (one,) in fast} >= {1, 2, 3, 4, 5}


def test_what_an_answer_begins_with(engines, sources):
    prefix = [source[: i % 3] for i, source in enumerate(sources[:31])]
    fast, slow = (engine.search(sources[:31], beam=1, prefix=prefix) for engine in engines)
    assert [one.ids for (one,) in fast] == [one.ids for (one,) in slow]
    assert all(list(one.ids[: len(begun)]) == begun for (one,), begun in zip(fast, prefix, strict=True))


def test_several_threads_may_ask_at_once(engines, sources):
    fast, _ = engines
    wanted = fast.search(sources, beam=2)
    with ThreadPoolExecutor(5) as pool:
        found = list(pool.map(lambda _: fast.search(sources, beam=2), range(7)))
    assert all(one == wanted for one in found)


def test_nothing_asked_is_nothing_said(engines):
    assert engines[0].search([]) == engines[0].score([], []) == []


def test_what_is_no_engine_is_an_error_of_one_line(vocabulary, tmp_path):
    (tmp_path / "model.bin").write_bytes(b"\6\0\0\0")
    with pytest.raises(FolderError, match=r"cannot be run \(.*\); export the model again"):
        FastEngine(tmp_path, vocabulary, LONGEST)
