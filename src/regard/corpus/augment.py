"""Pairs that teach a model to obey: terms whose translation is given, placeholders, tags.

They come beside the real ones. Of aligned words, what is marked on one side is marked, or meant, on the other:

    le {chat=cat} noir dort         the black cat is asleep         a term; or another word is wanted, and put there
    %0 dort, dit %1                 %0 is asleep, says %1           placeholders
    le <0>chat noir</0> dort        the <0>black cat</0> is asleep  tags

Symbols of placeholders and tags stand as text/protect.py puts them, terms as text/terms.py does.
"""

import random
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from regard.corpus import align
from regard.corpus.align import Aligner
from regard.corpus.phrases import Aligned, Phrase, Span, content, overlap, phrases
from regard.text.symbols import CLOSING, MOST, OPENING, PLACEHOLDERS, is_symbol
from regard.text.terms import Term, with_terms

Pair = tuple[str, str]
Edit = tuple[int, int, str]  # what stands from here to there becomes this

LONGEST = 4  # words of a phrase in tags
SHORT = 2  # words of a phrase that is a term
ANOTHER = 0.3  # the share of terms that want another word than the pair has
PHRASE = 0.3  # the share of terms that are more than a word
TWO = 0.3  # the share of pairs that get a second one of what they get
NESTED = 0.3  # the share of second tags that are sought within the first or around it
WRAPPED = 0.2  # the share of placeholders that stand in tags: <b>%s</b>
BESIDE = 0.15  # the share of pairs that get a placeholder before or behind the sentence, in the place of no word
FORMS = ["{symbol} {text}", "{text} {symbol}", "{text} ({symbol})"]
IN_ORDER = 0.5  # the share of pairs whose symbols are numbered from the first, as protect does; others at random
REMEMBERED = 100  # words of one shape that are kept to be wanted elsewhere


def augment(
    pairs: Iterable[Pair],
    aligner: Aligner,
    share: float,
    seed: int,
    kinds: Sequence[str] = ("terms", "placeholders", "tags"),
) -> Iterator[Pair]:
    """Extra pairs, `share` times as many as there are pairs, of all kinds alike."""
    makers = Makers(random.Random(seed))
    owed = 0.0
    for source, target in pairs:
        owed += share
        if makers.rng.random() >= owed or long(source, target) or any(map(is_symbol, source + target)):
            continue
        view = Aligned.of((source, target), aligner)
        for kind in makers.rng.sample(kinds, len(kinds)):  # the next one where the pair has nothing to mark
            if made := makers.kinds[kind](view):
                owed -= 1
                yield made
                break


def long(*texts: str) -> bool:
    """Whether one of the texts has more words than are aligned: their links would fill the memory."""
    return any(len(align.spans(text)) > align.LONGEST for text in texts)


