"""A recipe (TOML) becomes frozen structs; a key it does not know is an error that names the nearest one it does.

    recipe = load("recipes/base.toml")
    recipe.model.width          # 512

What contradicts itself is refused before anything is built; the structs made in Python are held to the same.
"""

from regard.recipe.read import dump, kind_of, load, parse, shipped
from regard.recipe.specs import (
    ByteNetSpec,
    ClassifySpec,
    FactorizationSpec,
    FillSpec,
    LanguageSpec,
    ModelSpec,
    Recipe,
    RecurrentSpec,
    StackSpec,
    TrainingSpec,
    TransformerSpec,
    WaveNetSpec,
)

__all__ = [
    "ByteNetSpec",
    "ClassifySpec",
    "FactorizationSpec",
    "FillSpec",
    "LanguageSpec",
    "ModelSpec",
    "Recipe",
    "RecurrentSpec",
    "StackSpec",
    "TrainingSpec",
    "TransformerSpec",
    "WaveNetSpec",
    "dump",
    "kind_of",
    "load",
    "parse",
    "shipped",
]
