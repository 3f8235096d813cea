"""Letters as tokens: the smallest vocabulary there is. Its first four ids are those of every vocabulary of Regard."""

from collections.abc import Iterable

from regard.errors import InputError
from regard.text.symbols import SPECIALS


class Letters:
    """An alphabet; each of its letters is a token."""

    def __init__(self, alphabet: str) -> None:
        self.letters = sorted(set(alphabet))
        self.ids = {letter: i + SPECIALS for i, letter in enumerate(self.letters)}

    def __len__(self) -> int:
        return len(self.letters) + SPECIALS

    def encode(self, text: str) -> list[int]:
        """The ids of a text's letters."""
        unknown = sorted(set(text) - set(self.letters))
        if unknown:
            raise InputError(f"letters {', '.join(map(repr, unknown))} are not among {''.join(self.letters)!r}")
        return [self.ids[letter] for letter in text]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; the special ones are silent."""
        return "".join(self.letters[i - SPECIALS] for i in ids if i >= SPECIALS)
