"""A Transformer's weights as CTranslate2 wants them: the files of `engine/` in a model's folder, in int8 or float32.

Everything is said to that engine, nothing left to its defaults: it would count positions from 1, and lay out the
sinusoids another way. What it cannot hold is named, all of it at once.

D width, H heads, K key width, V value width, N what it calls head_dim: one width of a head for keys and values.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from ctranslate2 import specs  # type: ignore[import-untyped]
from numpy.typing import NDArray

from regard.attention.positions import BASE, sinusoidal
from regard.engines.interface import POSITIONS
from regard.recipe import ModelSpec, TransformerSpec
from regard.text.symbols import BOS, EOS, UNK
from regard.text.tokens import Vocabulary

FOLDER = "engine"  # in the model's
ACTIVATIONS = {
    "relu": specs.Activation.RELU, "gelu": specs.Activation.GELU, "gelu_tanh": specs.Activation.GELUTanh,
    "swish": specs.Activation.SWISH, "swiglu": specs.Activation.SWISH,
}  # fmt: skip

Weights = Mapping[str, NDArray[np.float32]]


def obstacles(spec: ModelSpec) -> list[str]:
    """Why the engine cannot run such a model: a line each, none if it can."""
    if not isinstance(spec, TransformerSpec):
        return [f"model.kind is {str(spec.__struct_config__.tag)!r}; the engine runs encoder-decoder Transformers"]
    rotary = spec.positions == "rotary"
    found = {
        f"model.score is {spec.score!r}; the engine's scores are dot products": spec.score in ("cosine", "additive"),
        "model.score is 'bilinear' and model.positions 'rotary'; the engine turns queries last": rotary
        and spec.score == "bilinear",
        f"model.window is {spec.window}; the engine's encoder-decoders look everywhere": spec.window > 0,
        f"model.source_vectors is {spec.source_vectors}; the engine reads tokens": spec.source_vectors > 0,
    }
    return [why for why, holds in found.items() if holds]


def engine_files(
    spec: TransformerSpec,
    weights: Weights,
    vocabulary: Vocabulary,
    precision: str = "int8",
) -> dict[str, bytes]:
    """The engine's files by name."""
    own = {name: weight.copy() for name, weight in weights.items()}  # which quantising scales where they lie
    model = Exporter(spec, own).made()
    pieces = [tokens.pieces(range(len(tokens))) for tokens in vocabulary]
    model.register_source_vocabulary(pieces[0])
    model.register_target_vocabulary(pieces[1])
    for key, value in config(spec, pieces[1]).items():
        setattr(model.config, key, value)
    model.validate()
    model.optimize(precision)
    with tempfile.TemporaryDirectory() as folder:
        model.save(folder)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def config(spec: TransformerSpec, pieces: list[str]) -> dict[str, Any]:
    return {
        "unk_token": pieces[UNK],
        "bos_token": pieces[BOS],
        "eos_token": pieces[EOS],
        "decoder_start_token": pieces[BOS],
        "add_source_bos": False,
        "add_source_eos": True,
        "layer_norm_epsilon": spec.norm_epsilon,
    }


