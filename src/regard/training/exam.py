"""What a model is asked while it learns: pairs it is not taught. Loss, scores by really answering, and a sample."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from regard.corpus.batches import cut
from regard.corpus.encode import rating
from regard.corpus.labels import Rated
from regard.corpus.prepare import Corpus
from regard.corpus.texts import ALONE, Text, marked, wants_marks
from regard.engines.interface import Engine
from regard.engines.torch import TorchEngine
from regard.errors import InputError
from regard.evaluate.questions import Question, questions
from regard.evaluate.score import Score
from regard.evaluate.scores import scores
from regard.recipe import FilesSpec, Recipe
from regard.text.context import parted
from regard.text.symbols import BREAK
from regard.training.objective import Ids, Objective
from regard.translate.answer import Answerer
from regard.translate.taught import taught

ASKED = 1000  # sentences that are answered at each validation; the loss is over all
PIECE = 2048  # target tokens read together
LESS_IS_BETTER = ("wer", "per", "rmse", "perplexity", "loss")
JUDGED_BY = {
    "translation": "bleu", "g2p": "wer", "language": "perplexity", "fill": "accuracy", "classify": "accuracy",
    "ratings": "rmse",
}  # fmt: skip


class Result(NamedTuple):
    """What came out of a validation."""

    loss: float  # nats a token, or the squared error
    scores: dict[str, Score]
    sample: dict[str, str]


class Exam:
    """The questions of a validation."""

    def __init__(self, recipe: Recipe, corpus: Corpus, objective: Objective, device: str) -> None:
        self.recipe, self.corpus, self.objective, self.device = recipe, corpus, objective, device
        self.held = Held(recipe, corpus)
        self.questions = spread(self.questions_of(corpus.valid, recipe.data.valid))

    def questions_of(self, pairs: Sequence[tuple[str, str]], files: Sequence[FilesSpec] = ()) -> list[Question]:
        """What is asked of pairs that come from these files; without any they were held out."""
        lined = self.recipe.data.context > 0 or any(len(one.files) == 2 for one in files)
        return questions(self.recipe.task, [(source, [target]) for source, target in pairs], lined)

    def answerer(self, module: nn.Module, engine: Engine | None = None) -> Answerer:
        """Who answers by a module, in torch where no other engine runs it."""
        return Answerer(
            self.recipe.task,
            engine or TorchEngine(module, self.device),
            self.corpus.vocabulary,
            self.corpus.labels,
            self.recipe.source,
            self.recipe.target,
            taught(self.recipe, self.corpus.train.longest[0]),
        )

    def take(self, module: nn.Module) -> Result:
        """Asks a module everything."""
        loss = self.loss(module)
        said, found = answered(self.recipe, self.answerer(module), self.questions, beam=1)
        sample = self.sample(said)
        return Result(loss, found, sample)

    def loss(self, module: nn.Module) -> float:
        """The mean over all held-out pairs, with nothing dropped and nothing smoothed."""
        rows = cut(self.held.lengths, np.arange(len(self.held)), PIECE, np.random.default_rng(0))
        training, total, count = module.training, 0.0, 0
        module.eval()
        with torch.no_grad():
            for number, some in enumerate(rows):
                one = self.objective.loss(module, self.objective.batch(self.held, some, number), learning=False)
                total, count = total + float(one.total), count + one.things
        module.train(training)
        return total / count

    def sample(self, said: Sequence[str]) -> dict[str, str]:
        """One question, always the same, of middling length: an answer that gets better."""
        if not said:
            return {}
        order = sorted(range(len(said)), key=lambda i: len(self.questions[i][0]))
        chosen = order[len(order) * 2 // 3]
        source, wanted = self.questions[chosen]
        return {"source": source, "target": wanted[0], "said": said[chosen]}


class Held:
    """The held-out pairs as ids, in memory: what an objective asks of `Pairs`."""

    values: NDArray[np.float32] | None = None

    def __init__(self, recipe: Recipe, corpus: Corpus) -> None:
        if recipe.task == "ratings":
            self.pairs, self.values = known(corpus)
        else:
            self.pairs = [as_ids(recipe, pair, corpus) for pair in corpus.valid]
        self.lengths = np.array([(len(one), len(other)) for one, other in self.pairs], dtype=np.int32).reshape(-1, 2)

    def __len__(self) -> int:
        return len(self.pairs)

    def ids(self, row: int) -> tuple[list[int], list[int]]:
        return self.pairs[row]

    def links(self, row: int) -> NDArray[np.integer]:
        return np.empty((0, 2), np.int64)  # they guide only what is learnt

    def relinked(self, row: int, ids: tuple[Ids, Ids]) -> NDArray[np.integer]:
        return self.links(row)

    def sampled(self, rows: Sequence[int], alpha: float, seed: int) -> list[tuple[list[int], list[int]]]:
        """As they are: what is measured does not change from time to time."""
        return [self.pairs[row] for row in rows]


def known(corpus: Corpus) -> tuple[list[tuple[list[int], list[int]]], NDArray[np.float32]]:
    """The users and items that something is learnt of, and what is thought of them."""
    assert isinstance(corpus.labels, Rated)
    users, items = ({name: i for i, name in enumerate(names)} for names in (corpus.labels.users, corpus.labels.items))
    asked = [rating(Text(0, source, value)) for source, value in corpus.valid]
    found = [(users[user], items[item], value) for user, item, value in asked if user in users and item in items]
    if not found:
        raise InputError(f"none of {len(asked):,} ratings for validation is of a user and an item that are learnt from")
    return [([user], [item]) for user, item, _ in found], np.array([value for *_, value in found], dtype=np.float32)


def as_ids(recipe: Recipe, pair: tuple[str, str], corpus: Corpus) -> tuple[list[int], list[int]]:
    """A held-out pair's ids, as `Pairs` has them."""
    source, target = pair
    assert corpus.vocabulary is not None
    if recipe.task == "classify":
        assert isinstance(corpus.labels, list)
        return corpus.vocabulary.source.encode(source), [corpus.labels.index(target)]
    if recipe.data.placeholders and wants_marks(recipe) and corpus.vocabulary.source.knows(BREAK):
        front, last = parted(source)
        last, target = marked(last, target)
        source = front + last
    ids = corpus.vocabulary.target.encode(target or source)
    return ([] if recipe.task in ALONE else corpus.vocabulary.source.encode(source)), ids


