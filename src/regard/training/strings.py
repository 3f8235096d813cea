"""The smoke task of every model: strings and what becomes of them, learnt from nothing in seconds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch

from regard.corpus.batches import Batch, in_batches, make_batch
from regard.corpus.generate import strings
from regard.look.record import record
from regard.models.build import build
from regard.models.interface import Seq2Seq
from regard.recipe import Recipe
from regard.search.greedy import GreedyOptions, greedy
from regard.search.steps import finish
from regard.text.letters import BOS, EOS, PAD, UNK, Letters
from regard.training.loop import train

HELD_OUT_SEED = 2**31  # the strings that are asked for are not those that were taught
SPARE = 4  # an answer may be so many letters longer than what is right before it is cut
CROSS = ".cross"  # what the attention to the source is called, in whatever layer


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is learnt: "copy" or "reverse", on random strings."""

    name: str = "reverse"
    alphabet: str = "abcdefghijklmnopqrstuvwxyz"
    shortest: int = 2
    longest: int = 10
    pairs: int = 64  # in a batch


class Lesson(NamedTuple):
    """How far the learning has come."""

    step: int
    loss: float
    exact: float | None  # the share of unseen strings answered without a fault, every so many steps


class Pupil:
    """A model that learns strings."""

    def __init__(self, recipe: Recipe, task: Task) -> None:
        torch.manual_seed(recipe.seed)
        self.recipe, self.task, self.letters = recipe, task, Letters(task.alphabet)
        model = build(recipe.model, len(self.letters), len(self.letters))
        assert isinstance(model, Seq2Seq), "strings become strings"
        self.model = model

    def batches(self, seed: int) -> Iterator[Batch]:
        """Batches of random strings without end."""
        task = self.task
        pairs = strings(task.name, task.alphabet, task.shortest, task.longest, seed)
        encode = self.letters.encode
        return in_batches(((encode(one), encode(other)) for one, other in pairs), task.pairs)

    def learn(self, asked_every: int, asked: int = 500) -> Iterator[Lesson]:
        """Trains; every so many steps it is asked for so many unseen strings."""
        unseen = strings(self.task.name, self.task.alphabet, self.task.shortest, self.task.longest, HELD_OUT_SEED)
        exam = [next(unseen) for _ in range(asked)]
        for step, loss, _ in train(self.model, self.batches(self.recipe.seed), self.recipe.training):
            exact = None
            if step % asked_every == 0:
                answers = self.answer([question for question, _ in exam])
                exact = sum(a == wanted for a, (_, wanted) in zip(answers, exam, strict=True)) / asked
                self.model.train()
            yield Lesson(step, loss, exact)

    def answer(self, texts: Sequence[str]) -> list[str]:
        """What the model makes of the texts, letter by letter, each the likeliest."""
        self.model.eval()
        batch = make_batch([(self.letters.encode(text), []) for text in texts])
        limit = max(map(len, texts)) + SPARE
        options = GreedyOptions(start=BOS, end=EOS, limit=limit, banned=(UNK, PAD, BOS))
        found = finish(greedy(self.model, torch.from_numpy(batch.source), torch.from_numpy(batch.lengths), options))
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