class Exporter:
    """Puts each weight in its place."""

    def __init__(self, spec: TransformerSpec, weights: Weights) -> None:
        self.spec, self.weights = spec, weights
        self.width = max(spec.key_size, spec.value_size)  # N

    def made(self) -> specs.TransformerSpec:
        spec = self.spec
        common: dict[str, Any] = {
            "pre_norm": spec.norm == "pre",
            "activation": ACTIVATIONS[spec.activation],
            "ffn_glu": spec.activation == "swiglu",
            "rms_norm": spec.norm_kind == "rms",
            "head_dim": self.width if self.width * spec.heads != spec.width else None,
        }
        if spec.positions == "rotary":
            common |= {"rotary_dim": spec.key_size, "rotary_interleave": False, "rotary_base": BASE}
        encoder = specs.TransformerEncoderSpec(spec.encoder_layers, spec.heads, **common)
        decoder = specs.TransformerDecoderSpec(spec.decoder_layers, spec.heads, **common)
        self.front(encoder, encoder.embeddings[0], "source")
        self.front(decoder, decoder.embeddings, "target")
        for side, stack in (("encoder", encoder), ("decoder", decoder)):
            for i, layer in enumerate(stack.layer):
                self.block(layer, f"{side}.layers.{i}")
            if spec.norm == "pre":
                self.norm(stack.layer_norm, f"{side}.norm")
        decoder.projection.weight = self.matrix("output")
        if spec.output_bias:
            decoder.projection.bias = self.weights["logits.bias"]
        return specs.TransformerSpec(encoder, decoder)

    def matrix(self, name: str) -> NDArray[np.float32]:
        """The embedding or output matrix of that name; one of several that are tied stands under the first."""
        tied = self.spec.tied if name in self.spec.tied else (name,)
        paths = {"source": "source.embedding.weight", "target": "target.embedding.weight", "output": "logits.weight"}
        return next(self.weights[paths[one]] for one in paths if one in tied and paths[one] in self.weights)

    def front(self, stack: Any, embeddings: Any, side: str) -> None:
        """Embeddings and positions."""
        spec = self.spec
        embeddings.weight = self.matrix(side)
        stack.scale_embeddings = spec.scale_embeddings
        if spec.positions == "learned":
            stack.position_encodings.encodings = self.weights[f"{side}.positions.weight"]
        elif spec.positions == "none":
            stack.position_encodings.encodings = np.zeros((POSITIONS, spec.width), np.float32)
        elif spec.positions != "rotary":
            layout = "halved" if spec.positions == "halved" else "interleaved"
            stack.position_encodings.encodings = sinusoidal(POSITIONS, spec.width, layout).numpy()

    def block(self, layer: Any, path: str) -> None:
        """A layer's attentions, network and norms."""
        self.attention(layer.self_attention, f"{path}.own", f"{path}.around_own.norm")
        if hasattr(layer, "attention"):
            self.attention(layer.attention, f"{path}.cross", f"{path}.around_cross.norm")
        self.norm(layer.ffn.layer_norm, f"{path}.around_feed_forward.norm")
        feed = f"{path}.feed_forward"
        if self.spec.activation == "swiglu":
            self.linear(layer.ffn.linear_0, self.map(f"{feed}.gate"))
            self.linear(layer.ffn.linear_0_noact, self.map(f"{feed}.inner"))
        else:
            self.linear(layer.ffn.linear_0, self.map(f"{feed}.inner"))
        self.linear(layer.ffn.linear_1, self.map(f"{feed}.outer"))

    def attention(self, place: Any, path: str, norm: str) -> None:
        """Queries, keys and values in one map where a sequence looks at itself; keys and values where at another."""
        spec = self.spec
        queries, keys, values = (self.map(f"{path}.{name}") for name in ("query", "key", "value"))
        if spec.score == "bilinear":
            queries = turned(queries, self.weights[f"{path}.score.weight"])
        queries, keys, values = (self.widened(one) for one in (queries, keys, values))
        if spec.score != "scaled_dot":
            place.queries_scale = np.float32(1.0)
        elif spec.key_size != self.width:
            place.queries_scale = np.float32(spec.key_size**-0.5)
        if len(place.linear) == 2:
            self.linear(place.linear[0], joined(queries, keys, values))
        else:
            self.linear(place.linear[0], queries)
            self.linear(place.linear[1], joined(keys, values))
        output = self.map(f"{path}.output")
        self.linear(place.linear[-1], Map(widened(output.weight.T, spec.heads, self.width).T, output.bias))
        self.norm(place.layer_norm, norm)

    def widened(self, projection: "Map") -> "Map":
        """A projection with each head as wide as the engine wants it."""
        weight, bias = projection
        wide = None if bias is None else widened(bias[:, None], self.spec.heads, self.width)[:, 0]
        return Map(widened(weight, self.spec.heads, self.width), wide)

    def map(self, path: str) -> "Map":
        return Map(self.weights[f"{path}.weight"], self.weights.get(f"{path}.bias"))

    def linear(self, place: Any, plain: "Map") -> None:
        place.weight = np.ascontiguousarray(plain.weight)
        if plain.bias is not None:
            place.bias = np.ascontiguousarray(plain.bias)

    def norm(self, place: Any, path: str) -> None:
        place.gamma = self.weights[f"{path}.weight"]
        if self.spec.norm_kind == "layer":
            place.beta = self.weights[f"{path}.bias"]


class Map(NamedTuple):
    """x -> weight x + bias"""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32] | None


def joined(*maps: Map) -> Map:
    """Several maps of the same vectors as one."""
    biases = [one.bias for one in maps if one.bias is not None]
    return Map(np.concatenate([one.weight for one in maps]), np.concatenate(biases) if biases else None)


def widened(weight: NDArray[np.float32], heads: int, width: int) -> NDArray[np.float32]:
    """Rows [H * n, D], n a head, with zeros behind each head's: [H * width, D]"""
    parts = weight.reshape(heads, -1, weight.shape[1])
    return np.pad(parts, ((0, 0), (0, width - parts.shape[1]), (0, 0))).reshape(heads * width, -1)


def turned(queries: Map, matrices: NDArray[np.float32]) -> Map:
    """The queries of each head times its own matrix W [H, K, K], so that q W k is a dot product."""
    heads = len(matrices)
    weight = np.einsum("hij,hid->hjd", matrices, queries.weight.reshape(heads, -1, queries.weight.shape[1]))
    bias = None if queries.bias is None else np.einsum("hij,hi->hj", matrices, queries.bias.reshape(heads, -1))
    return Map(weight.reshape(queries.weight.shape), None if bias is None else bias.reshape(-1))