class Makers:
    """Each kind of extra pair, drawn at random; and the words met, one of which may be wanted for another."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.met: dict[tuple[bool, bool, str], deque[str]] = defaultdict(lambda: deque(maxlen=REMEMBERED))
        self.kinds: dict[str, Callable[[Aligned], Pair | None]] = {
            "terms": self.terms,
            "placeholders": self.placeholders,
            "tags": self.tags,
        }

    def terms(self, view: Aligned) -> Pair | None:
        """One or two words of the source with the translation that is wanted for them."""
        found = content(view)
        if self.rng.random() < PHRASE:
            found = [
                one for one in phrases(view, SHORT) if any(overlap(one, word) == "within" for word in found)
            ] or found
        terms: list[Term] = []
        edits: list[Edit] = []
        for phrase in self.some(found):
            ours, theirs = view.span(0, phrase[0]), view.span(1, phrase[1])
            wanted = as_in_a_list(view, phrase)
            other = self.another(wanted) if phrase[1][1] - phrase[1][0] == 1 else None
            if other and self.rng.random() < ANOTHER:
                here = view.pair[1][theirs[0] : theirs[1]]
                edits.append((*theirs, other[0].upper() + other[1:] if here[0].isupper() else other))
                wanted = other
            terms.append((*ours, wanted))
        return (with_terms(view.pair[0], terms), edited(view.pair[1], edits)) if terms else None

    def another(self, word: str) -> str | None:
        """A word met before, its first and last letters alike, so that the sentence doesn't creak; this one is met."""
        met = self.met[word[0].isupper(), word[0].lower() in "aeiouyh", word[-2:]]
        others = [other for other in met if other != word]
        if word not in met and word.isalpha():
            met.append(word)
        return self.rng.choice(others) if others and word.isalpha() else None

    def placeholders(self, view: Aligned) -> Pair | None:
        """Words, names and numbers first, that are placeholders on both sides; or one put beside the sentence."""
        found = [phrase for phrase in content(view) if view.once(phrase)]
        same = [phrase for phrase in found if view.text(0, phrase[0]) == view.text(1, phrase[1])]
        chosen = sorted(self.some(same or found))
        form = self.rng.choice(FORMS) if not chosen or self.rng.random() < BESIDE else "{text}"
        symbols = [PLACEHOLDERS[k] for k in self.numbers(len(chosen) + 1)]
        beside = symbols.pop(0 if form.startswith("{symbol}") else -1)
        tags = self.numbers(len(chosen))
        edits: tuple[list[Edit], list[Edit]] = ([], [])
        for symbol, phrase in zip(symbols, chosen, strict=True):
            if self.rng.random() < WRAPPED:
                k = tags.pop(0)
                symbol = f"{OPENING[k]}{symbol}{CLOSING[k]}"
            for side in (0, 1):
                edits[side].append((*view.span(side, phrase[side]), symbol))
        source, target = (
            form.format(symbol=beside, text=edited(text, some)) for text, some in zip(view.pair, edits, strict=True)
        )
        return source, target

    def tags(self, view: Aligned) -> Pair | None:
        """One or two phrases in tags; the second beside the first, within it or around it."""
        found = phrases(view, LONGEST)
        if not found:
            return None
        chosen = [self.rng.choice(found)]
        if self.rng.random() < TWO:
            nested = self.rng.random() < NESTED
            others = [other for other in found if overlap(other, chosen[0]) == ("within" if nested else "apart")]
            chosen += [self.rng.choice(others)] if others else []
        chosen.sort(key=lambda phrase: (phrase[0][0], -phrase[0][1]))  # as protect numbers them
        numbers = self.numbers(len(chosen))
        source, target = (
            tagged(view.pair[side], [(view.span(side, p[side]), k) for p, k in zip(chosen, numbers, strict=True)])
            for side in (0, 1)
        )
        return source, target

    def some(self, found: list[Phrase]) -> list[Phrase]:
        """One phrase, or two that do not meet."""
        chosen: list[Phrase] = []
        for phrase in self.rng.sample(found, len(found)):
            if all(overlap(phrase, other) == "apart" for other in chosen):
                chosen.append(phrase)
            if len(chosen) > 1 or self.rng.random() >= TWO:
                break
        return chosen

    def numbers(self, count: int) -> list[int]:
        """Which symbols: the first ones, or any."""
        return list(range(count)) if self.rng.random() < IN_ORDER else self.rng.sample(range(MOST), count)


def as_in_a_list(view: Aligned, phrase: Phrase) -> str:
    """The phrase's translation as a list of terms has it: without the capital that only a sentence's begin has made."""
    wanted = view.text(1, phrase[1])
    made = phrase[1][0] == 0 and view.text(0, phrase[0])[0].islower() and wanted[1:].islower()
    return wanted[0].lower() + wanted[1:] if made else wanted


def edited(text: str, edits: Iterable[Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def tagged(text: str, marks: Sequence[tuple[Span, int]]) -> str:
    """The text with tags around spans, each with its symbols' number; of nested ones the outer comes first."""
    opening: dict[int, str] = defaultdict(str)
    closing: dict[int, str] = defaultdict(str)
    for (start, end), k in marks:
        opening[start] += OPENING[k]
        closing[end] = CLOSING[k] + closing[end]
    return "".join(closing[i] + opening[i] + text[i : i + 1] for i in range(len(text) + 1))
