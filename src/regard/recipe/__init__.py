"""A recipe (TOML) becomes frozen structs; a key it does not know is an error that names the nearest one it does.

    recipe = load("recipes/base.toml")
    recipe.model.width          # 512

What contradicts itself is refused before anything is built; the structs made in Python are held to the same.
"""

from regard.recipe.data import DataSpec, FilesSpec, TokensSpec
from regard.recipe.read import dump, from_plain, kind_of, load, parse, shipped, ships
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
    TransformerSpec,
    WaveNetSpec,
)
from regard.recipe.training import TrainingSpec
from regard.recipe.write import difference, to_toml

__all__ = [
    "ByteNetSpec",
    "ClassifySpec",
    "DataSpec",
    "FactorizationSpec",
    "FilesSpec",
    "FillSpec",
    "LanguageSpec",
    "ModelSpec",
    "Recipe",
    "RecurrentSpec",
    "StackSpec",
    "TokensSpec",
    "TrainingSpec",
    "TransformerSpec",
    "WaveNetSpec",
    "difference",
    "dump",
    "from_plain",
    "kind_of",
    "load",
    "parse",
    "shipped",
    "ships",
    "to_toml",
]
