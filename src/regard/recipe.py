"""A recipe (TOML) becomes frozen structs; a key it does not know is an error that names the nearest one it does.

    recipe = load("recipes/base.toml")
    recipe.model.width          # 512

Each field is explained where it stands; what contradicts itself is refused before anything is built.
"""

import math
import tomllib
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from regard.errors import RecipeError, nearest

Norm = Literal["post", "pre"]
NormKind = Literal["layer", "rms"]
Activation = Literal["relu", "gelu", "gelu_tanh", "swish", "swiglu"]
Positions = Literal["sinusoidal", "halved", "learned", "rotary", "none"]
ScoreName = Literal["scaled_dot", "dot", "cosine", "bilinear", "additive"]
Tied = Literal["source", "target", "output"]


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all parts of a recipe share: immutable, by keyword, no unknown keys."""


def positive(spec: Spec, *names: str) -> None:
    for name in names:
        if not 0 < getattr(spec, name) < math.inf:
            raise RecipeError(f"{name} is {getattr(spec, name)}; it must be above 0")


def shares(spec: Spec, *names: str) -> None:
    for name in names:
        if not 0 <= getattr(spec, name) < 1:
            raise RecipeError(f"{name} is {getattr(spec, name)}; it is a share: from 0 to below 1")


def check_dilations(dilations: tuple[int, ...]) -> None:
    if not dilations or min(dilations) < 1:
        raise RecipeError(f"dilations are {list(dilations)}; they must be whole numbers from 1, at least one")


def check_tied(tied: tuple[Tied, ...], source_vectors: int) -> None:
    if len(set(tied)) != len(tied) or len(tied) == 1:
        raise RecipeError(f"tied is {list(tied)}; name two or three of source, target, output, or none")
    if source_vectors < 0:
        raise RecipeError(f"source_vectors is {source_vectors}; it must be 0 (tokens) or the width of a vector")
    if source_vectors and "source" in tied:
        raise RecipeError(f"tied is {list(tied)}, but a source of vectors has no embedding matrix to share")


class StackSpec(Spec, frozen=True, kw_only=True):
    """A stack of attention blocks: what encoder, decoder and language model have in common."""

    width: int = 512  # D: the size of the vector that stands for a token between blocks
    inner: int = 2048  # the size of the feed-forward network's hidden layer
    heads: int = 8  # H: how many attentions look side by side
    key_width: int | None = None  # K: the size of a query and a key of one head; width / heads if not given
    value_width: int | None = None  # the size of a value of one head; width / heads if not given
    norm: Norm = "post"  # after the sum (the paper of 2017) or before the sublayer (steadier when deep)
    norm_kind: NormKind = "layer"  # LayerNorm or RMSNorm
    norm_epsilon: float = 1e-5
    activation: Activation = "relu"  # of the feed-forward network; swiglu is gated and has a third matrix
    positions: Positions = "sinusoidal"  # halved: all sines, then all cosines (Marian's layout)
    longest: int = 512  # how many positions learned positions know; the others know no limit
    score: ScoreName = "scaled_dot"  # how well a query matches a key
    window: int = 0  # self-attention looks at most that many neighbours away; 0: as far as it likes
    bias: bool = True  # whether the projections of attention and feed-forward have biases
    scale_embeddings: bool = True  # embeddings times sqrt(width), as in the paper
    dropout: float = 0.1  # on embeddings and on what each sublayer adds
    attention_dropout: float = 0.0  # on the attention weights
    inner_dropout: float = 0.0  # inside the feed-forward network, after the activation
    word_dropout: float = 0.0  # whole tokens' embeddings
    layer_dropout: float = 0.0  # whole layers, while training

    def __post_init__(self) -> None:
        positive(self, "width", "inner", "heads", "longest")
        shares(self, "dropout", "attention_dropout", "inner_dropout", "word_dropout", "layer_dropout")
        if self.window < 0:
            raise RecipeError(f"window is {self.window}; it must be 0 (no window) or a number of neighbours")
        divided = self.key_width is None or self.value_width is None
        if divided and self.width % self.heads:
            allowed = ", ".join(str(h) for h in range(1, self.width + 1) if self.width % h == 0)
            raise RecipeError(
                f"width {self.width} is not divided by {self.heads} heads; heads may be {allowed}, "
                "or give key_width and value_width"
            )
        if self.positions in ("sinusoidal", "halved") and self.width % 2:
            raise RecipeError(
                f"width is {self.width}; {self.positions} positions pair sines and cosines: an even width"
            )
        if self.positions == "rotary" and self.key_size % 2:
            raise RecipeError(f"key_width is {self.key_size}; rotary positions turn pairs: an even key_width")

    @property
    def key_size(self) -> int:
        return self.key_width or self.width // self.heads

    @property
    def value_size(self) -> int:
        return self.value_width or self.width // self.heads


class TransformerSpec(StackSpec, frozen=True, kw_only=True, tag_field="kind", tag="transformer"):
    """The encoder-decoder of "Attention Is All You Need"; the defaults are its base model."""

    encoder_layers: int = 6
    decoder_layers: int = 6
    tied: tuple[Tied, ...] = ("source", "target", "output")  # which of the three embedding matrices are one
    output_bias: bool = False  # a bias per piece on the logits
    source_vectors: int = 0  # the source is vectors of this width (image regions, sound frames); 0: tokens

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "encoder_layers", "decoder_layers")
        check_tied(self.tied, self.source_vectors)


class LanguageSpec(StackSpec, frozen=True, kw_only=True, tag_field="kind", tag="language"):
    """A decoder-only Transformer language model; the defaults are GPT-2's shape."""

    width: int = 768
    inner: int = 3072
    heads: int = 12
    norm: Norm = "pre"
    activation: Activation = "gelu_tanh"
    positions: Positions = "learned"
    longest: int = 1024
    scale_embeddings: bool = False
    layers: int = 12
    tied: bool = True  # the output matrix is the embedding matrix

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "layers")


