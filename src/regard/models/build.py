"""From a recipe's model to the model itself: the one place that knows which struct is which class."""

from torch import nn

from regard.models.convolutional import ByteNet, WaveNet
from regard.models.encoder import Classify, Fill
from regard.models.factorization import Factorization
from regard.models.language import Language
from regard.models.recurrent import Recurrent
from regard.models.transformer import Transformer
from regard.recipe import (
    ByteNetSpec,
    ClassifySpec,
    FactorizationSpec,
    FillSpec,
    LanguageSpec,
    ModelSpec,
    RecurrentSpec,
    TransformerSpec,
    WaveNetSpec,
)

CLASSES: dict[type[ModelSpec], type[nn.Module]] = {
    TransformerSpec: Transformer,
    RecurrentSpec: Recurrent,
    ByteNetSpec: ByteNet,
    LanguageSpec: Language,
    WaveNetSpec: WaveNet,
    FillSpec: Fill,
    ClassifySpec: Classify,
    FactorizationSpec: Factorization,
}


def build(spec: ModelSpec, *sizes: int) -> nn.Module:
    """The model, with fresh weights.

    sizes: source and target vocabulary for encoder-decoders, the vocabulary for language models and fill,
    vocabulary and labels for classify, users and items for factorization.
    """
    return CLASSES[type(spec)](spec, *sizes)


def parameters(model: nn.Module) -> int:
    """How many numbers are learned; tied matrices count once."""
    return sum(weight.numel() for weight in model.parameters())
