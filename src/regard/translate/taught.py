"""What a translator's model has been taught to read, as its recipe says."""

from typing import NamedTuple

from regard.corpus.texts import wants_marks
from regard.recipe import Recipe

REACH = 250  # tokens, where nobody says how long sentences a model has learnt from


class Taught(NamedTuple):
    """How a model wants to be asked."""

    protects: bool = True  # placeholders and tags stand as symbols
    context: bool = False  # the sentences before stand in front
    figures: bool = False  # a text without a letter has a translation of its own
    reach: int = REACH  # the tokens of the longest sentences that it has learnt from


USUAL = Taught()


def taught(recipe: Recipe, longest: int) -> Taught:
    """What a recipe teaches, by sentences of at most so many tokens."""
    data = recipe.data
    return Taught(data.placeholders and wants_marks(recipe), data.context > 0, data.generate != "none", longest)
