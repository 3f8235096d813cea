"""What users will think of items, asked and answered as text.

Of a user nobody has met before it is the mean of what all known users think of the item; likewise for an item.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from regard.corpus.labels import Rated
from regard.errors import InputError

if TYPE_CHECKING:
    from regard.engines.torch import TorchEngine


class Critic:
    """A model of ratings, and whom and what it knows."""

    def __init__(self, engine: "TorchEngine", rated: Rated) -> None:
        self.engine, self.rated = engine, rated
        self.users, self.items = ({name: i for i, name in enumerate(some)} for some in (rated.users, rated.items))
        self.mean = lru_cache(maxsize=None)(self.average)

    def rate(self, texts: Sequence[str]) -> list[str]:
        """The rating of each "user <tab> item", between the lowest and the highest there is."""
        asked = [self.numbers(text) for text in texts]
        known = [(user, item) for user, item in asked if user is not None and item is not None]
        ratings = iter(self.engine.rate([user for user, _ in known], [item for _, item in known]))
        values = [self.mean(user, item) if user is None or item is None else next(ratings) for user, item in asked]
        return [f"{min(max(value, self.rated.low), self.rated.high):.4f}" for value in values]

    def numbers(self, text: str) -> tuple[int | None, int | None]:
        """Which user and which item; None where it is not known."""
        user, _, item = (part.strip() for part in text.partition("\t"))
        if "\t" not in text:
            raise InputError(f"{text!r} names no item; give a user, a tab, and an item")
        return self.users.get(user), self.items.get(item)

    def average(self, user: int | None, item: int | None) -> float:
        """The mean over all users, or all items; over as many pairs as there are of either, if neither is known."""
        count = max(len(self.users) if user is None else 1, len(self.items) if item is None else 1)
        users = [i % len(self.users) if user is None else user for i in range(count)]
        items = [i % len(self.items) if item is None else item for i in range(count)]
        return sum(self.engine.rate(users, items)) / count
