"""Who answers for a model, whatever its task: text in, text out.

translation     the sentence in the other language
g2p             the sounds of a word
classify        a label
ratings         of "user <tab> item", a number
language        the text and what may follow it
fill            the text with each ___ closed
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from regard.corpus.labels import Labels, Rated
from regard.errors import InputError
from regard.evaluate.calibrate import Curve
from regard.evaluate.score import Score
from regard.text.tidy import tidy
from regard.text.tokens import Vocabulary
from regard.translate.gaps import Gaps
from regard.translate.language import Writer
from regard.translate.ratings import Critic
from regard.translate.shape import spaced
from regard.translate.taught import USUAL, Taught
from regard.translate.translator import BEAM, Translator

if TYPE_CHECKING:
    from regard.engines.interface import Engine
    from regard.engines.torch import TorchEngine

SPEAKING = ("translation", "g2p", "language")  # tasks whose answers are sequences of tokens


class Answerer:
    """A model of some task, with all that turns texts into its numbers and its numbers into text."""

    def __init__(
        self,
        task: str,
        engine: "Engine",
        vocabulary: Vocabulary | None,
        labels: Labels | None,
        source: str,
        target: str,
        taught: Taught = USUAL,
        curve: Curve | None = None,
    ) -> None:
        self.task, self.engine, self.source, self.target, self.taught = task, engine, source, target, taught
        self._vocabulary, self.labels, self.curve = vocabulary, labels, curve

    @property
    def vocabulary(self) -> Vocabulary:
        assert self._vocabulary is not None, "only ratings have none"
        return self._vocabulary

    @property
    def torch(self) -> "TorchEngine":
        """The engine of what only torch runs."""
        return cast("TorchEngine", self.engine)

    @cached_property
    def translator(self) -> Translator:
        return Translator(self.engine, self.vocabulary, self.source, self.target, *self.taught, self.curve)

    @cached_property
    def gaps(self) -> Gaps:
        return Gaps(self.torch, self.vocabulary.target)

    @cached_property
    def writer(self) -> Writer:
        return Writer(self.engine, self.vocabulary.target)

    @cached_property
    def critic(self) -> Critic:
        assert isinstance(self.labels, Rated)
        return Critic(self.torch, self.labels)

    def predict(self, texts: Sequence[str], beam: int = BEAM) -> list[str]:
        """An answer to each text. White space around a text stays, and so does a text that is nothing else.

        `beam` is for translation and g2p.
        """
        asked = [text for text in map(tidy, texts) if text]
        answers = iter(self.answer(asked, beam) if asked else [])
        return [spaced(next(answers), text) if text.strip() else text for text in texts]

    def answer(self, texts: Sequence[str], beam: int) -> list[str]:
        if self.task == "translation":
            return [one.text for one in self.translator.translate(texts, beam)]
        if self.task == "g2p":
            return self.sound(texts, beam)
        if self.task == "classify":
            return self.label(texts)
        if self.task == "ratings":
            return self.critic.rate(texts)
        return self.writer.go_on(texts) if self.task == "language" else self.gaps.close(texts)

    def sound(self, texts: Sequence[str], beam: int) -> list[str]:
        found = self.engine.search(self.vocabulary.source.encode_all(texts), beam=beam)
        return [self.vocabulary.target.decode(best.ids) for best, *_ in found]

    def label(self, texts: Sequence[str]) -> list[str]:
        assert isinstance(self.labels, list)
        logits = self.torch.label(self.vocabulary.source.encode_all(texts))
        return [self.labels[int(one.argmax())] for one in logits]

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The summed log-probability of each target after its source; a language model has no sources."""
        if self.task not in SPEAKING:
            raise InputError(f"a model for {self.task} says no sentences; score is for {', '.join(SPEAKING)}")
        pairs = [(tidy(source), tidy(target)) for source, target in pairs]
        if self.task == "translation":
            pairs = [self.translator.protect_pair(source, target) for source, target in pairs]
        sources, targets = ([pair[side] for pair in pairs] for side in (0, 1))
        asked = [[]] * len(pairs) if self.task == "language" else self.vocabulary.source.encode_all(sources)
        return [one.log_prob for one in self.engine.score(asked, self.vocabulary.target.encode_all(targets))]

    def measure(self, texts: Sequence[str]) -> dict[str, Score]:
        """How well a model for language or fill foresees texts; those of white space alone don't count."""
        counted = [text for text in map(tidy, texts) if text]
        if not counted:
            raise InputError("no text to measure; give a sentence a line")
        if self.task == "language":
            return self.writer.measure(counted)
        if self.task == "fill":
            return self.gaps.measure(counted)
        raise InputError(f"a model for {self.task} is not measured on texts alone; give it questions and their answers")
