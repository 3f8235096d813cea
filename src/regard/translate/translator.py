"""Lines to lines: cut where they are too long, what must stay protected, the rest through tokens, a search, and tokens.

What is wrong with an answer is seen, and asked again: nothing said, going round in circles, a placeholder astray.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from regard.evaluate.calibrate import Curve
from regard.text.context import parted
from regard.text.protect import find, protect_pair
from regard.text.symbols import CLOSING, OPENING, PLACEHOLDERS, UNK, is_symbol
from regard.text.tokens import Vocabulary
from regard.translate.ask import Ask, ask_of, with_strange
from regard.translate.faults import circles, straightened
from regard.translate.parts import Part, parts
from regard.translate.shape import shaped, spaced, speaks
from regard.translate.taught import REACH
from regard.translate.translation import Translation

if TYPE_CHECKING:
    from regard.engines.interface import Engine
    from regard.search.hypothesis import Hypothesis

BEAM = 5
MOST = 4000  # tokens that an engine is asked which knows no limit
NO_REPEAT = 3  # tokens that may not come again once an answer went round in circles
SILENT = "the model says nothing to this; it stays as it is"
CIRCLED = "the model went round in circles here; this is what it said until then"
APART = "something that must stay was lost, or is unknown; what stands around it was translated by itself"


class Answer(NamedTuple):
    """A part's translation."""

    text: str
    log_prob: float = 0.0
    tokens: int = 0  # that this is the sum over
    warnings: tuple[str, ...] = ()


