"""Fine-tuning: a model that is trained already lends its tokens and its weights."""

import torch
from torch import nn

from regard import folder
from regard.errors import UserError
from regard.recipe import Recipe, load
from regard.text.tokens import Vocabulary


class Older:
    """The model of a folder, as far as another one can begin with it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.files = folder.open_folder(name)
        self.recipe: Recipe = load(self.files["recipe.toml"])
        if "tokens.model" not in self.files:
            raise UserError(f"--start-from {name} is a model for {self.recipe.task}, which has no tokens to lend")
        self.vocabulary = Vocabulary.open(self.files, self.recipe.tokens)

    def lend(self, module: nn.Module) -> str:
        """Puts its weights into a module of the same shape; says what was done."""
        from safetensors.torch import load_file

        weights = dict(module.named_parameters())
        lent = load_file(self.files["weights.safetensors"])
        if unlike := [n for n, values in lent.items() if n not in weights or weights[n].shape != values.shape]:
            raise UserError(
                f"--start-from {self.name} is another kind of model ({unlike[0]} differs): leave out "
                "what the recipe says of the model, or train from scratch"
            )
        with torch.no_grad():
            for name, values in lent.items():
                weights[name].copy_(values)
        return f"starts from {self.name}: {len(lent)} of {len(weights)} matrices and vectors are its own"
