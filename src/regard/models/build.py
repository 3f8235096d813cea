"""From a recipe's model to the model itself: the one place that knows which struct is which class."""

from pathlib import Path

import torch
from torch import nn

from regard.errors import FolderError
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


def fill_in(module: nn.Module, path: Path) -> None:
    """Puts a file's numbers in the place of the module's; a tied matrix is there once."""
    from safetensors.torch import load_file

    weights, given = dict(module.named_parameters()), load_file(path)
    shapes, wanted = ({name: tuple(one.shape) for name, one in some.items()} for some in (given, weights))
    if shapes != wanted:
        unlike = sorted(name for name in shapes | wanted if shapes.get(name) != wanted.get(name))
        raise FolderError(f"{path} holds other weights than the recipe beside it wants ({unlike[0]})")
    with torch.no_grad():
        for name, weight in weights.items():
            weight.copy_(given[name])
