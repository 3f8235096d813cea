"""Every Transformer that the fast engine can hold says there what it says in torch; else all obstacles are named."""

import ctranslate2
import numpy as np
import pytest
import torch

from regard.engines.export import engine_files, obstacles
from regard.engines.torch import TorchEngine
from regard.models.build import build
from regard.recipe import RecurrentSpec, TransformerSpec
from regard.text.tokens import Tokens, Vocabulary

SIZES = {"width": 28, "inner": 23, "heads": 7, "encoder_layers": 2, "decoder_layers": 3, "dropout": 0.1}
OPTIONS = {
    "the paper's": {},
    "norms before": {"norm": "pre"},
    "root mean squares": {"norm_kind": "rms", "norm_epsilon": 1e-3},
    "root mean squares before": {"norm": "pre", "norm_kind": "rms"},
    **{name: {"activation": name} for name in ("gelu", "gelu_tanh", "swish", "swiglu")},
    **{name: {"positions": name} for name in ("halved", "rotary", "none")},
    "learned positions": {"positions": "learned", "longest": 31},
    "plain dot products": {"score": "dot"},
    "bilinear scores": {"score": "bilinear"},
    "no biases": {"bias": False, "score": "bilinear"},
    "embeddings as they are": {"scale_embeddings": False},
    "nothing tied": {"tied": (), "output_bias": True},
    "target and output tied": {"tied": ("target", "output")},
    "source and output tied": {"tied": ("source", "output")},
    "wide heads": {"key_width": 6, "value_width": 6},
    "wider values": {"key_width": 2, "value_width": 5, "score": "bilinear"},
    "wider keys that turn": {"key_width": 6, "value_width": 3, "positions": "rotary"},
}


@pytest.fixture(scope="module")
def vocabulary():
    tokens = Tokens.train(["a dog", "two cats", "a house", "the red car", "one more"] * 3, "unigram", 0, symbols=True)
    return Vocabulary(tokens, tokens)


def made(spec, vocabulary):
    """A model with weights, biases and norms that are no zeros and ones."""
    torch.manual_seed(7)
    module = build(spec, *map(len, vocabulary)).eval()
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return module


def weights_of(module):
    return {name: weight.detach().numpy() for name, weight in module.named_parameters()}


def run(files, folder):
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return ctranslate2.Translator(str(folder), compute_type="float32", inter_threads=1, intra_threads=1)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_what_is_exported_finds_targets_as_likely_as_torch_does(vocabulary, tmp_path, options):
    spec = TransformerSpec(**{**SIZES, **options})
    assert obstacles(spec) == []
    module = made(spec, vocabulary)
    pieces = vocabulary.source.pieces(range(len(vocabulary.source)))
    rng = np.random.default_rng(3)
    pairs = [[rng.integers(4, len(pieces), rng.integers(1, 11)).tolist() for _ in range(2)] for _ in range(13)]
    fast = run(engine_files(spec, weights_of(module), vocabulary, "float32"), tmp_path)
    found = fast.score_batch(*([[pieces[i] for i in pair[side]] for pair in pairs] for side in (0, 1)))
    wanted = TorchEngine(module).score(*([pair[side] for pair in pairs] for side in (0, 1)))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one.log_probs, other.log_probs, atol=1e-4)


def test_the_weights_are_left_as_they_were(vocabulary):
    module = made(spec := TransformerSpec(**SIZES), vocabulary)
    before = {name: weight.copy() for name, weight in weights_of(module).items()}
    engine_files(spec, weights_of(module), vocabulary)
    assert all(np.array_equal(before[name], weight) for name, weight in weights_of(module).items())


def test_both_sides_may_have_tokens_of_their_own(tmp_path):
    source, target = (Tokens.train([text], "characters", 0, symbols=False) for text in ("abcd", "xyz"))
    apart = Vocabulary(source, target)
    module = made(spec := TransformerSpec(**{**SIZES, "tied": ("target", "output")}), apart)
    files = engine_files(spec, weights_of(module), apart)
    assert {"source_vocabulary.json", "target_vocabulary.json"} <= set(files)
    (said,) = run(files, tmp_path).translate_batch([["a", "b"]], max_decoding_length=5)
    assert set(said.hypotheses[0]) <= set(target.pieces(range(len(target))))


def test_every_obstacle_is_named():
    found = obstacles(TransformerSpec(**{**SIZES, "score": "cosine", "window": 3, "source_vectors": 5, "tied": ()}))
    assert [why.partition(" ")[0] for why in found] == ["model.score", "model.window", "model.source_vectors"]
    assert obstacles(RecurrentSpec()) == ["model.kind is 'recurrent'; the engine runs encoder-decoder Transformers"]
    both = TransformerSpec(**{**SIZES, "score": "bilinear", "positions": "rotary"})
    assert [why.partition(";")[0] for why in obstacles(both)] == [
        "model.score is 'bilinear' and model.positions 'rotary'"
    ]
