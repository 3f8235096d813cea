"""A pair whose words are linked, and the phrases in it that translate each other."""

from typing import Literal, NamedTuple

from regard.corpus.align import Aligner, Links, spans

Span = tuple[int, int]  # from the first to before the end: of words, or of characters
Phrase = tuple[Span, Span]  # words of the source, words of the target

CONTENT = 4  # letters from which a word is taken for one that carries meaning
HYPHENS = {"-", "\u2010", "\u2011", "_"}  # what they join is one word to a reader
APOSTROPHES = {"'", "\u2019"}


class Aligned(NamedTuple):
    """A pair of sentences, where their words stand, and which are linked."""

    pair: tuple[str, str]
    places: tuple[list[Span], list[Span]]
    links: Links

    @classmethod
    def of(cls, pair: tuple[str, str], aligner: Aligner) -> "Aligned":
        places = spans(pair[0]), spans(pair[1])
        source, target = (
            [text[start:end].lower() for start, end in some] for text, some in zip(pair, places, strict=True)
        )
        return cls(pair, places, aligner.align(source, target))

    def span(self, side: int, words: Span) -> Span:
        """The characters of some words of the source (0) or the target (1)."""
        return self.places[side][words[0]][0], self.places[side][words[1] - 1][1]

    def text(self, side: int, words: Span) -> str:
        start, end = self.span(side, words)
        return self.pair[side][start:end]

    def once(self, phrase: Phrase) -> bool:
        """Whether each side's text comes but once in its sentence."""
        return all(self.pair[side].count(self.text(side, phrase[side])) == 1 for side in (0, 1))

    def whole(self, side: int, words: Span) -> bool:
        """Whether a reader would mark these words: no comma at an end, no half of "don't" or "e-mail"."""
        start, end = self.span(side, words)
        text = self.pair[side]
        return (
            text[start].isalnum()
            and text[end - 1].isalnum()
            and text[max(start - 1, 0) : start] not in HYPHENS
            and text[end : end + 1] not in HYPHENS | APOSTROPHES
        )


def phrases(view: Aligned, longest: int) -> list[Phrase]:
    """All phrases of at most so many words that are linked among themselves alone, ends included (Och and Ney 2004)."""
    of_source: list[list[int]] = [[] for _ in view.places[0]]
    of_target: list[list[int]] = [[] for _ in view.places[1]]
    for i, j in view.links:
        of_source[i].append(j)
        of_target[j].append(i)
    found = []
    for first in range(len(of_source)):
        for end in range(first + 1, min(first + longest, len(of_source)) + 1):
            linked = [j for i in range(first, end) for j in of_source[i]]
            if not (of_source[first] and of_source[end - 1]) or max(linked) - min(linked) >= longest:
                continue
            ours, theirs = (first, end), (min(linked), max(linked) + 1)
            closed = all(first <= i < end for j in range(*theirs) for i in of_target[j])
            if closed and view.whole(0, ours) and view.whole(1, theirs):
                found.append((ours, theirs))
    return found


def content(view: Aligned) -> list[Phrase]:
    """Words that carry meaning, each linked to one: the longer ones, names and numbers."""
    found = []
    for phrase in phrases(view, 1):
        ours, theirs = view.text(0, phrase[0]), view.text(1, phrase[1])
        if min(len(ours), len(theirs)) >= CONTENT or (ours == theirs and not ours.islower()):
            found.append(phrase)
    return found


def overlap(one: Phrase, other: Phrase) -> Literal["apart", "within", "across"]:
    """How two phrases meet, on both sides alike; "across" where tags around them could not be balanced."""
    if all(a[1] <= b[0] or b[1] <= a[0] for a, b in zip(one, other, strict=True)):
        return "apart"
    for outer, inner in ((one, other), (other, one)):
        if one != other and all(a[0] <= b[0] and b[1] <= a[1] for a, b in zip(outer, inner, strict=True)):
            return "within"
    return "across"