class Translator:
    """Translates line by line, each by itself."""

    def __init__(
        self,
        engine: "Engine",
        vocabulary: Vocabulary,
        source: str,
        target: str,
        protects: bool = True,
        context: bool = False,
        figures: bool = False,
        reach: int = REACH,
        curve: Curve | None = None,
    ) -> None:
        """What the model was taught, see `Taught`, and how good that will be which it is so and so sure of.

        With context the texts may have sentences before them, as text/context.py puts them; without placeholders these
        are in its texts as they are.
        """
        self.engine, self.vocabulary = engine, vocabulary
        self.source, self.target, self.context, self.figures = source, target, context, figures
        self.curve = curve
        symbols = (PLACEHOLDERS[0], OPENING[0], CLOSING[0])
        self.protects = protects and not any(UNK in vocabulary.source.encode(symbol) for symbol in symbols)
        self.most = MOST if engine.longest is None else engine.longest - 1  # tokens that can be read at all
        self.reach = min(reach, self.most)

    def translate(self, texts: Sequence[str], beam: int = BEAM, length_penalty: float = 1.0) -> list[Translation]:
        """A translation for each text. White space around a text stays, and so does a text without a letter."""
        pairs = [parted(text) if self.context else ("", text) for text in map(whole, texts)]
        cut = [self.cut(line) for _, line in pairs]
        asked = [(front, part.text) for (front, _), some in zip(pairs, cut, strict=True) for part in some]
        answers = iter(self.answers(asked, beam, length_penalty))
        return [
            translation(line, self.target, [(part, next(answers)) for part in some], self.curve)
            for (_, line), some in zip(pairs, cut, strict=True)
        ]

    def protect_pair(self, source: str, target: str) -> tuple[str, str]:
        """Both sides as the model has learnt such pairs."""
        both = protect_pair(source, target) if self.protects else None
        return (source, target) if both is None else (both[0].text, both[1].text)

    def cut(self, line: str) -> list[Part]:
        """The parts of a line that are translated each by itself: mostly one; none where there is nothing to say."""
        inner = line.strip()
        kept = [span for item in find(inner) for span in item.spans]
        if not (inner if self.figures else speaks(inner, kept)):
            return []
        if len(inner) < self.reach:  # no token is less than a character
            return [Part(inner, "")]
        return parts(inner, kept, self.sizes, self.reach, self.source)

    def sizes(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text is asked in."""
        asks = [ask_of("", text, self.protects) for text in texts]
        return list(map(len, self.vocabulary.source.encode_all([ask.text for ask in asks])))

    def answers(self, texts: Sequence[tuple[str, str]], beam: int, length_penalty: float) -> list[Answer]:
        """A translation of each text, before which stands what it follows."""
        asks = [ask_of(front, text, self.protects) for front, text in texts]
        ids = self.encoded(asks)
        for row in [row for row, some in enumerate(ids) if UNK in some or len(some) > self.most]:
            asks[row] = self.fitted(asks[row], len(ids[row]))
            ids[row] = self.encoded([asks[row]])[0]
        found = self.searched(asks, ids, beam, length_penalty)
        return [
            self.apart(ask, beam, length_penalty) if answer is None else answer
            for ask, answer in zip(asks, found, strict=True)
        ]

    def fitted(self, ask: Ask, size: int) -> Ask:
        """The same without what the engine cannot read: unknown characters, too long contexts, endless addresses."""
        if size > self.most:
            ask = ask._replace(front="", held=[span for item in find(ask.text) for span in item.spans])
        return ask if ask.held else with_strange(ask, self.vocabulary.source, self.protects)

    def encoded(self, asks: Sequence[Ask]) -> list[list[int]]:
        return self.vocabulary.source.encode_all([ask.front + ask.text for ask in asks])

    def searched(
        self, asks: Sequence[Ask], ids: Sequence[list[int]], beam: int, length_penalty: float
    ) -> list[Answer | None]:
        """The best right answer to each; None where only what must stay went astray."""
        found: list[Answer | None] = [None] * len(asks)
        rows = [row for row, ask in enumerate(asks) if not ask.held]
        last: dict[int, list[Hypothesis]] = {}
        for width, n_best, no_repeat in ((beam, 1, 0), (BEAM, BEAM, 0), (BEAM, BEAM, NO_REPEAT)):
            asked = [ids[row] for row in rows]
            said = self.engine.search(
                asked, beam=width, n_best=n_best, length_penalty=length_penalty, no_repeat=no_repeat
            )
            last.update(zip(rows, said, strict=True))
            for row in rows:
                found[row] = next(filter(None, (self.right(asks[row], ids[row], one) for one in last[row])), None)
            rows = [row for row in rows if found[row] is None]
            if not rows:
                break
        for row in rows:
            found[row] = self.makeshift(asks[row], ids[row], last[row])
        return found

    def right(self, ask: Ask, source: Sequence[int], hypothesis: "Hypothesis") -> Answer | None:
        """A hypothesis as an answer, if nothing is wrong with it."""
        text = self.said(ask, hypothesis.ids)
        if not text or circles(hypothesis.ids, source) or not ask.whole(text):
            return None
        return Answer(ask.restored(text), hypothesis.log_prob, len(hypothesis.ids) + hypothesis.ended)

    def said(self, ask: Ask, ids: Sequence[int]) -> str:
        """Tokens as text, without symbols that stand for nothing here."""
        text = self.vocabulary.target.decode(ids)
        return "".join(c for c in text if c in ask.kept or not is_symbol(c)).strip()

    def makeshift(self, ask: Ask, source: Sequence[int], hypotheses: Iterable["Hypothesis"]) -> Answer | None:
        """What can be said where nothing was right: None if it may be said in pieces."""
        texts = [self.said(ask, one.ids) for one in hypotheses]
        if not any(texts):
            return Answer(ask.source, warnings=(SILENT,))
        straight = ((self.said(ask, straightened(one.ids, source)), one) for one in hypotheses)
        for text, one in straight:
            if text and ask.whole(text):
                return Answer(ask.restored(text), one.log_prob, len(one.ids), (CIRCLED,))
        return None

    def apart(self, ask: Ask, beam: int, length_penalty: float) -> Answer:
        """What stands between the things that must stay, each translated by itself."""
        pieces = ask.pieces()
        if len(pieces) == 1:
            return Answer(ask.source, warnings=(SILENT,))
        spoken = [("", text.strip()) for text, _ in pieces if speaks(text)]
        answers = self.answers(spoken, beam, length_penalty)
        rest = iter(answers)
        text = "".join((spaced(next(rest).text, text) if speaks(text) else text) + kept for text, kept in pieces)
        warnings = (APART, *(warning for one in answers for warning in one.warnings))
        return Answer(text, sum(one.log_prob for one in answers), sum(one.tokens for one in answers), warnings)


def whole(text: str) -> str:
    """The text with U+FFFD for half a character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def translation(
    line: str, language: str, said: Sequence[tuple[Part, Answer]], curve: Curve | None = None
) -> Translation:
    """A line's translation out of its parts'."""
    if not said:
        return Translation(line, line)
    text = "".join(shaped(answer.text, part.text, language) + part.space for part, answer in said)
    tokens = sum(answer.tokens for _, answer in said)
    score = sum(answer.log_prob for _, answer in said) / tokens if tokens else None
    confidence = None if curve is None or score is None else curve.at(score)
    warnings = dict.fromkeys(warning for _, answer in said for warning in answer.warnings)
    return Translation(line, spaced(text, line), score, confidence, warnings=tuple(warnings))
