"""The smoke task of every model: strings and what becomes of them, learnt from nothing in seconds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import torch

from regard.corpus.batches import in_batches, make_batch
from regard.corpus.generate import Pair, strings
from regard.look.record import record
from regard.models.build import build
from regard.models.interface import Seq2Seq
from regard.recipe import Recipe
from regard.search.greedy import GreedyOptions, greedy
from regard.search.steps import finish
from regard.text.letters import Letters
from regard.text.symbols import BOS, EOS, PAD, UNK
from regard.training.loop import Progress, train

EXAM_SEED = 2**31  # of the strings that are asked for; they are left out of those that are taught
SPARE = 4  # an answer may be so many letters longer than what is right before it is cut
CROSS = ".cross"  # what the attention to the source is called, in whatever layer


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is learnt: "copy" or "reverse", on random strings."""

    name: str = "reverse"
    alphabet: str = "abcdefghijklmnopqrstuvwxyz"
    shortest: int = 2
    longest: int = 10

    def pairs(self, seed: int) -> Iterator[Pair]:
        """Strings and answers without end."""
        return strings(self.name, self.alphabet, self.shortest, self.longest, seed)


class Pupil:
    """A model that learns strings, and is asked for others than it was taught."""

    def __init__(self, recipe: Recipe, task: Task, asked: int = 500) -> None:
        torch.manual_seed(recipe.seed)
        self.recipe, self.task, self.letters = recipe, task, Letters(task.alphabet)
        self.exam = list(islice(task.pairs(EXAM_SEED), asked))
        model = build(recipe.model, len(self.letters), len(self.letters))
        assert isinstance(model, Seq2Seq), "strings become strings"
        self.model = model

    def taught(self) -> Iterator[Pair]:
        """Strings without end, none of them in the exam."""
        asked = {question for question, _ in self.exam}
        return (pair for pair in self.task.pairs(self.recipe.seed) if pair[0] not in asked)

    def learn(self) -> Iterator[Progress]:
        """Trains; yields after each step."""
        encode = self.letters.encode
        ids = ((encode(one), encode(other)) for one, other in self.taught())
        yield from train(self.model, in_batches(ids, self.recipe.training.batch), self.recipe.training)

    def exact(self) -> float:
        """The share of the exam that is answered without a fault."""
        answers = self.answer([question for question, _ in self.exam])
        right = [answer == wanted for answer, (_, wanted) in zip(answers, self.exam, strict=True)]
        return sum(right) / len(right)

    def answer(self, texts: Sequence[str]) -> list[str]:
        """What the model makes of the texts, letter by letter, each the likeliest."""
        training = self.model.training
        self.model.eval()
        batch = make_batch([(self.letters.encode(text), []) for text in texts])
        limit = max(map(len, texts)) + SPARE
        options = GreedyOptions(start=BOS, end=EOS, limit=limit, banned=(UNK, PAD, BOS))
        found = finish(greedy(self.model, torch.from_numpy(batch.source), torch.from_numpy(batch.lengths), options))
        self.model.train(training)
        return [self.letters.decode(best.ids) for best, *_ in found]

    def cross_attention(self, text: str, answer: str) -> list[list[float]]:
        """What each letter of the answer, and its end, attended to: the last layer's mean over the heads, [T][S]."""
        self.model.eval()
        batch = make_batch([(self.letters.encode(text), self.letters.encode(answer))])
        with torch.inference_mode(), record(self.model) as seen:
            self.model(*(torch.from_numpy(ids) for ids in batch[:3]))
        steps = [tensors["weights"] for path, tensors in seen.items() if path.endswith(CROSS)][-1]
        weights: list[list[float]] = torch.cat(steps, 2)[0].mean(0).tolist()  # one look at all, or one a step
        return weights