class FillSpec(StackSpec, frozen=True, kw_only=True, tag_field="kind", tag="fill"):
    """An encoder-only Transformer that fills in missing tokens: logits over the pieces at each position."""

    layers: int = 6
    tied: bool = True  # the output matrix is the embedding matrix


class ClassifySpec(StackSpec, frozen=True, kw_only=True, tag_field="kind", tag="classify"):
    """An encoder-only Transformer that gives a whole sentence one of several labels."""

    layers: int = 6
    pooling: Literal["mean", "first"] = "mean"  # what of the last layer stands for the sentence


class RecurrentSpec(Spec, frozen=True, kw_only=True, tag_field="kind", tag="recurrent"):
    """Encoder and decoder that read one token after the other and carry a state along."""

    cell: Literal["rnn", "gru", "lstm"] = "lstm"
    width: int = 256  # D: the size of an embedding
    state: int = 256  # the size of the hidden state
    layers: int = 1
    attention: Literal["none", "additive", "dot", "bilinear"] = "additive"  # none: the last state is all that passes
    dropout: float = 0.1
    tied: tuple[Tied, ...] = ()
    source_vectors: int = 0

    def __post_init__(self) -> None:
        positive(self, "width", "state", "layers")
        shares(self, "dropout")
        check_tied(self.tied, self.source_vectors)
        if self.attention != "none" and self.state % 2:
            raise RecipeError(f"state is {self.state}; with attention the encoder reads both ways, half the state each")


class ByteNetSpec(Spec, frozen=True, kw_only=True, tag_field="kind", tag="bytenet"):
    """Encoder and decoder of dilated convolutions; the decoder stands on the encoder, position on position."""

    width: int = 256  # D
    kernel: int = 3
    dilations: tuple[int, ...] = (1, 2, 4, 8, 16)  # of the layers of one set
    encoder_sets: int = 2
    decoder_sets: int = 2
    stretch: float = 1.2  # a target may be this many times as long as its source and still stand on it
    extra: int = 4  # and this many tokens more
    dropout: float = 0.1
    tied: tuple[Tied, ...] = ()
    source_vectors: int = 0

    def __post_init__(self) -> None:
        positive(self, "width", "kernel", "encoder_sets", "decoder_sets")
        shares(self, "dropout")
        check_dilations(self.dilations)
        check_tied(self.tied, self.source_vectors)
        if self.width % 2:
            raise RecipeError(f"width is {self.width}; a ByteNet block works at half of it: an even width")
        if self.kernel % 2 == 0:
            raise RecipeError(f"kernel is {self.kernel}; the encoder looks equally far both ways: an odd kernel")
        if self.stretch <= 0 or self.extra < 0:
            raise RecipeError(f"stretch is {self.stretch}, extra {self.extra}; they must be positive and not negative")


class WaveNetSpec(Spec, frozen=True, kw_only=True, tag_field="kind", tag="wavenet"):
    """A language model of gated causal convolutions."""

    width: int = 256  # D
    kernel: int = 2
    dilations: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    sets: int = 2
    dropout: float = 0.1

    def __post_init__(self) -> None:
        positive(self, "width", "kernel", "sets")
        shares(self, "dropout")
        check_dilations(self.dilations)


class FactorizationSpec(Spec, frozen=True, kw_only=True, tag_field="kind", tag="factorization"):
    """Ratings as the dot product of a user's and an item's vector, plus biases."""

    width: int = 32

    def __post_init__(self) -> None:
        positive(self, "width")


ModelSpec = (
    TransformerSpec
    | LanguageSpec
    | FillSpec
    | ClassifySpec
    | RecurrentSpec
    | ByteNetSpec
    | WaveNetSpec
    | FactorizationSpec
)


