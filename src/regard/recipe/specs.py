"""A recipe, and each model's options in it; every field is explained where it stands."""

from typing import Literal

from regard.errors import RecipeError
from regard.recipe.data import DataSpec, TokensSpec
from regard.recipe.fields import Amount, Count, Dilations, Natural, Share, Spec
from regard.recipe.tasks import Task, check_columns, check_kind, check_options
from regard.recipe.training import TrainingSpec

Norm = Literal["post", "pre"]
NormKind = Literal["layer", "rms"]
Activation = Literal["relu", "gelu", "gelu_tanh", "swish", "swiglu"]
Positions = Literal["sinusoidal", "halved", "learned", "rotary", "none"]
ScoreName = Literal["scaled_dot", "dot", "cosine", "bilinear", "additive"]
Tied = Literal["source", "target", "output"]


def check_tied(tied: tuple[Tied, ...], source_vectors: int) -> None:
    if len(set(tied)) != len(tied) or len(tied) == 1:
        raise RecipeError(f"tied is {list(tied)}; name two or three of source, target, output, or none")
    if source_vectors and "source" in tied:
        raise RecipeError(f"tied is {list(tied)}, but a source of vectors has no embedding matrix to share")


class StackSpec(Spec, frozen=True, kw_only=True):
    """A stack of attention blocks: what encoder, decoder and language model have in common."""

    width: Count = 512  # D: the size of the vector that stands for a token between blocks
    inner: Count = 2048  # the size of the feed-forward network's hidden layer
    heads: Count = 8  # H: how many attentions look side by side
    key_width: Count | None = None  # K: the size of a query and a key of one head; width / heads if not given
    value_width: Count | None = None  # the size of a value of one head; width / heads if not given
    norm: Norm = "post"  # after the sum (the paper of 2017) or before the sublayer (steadier when deep)
    norm_kind: NormKind = "layer"  # LayerNorm or RMSNorm
    norm_epsilon: Amount = 1e-5
    activation: Activation = "relu"  # of the feed-forward network; swiglu is gated and has a third matrix
    positions: Positions = "sinusoidal"  # halved: all sines, then all cosines (Marian's layout)
    longest: Count = 512  # how many positions learned positions know; the others know no limit
    score: ScoreName = "scaled_dot"  # how well a query matches a key
    window: Natural = 0  # self-attention looks at most that many neighbours away; 0: as far as it likes
    bias: bool = True  # whether the projections of attention and feed-forward have biases
    scale_embeddings: bool = True  # embeddings times sqrt(width), as in the paper
    dropout: Share = 0.1  # on embeddings and on what each sublayer adds
    attention_dropout: Share = 0.0  # on the attention weights
    inner_dropout: Share = 0.0  # inside the feed-forward network, after the activation
    word_dropout: Share = 0.0  # whole tokens' embeddings
    layer_dropout: Share = 0.0  # whole layers, while training

    def __post_init__(self) -> None:
        super().__post_init__()
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

    encoder_layers: Count = 6
    decoder_layers: Count = 6
    tied: tuple[Tied, ...] = ("source", "target", "output")  # which of the three embedding matrices are one
    output_bias: bool = False  # a bias per piece on the logits
    source_vectors: Natural = 0  # the source is vectors of this width (image regions, sound frames); 0: tokens

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tied(self.tied, self.source_vectors)


class LanguageSpec(StackSpec, frozen=True, kw_only=True, tag_field="kind", tag="language"):
    """A decoder-only Transformer language model; the defaults are GPT-2's shape."""

    width: Count = 768
    inner: Count = 3072
    heads: Count = 12
    norm: Norm = "pre"
    activation: Activation = "gelu_tanh"
    positions: Positions = "learned"
    longest: Count = 1024
    scale_embeddings: bool = False
    layers: Count = 12
    tied: bool = True  # the output matrix is the embedding matrix


class FillSpec(StackSpec, frozen=True, kw_only=True, tag_field="kind", tag="fill"):
    """An encoder-only Transformer that fills in missing tokens: logits over the pieces at each position."""

    layers: Count = 6
    tied: bool = True  # the output matrix is the embedding matrix


class ClassifySpec(StackSpec, frozen=True, kw_only=True, tag_field="kind", tag="classify"):
    """An encoder-only Transformer that gives a whole sentence one of several labels."""

    layers: Count = 6
    pooling: Literal["mean", "first"] = "mean"  # what of the last layer stands for the sentence


class RecurrentSpec(Spec, frozen=True, kw_only=True, tag_field="kind", tag="recurrent"):
    """Encoder and decoder that read one token after the other and carry a state along."""

    cell: Literal["rnn", "gru", "lstm"] = "lstm"
    width: Count = 256  # D: the size of an embedding
    state: Count = 256  # the size of the hidden state
    layers: Count = 1
    attention: Literal["none", "additive", "dot", "bilinear"] = "additive"  # none: the last state is all that passes
    dropout: Share = 0.1
    tied: tuple[Tied, ...] = ()
    source_vectors: Natural = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tied(self.tied, self.source_vectors)
        if self.attention != "none" and self.state % 2:
            raise RecipeError(f"state is {self.state}; with attention the encoder reads both ways, half the state each")


class ByteNetSpec(Spec, frozen=True, kw_only=True, tag_field="kind", tag="bytenet"):
    """Encoder and decoder of dilated convolutions; the decoder stands on the encoder, position on position."""

    width: Count = 256  # D
    kernel: Count = 3
    dilations: Dilations = (1, 2, 4, 8, 16)  # of the layers of one set
    encoder_sets: Count = 2
    decoder_sets: Count = 2
    stretch: Amount = 1.2  # a target may be this many times as long as its source and still stand on it
    extra: Natural = 4  # and this many tokens more
    dropout: Share = 0.1
    tied: tuple[Tied, ...] = ()
    source_vectors: Natural = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tied(self.tied, self.source_vectors)
        if self.width % 2:
            raise RecipeError(f"width is {self.width}; a ByteNet block works at half of it: an even width")
        if self.kernel % 2 == 0:
            raise RecipeError(f"kernel is {self.kernel}; the encoder looks equally far both ways: an odd kernel")


class WaveNetSpec(Spec, frozen=True, kw_only=True, tag_field="kind", tag="wavenet"):
    """A language model of gated causal convolutions."""

    width: Count = 256  # D
    kernel: Count = 2
    dilations: Dilations = (1, 2, 4, 8, 16, 32)
    sets: Count = 2
    dropout: Share = 0.1


class FactorizationSpec(Spec, frozen=True, kw_only=True, tag_field="kind", tag="factorization"):
    """Ratings as the dot product of a user's and an item's vector, plus biases."""

    width: Count = 32


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


class Recipe(Spec, frozen=True, kw_only=True):
    """All that makes a model: what is learnt from which data, in which tokens, by which model, how."""

    task: Task = "translation"  # g2p: spelling to sound; language: the next word; fill: a missing one
    source: str = ""  # the source's language, a code such as "en"
    target: str = ""
    seed: Natural = 1
    start_from: str = ""  # a model's folder, whose tokens and weights are begun with; none: from nothing
    data: DataSpec = DataSpec()
    tokens: TokensSpec = TokensSpec()
    model: ModelSpec
    training: TrainingSpec = TrainingSpec()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kind(self.task, str(self.model.__struct_config__.tag))
        check_options(self.task, self.training.guided, self.data.context)
        for files in (*self.data.train, *self.data.valid, *self.data.test):
            check_columns(self.task, files.columns)
