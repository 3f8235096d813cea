"""A sentence as a model is asked it: symbols in the place of what must stay, where the model has learnt them."""

import re
from collections import Counter
from typing import NamedTuple

from regard.text.protect import Protected, Span, find, protect, restore
from regard.text.symbols import PLACEHOLDERS
from regard.text.tidy import tidy
from regard.text.tokens import Tokens

WORD = re.compile(r"\w")


class Ask(NamedTuple):
    """What is asked, and what its symbols stand for."""

    front: str  # the sentences before, for a model that reads them
    source: str  # as the user wrote it
    text: str  # with symbols
    kept: dict[str, str]  # what each symbol stands for
    held: list[Span]  # where in the text something must stay that has no symbol

    def whole(self, said: str) -> bool:
        """Whether an answer has all that must stay, as often as the source, each tag before its end."""
        asked = Counter(character for character in self.text if character in self.kept)
        if Counter(character for character in said if character in self.kept) != asked:
            return False
        wanted = Counter(item.originals for item in find(self.source))
        found = Counter(item.originals for item in find(self.restored(said))) if wanted else Counter[tuple[str, ...]]()
        return all(found[originals] == count for originals, count in wanted.items())

    def restored(self, said: str) -> str:
        return restore(said, self.kept)

    def pieces(self) -> list[tuple[str, str]]:
        """What stands before each thing that must stay, and that thing; at last the rest, and nothing."""
        plain = [span for item in find(self.text) for span in item.spans]
        symbols = [(i, i + 1) for i, character in enumerate(self.text) if character in self.kept]
        found, at = [], 0
        for start, end in sorted({*symbols, *self.held, *plain}):
            if start >= at:  # else it stands in the one before
                found.append((self.text[at:start], self.restored(self.text[start:end])))
                at = end
        return [*found, (self.text[at:], "")]


def ask_of(front: str, source: str, protects: bool) -> Ask:
    """A sentence ready to be asked."""
    text, kept = protect(source) if protects else Protected(source, {})
    return Ask(tidied(front), source, tidy(text), kept, [])


def tidied(front: str) -> str:
    """What stands before, spelt as it was learnt; its last space is the break's."""
    return tidy(front) + front[len(front.rstrip()) :]


def with_strange(ask: Ask, tokens: Tokens, protects: bool) -> Ask:
    """The same, with symbols for what the model has no tokens for, as long as there are any."""
    text, kept = ask.text, dict(ask.kept)
    strange = strange_words(text, tokens)
    free = [symbol for symbol in PLACEHOLDERS if symbol not in kept] if protects else []
    if len(strange) > len(free):
        return ask._replace(held=strange)
    for (start, end), symbol in zip(reversed(strange), free, strict=False):
        kept[symbol] = text[start:end]
        text = text[:start] + symbol + text[end:]
    return ask._replace(text=text, kept=kept)


def strange_words(text: str, tokens: Tokens) -> list[Span]:
    """Where characters stand that no token has: with the whole word if they are letters."""
    pieces = tokens.cut(text)
    unknown = [place for place, piece in zip(tokens.places(pieces), pieces, strict=True) if not tokens.knows(piece)]
    found: list[Span] = []
    for start, end in unknown:
        if WORD.search(text[start:end]):
            while start and WORD.match(text[start - 1]):
                start -= 1
            while end < len(text) and WORD.match(text[end]):
                end += 1
        if found and start <= found[-1][1]:
            start, end = found[-1][0], max(end, found.pop()[1])
        found.append((start, end))
    return found