class TrainingSpec(Spec, frozen=True, kw_only=True):
    """How the weights are found."""

    steps: int = 1000
    batch: int = 4096  # target tokens a step
    rate: float = 1e-3  # the highest learning rate
    warmup: int = 100  # steps until it is reached
    schedule: Literal["inverse_square_root", "cosine"] = "inverse_square_root"  # how it falls afterwards
    smoothing: float = 0.1  # label smoothing: the share of the wanted probability spread over all pieces
    clip: float = 1.0  # gradients longer than this are shortened to it

    def __post_init__(self) -> None:
        positive(self, "steps", "batch", "rate", "warmup", "clip")
        shares(self, "smoothing")
        if self.warmup > self.steps:
            raise RecipeError(f"warmup is {self.warmup} steps, but there are {self.steps} in all")


class Recipe(Spec, frozen=True, kw_only=True):
    """All that makes a model, but the data."""

    model: ModelSpec
    training: TrainingSpec = TrainingSpec()
    seed: int = 1


def shipped(name: str) -> Path:
    """The path of a recipe that comes with Regard: in the checkout, or in the installed package."""
    package = Path(__file__).parent
    folders = (package.parents[1] / "recipes", package / "recipes")
    folder = next((folder for folder in folders if (folder / "base.toml").is_file()), folders[-1])
    known = sorted(path.stem for path in folder.glob("*.toml"))
    if name not in known:
        raise RecipeError(f"no recipe {name!r}{nearest(name, known)}; there are {', '.join(known)}")
    return folder / f"{name}.toml"


def load(path: str | Path) -> Recipe:
    """Reads a recipe from a TOML file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RecipeError(f"no recipe at {path}") from None
    except IsADirectoryError:
        raise RecipeError(f"{path} is a folder; a recipe is a TOML file") from None
    except UnicodeDecodeError as error:
        raise RecipeError(f"{path} is not UTF-8 (byte {error.start})") from None
    try:
        return parse(text)
    except RecipeError as error:
        raise RecipeError(f"{path}: {error}") from None


def parse(text: str) -> Recipe:
    """A recipe from TOML text."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"not TOML: {error}") from None
    check_keys(given, Recipe, "")
    for table in ("model", "training"):
        if not isinstance(given.get(table, {}), dict):
            raise RecipeError(f"{table} is {given[table]!r}; it must be a table of keys: [{table}]")
    model = {"kind": "transformer", **given.get("model", {})}
    check_keys(model, kind_of(model["kind"]), "model.")
    check_keys(given.get("training", {}), TrainingSpec, "training.")
    return convert({**given, "model": model}, Recipe)


def dump(recipe: Recipe) -> dict[str, Any]:
    """The recipe as plain data, every field written out, so that it says all that made a model."""
    plain: dict[str, Any] = msgspec.to_builtins(recipe)
    return plain


def convert(given: dict[str, Any], to: type[Recipe]) -> Recipe:
    try:
        return msgspec.convert(given, to)
    except msgspec.ValidationError as error:
        message, _, path = str(error).rstrip("`").partition(" - at `$.")
        table, _, key = path.partition("[")[0].rpartition(".")
        specs: dict[str, type[Spec]] = {"": to, "model": kind_of(given["model"]["kind"]), "training": TrainingSpec}
        spec = specs.get(table)
        if spec is None or key not in spec.__struct_fields__:
            raise RecipeError(f"{path}: {message}" if path else message) from None
        value = (given[table] if table else given)[key]
        raise RecipeError(f"{table}{'.' * bool(table)}{key} is {value!r}; it may be {allowed(spec, key)}") from None


def allowed(spec: type[Spec], key: str) -> str:
    """What a field may be, in words."""
    hint = get_type_hints(spec)[key]
    options = [option for option in get_args(hint) if option not in (type(None), ...)]
    if get_origin(hint) is tuple:
        return f"a list of {words(options[0])}"
    return words(hint if get_origin(hint) is Literal else (options or [hint])[0])


def words(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return ", ".join(map(str, get_args(hint)))
    return {int: "a whole number", float: "a number", bool: "true or false"}.get(hint, "a table of keys")


def kind_of(kind: object) -> type[Spec]:
    """The struct for a model's kind."""
    kinds = {spec.__struct_config__.tag: spec for spec in get_args(ModelSpec)}
    if kind not in kinds:
        raise RecipeError(f"model.kind is {kind!r}; it may be {', '.join(sorted(kinds))}{nearest(str(kind), kinds)}")
    return kinds[kind]


def check_keys(given: dict[str, Any], spec: type[Spec], where: str) -> None:
    """Refuses keys the struct does not have, each with the nearest that it does."""
    known = spec.__struct_fields__
    for key in given:
        if key not in known and not (where == "model." and key == "kind"):
            raise RecipeError(f"unknown key {where}{key}{nearest(key, known) or '; it may be ' + ', '.join(known)}")