def spread(asked: Sequence[Question]) -> list[Question]:
    """At most so many as a validation asks, from all over them: files are sorted by length, or by alphabet."""
    count = min(len(asked), ASKED)
    return [asked[i * len(asked) // count] for i in range(count)]


def answered(
    recipe: Recipe, answerer: Answerer, asked: Sequence[Question], beam: int
) -> tuple[list[str], dict[str, Score]]:
    """The answers, where the task has any, and what they score: first what it is judged by."""
    if recipe.task in ALONE:
        return [], answerer.measure([wanted[0] or source for source, wanted in asked])
    said = answerer.predict([source for source, _ in asked], beam=beam)
    found = scores(recipe.task, said, [wanted for _, wanted in asked], recipe.target)
    judge = judge_of(recipe)
    return said, {judge: found[judge], **found}


def judge_of(recipe: Recipe) -> str:
    """The score that a recipe's models are judged by; what we generate has one right answer, often of one word."""
    generated = recipe.task == "translation" and recipe.data.generate != "none"
    return "exact" if generated else JUDGED_BY[recipe.task]


def better(stop_on: str, result: Result) -> float:
    """What must grow: the first score, or the loss, the other way round where less is better."""
    name = "loss" if stop_on == "loss" else next(iter(result.scores))
    value = result.loss if name == "loss" else result.scores[name].value
    return -value if name in LESS_IS_BETTER else value
