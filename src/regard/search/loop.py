"""The one loop of every search: ask the model, rank the continuations, keep what is complete, go on with the best.

B sentences, N of them still searched, K beams, C candidates, V vocabulary.
"""

import math
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from regard.models.interface import Seq2Seq, State, reorder
from regard.search.beams import Beams, extend, first, go_on, keep
from regard.search.hypothesis import Hypothesis
from regard.search.rules import Rules
from regard.search.steps import Choices, Ended, Step, Steps

# (totals [N, K, V], log_probs [N, K, V], beams) -> candidates [N, C], best first. A total is a beam's score plus the
# token's log-probability, minus infinity where the rules forbid it; the log-probabilities are the model's own.
Rank = Callable[[Tensor, Tensor, Beams], Choices]


@dataclass(frozen=True)
class Plan:
    """In what one search differs from another."""

    rank: Rank  # which continuations are best
    beams: int = 1  # this and what follows: as in BeamOptions
    n_best: int = 1
    length_penalty: float = 1.0
    patience: float | None = 1.0

    def score(self, log_prob: float, length: int) -> float:
        """log_prob / length ** length_penalty"""
        return log_prob / math.pow(max(length, 1), self.length_penalty)


@dataclass
class Found:
    """The complete hypotheses of one sentence: the best K are kept."""

    plan: Plan
    kept: list[Hypothesis] = field(default_factory=list)  # best first
    count: int = 0

    def add(self, hypothesis: Hypothesis) -> None:
        self.count += 1
        insort(self.kept, hypothesis, key=lambda h: -h.score)
        del self.kept[self.plan.beams :]

    def enough(self, best: float, length: int, limit: int) -> bool:
        """Whether to stop, with the best running beam's summed log-probability `best` after `length` tokens.

        With patience p: after round(p K) hypotheses (Kasai et al. 2022, algorithm 1), or sooner if the beam could not
        enter the kept though all it still had to say, up to the limit, were certain. Without: if it could not enter
        them were it to end now, which is a guess where the length penalty favours what is longer.
        """
        patience = self.plan.patience
        if patience is not None and self.count >= stops_after(patience, self.plan.beams):
            return True
        if len(self.kept) < self.plan.beams:
            return False
        return self.plan.score(best, length if patience is None else limit) <= self.kept[-1].score


def stops_after(patience: float, beams: int) -> float:
    """round(p K), the number of hypotheses that ends a search; infinite patience: none does."""
    return patience if math.isinf(patience) else round(patience * beams)


@torch.inference_mode()
def search(model: Seq2Seq, source: Tensor, lengths: Tensor, rules: Rules, plan: Plan) -> Steps:
    """Searches for source and lengths as the model's `encode` takes them. The model's mode is the caller's: eval()."""
    found = [Found(plan) for _ in range(source.size(0))]
    beams = first(source.size(0), plan.beams, rules.options.start, source.device)
    each = beams.sentences.repeat_interleave(plan.beams)
    state = reorder(model.start(model.encode(source, lengths)), each, beams.sentences)
    while len(beams.sentences):
        logits, state = model.step(state, beams.ids[..., -1].flatten())
        if beams.time == 0:
            rules.check_vocabulary(logits.size(-1))
        log_probs = logits.float().log_softmax(-1).unflatten(0, (-1, plan.beams))
        totals = rules.forbid(beams.scores[..., None] + log_probs, beams)
        candidates = plan.rank(totals, log_probs, beams)
        survivors = go_on(candidates, rules.options.end, plan.beams)
        ended = (*complete(candidates, beams, rules, plan), *stuck(candidates, beams, rules, plan))
        for one in ended:
            found[one.sentence].add(one.hypothesis)
        yield Step(beams.time, beams.sentences, candidates, survivors, ended)
        rows = unfinished(survivors, beams, rules, found)
        state = follow(state, survivors.parents, rows)
        beams = keep(extend(beams, survivors), rows)
    return [sentence.kept[: plan.n_best] for sentence in found]


def complete(candidates: Choices, beams: Beams, rules: Rules, plan: Plan) -> tuple[Ended, ...]:
    """What is complete now: of the K best candidates those that end, and at its limit all of a sentence's."""
    last = rules.limits[beams.sentences] == beams.time + 1
    whole = ~candidates.scores.isneginf() & ((candidates.ids == rules.options.end) | last[:, None])
    rows, places = whole[:, : plan.beams].nonzero(as_tuple=True)
    parents = candidates.parents[rows, places]
    ids = torch.cat((beams.ids[rows, parents, 1:], candidates.ids[rows, places, None]), 1)
    log_probs = torch.cat((beams.log_probs[rows, parents], candidates.log_probs[rows, places, None]), 1)
    return put_down(beams.sentences[rows], parents, ids, log_probs, candidates.scores[rows, places], rules, plan)


def stuck(candidates: Choices, beams: Beams, rules: Rules, plan: Plan) -> tuple[Ended, ...]:
    """The beams of sentences where the rules leave no continuation at all are cut where they stand."""
    nothing = candidates.scores.isneginf().all(1, keepdim=True)
    rows, parents = (nothing & ~beams.scores.isneginf()).nonzero(as_tuple=True)
    ids, log_probs = beams.ids[rows, parents, 1:], beams.log_probs[rows, parents]
    return put_down(beams.sentences[rows], parents, ids, log_probs, beams.scores[rows, parents], rules, plan)


def put_down(
    sentences: Tensor, parents: Tensor, ids: Tensor, log_probs: Tensor, scores: Tensor, rules: Rules, plan: Plan
) -> tuple[Ended, ...]:
    """Hypotheses from ids and log_probs [M, T] and their sums [M]."""
    rows = zip(sentences.tolist(), parents.tolist(), ids.tolist(), log_probs.tolist(), scores.tolist(), strict=True)
    ended = []
    for sentence, parent, tokens, each, log_prob in rows:
        by_end = tokens[-1:] == [rules.options.end]
        spoken, score = tuple(tokens[:-1] if by_end else tokens), plan.score(log_prob, len(tokens))
        ended.append(Ended(sentence, parent, Hypothesis(spoken, log_prob, tuple(each), score, by_end)))
    return tuple(ended)


def unfinished(survivors: Choices, beams: Beams, rules: Rules, found: list[Found]) -> Tensor:
    """The rows of the sentences that go on."""
    length = beams.time + 1
    best = survivors.scores.amax(1).tolist()
    limits = rules.limits[beams.sentences].tolist()
    rows = [
        row
        for row, sentence in enumerate(beams.sentences.tolist())
        if best[row] > -math.inf and length < limits[row] and not found[sentence].enough(best[row], length, limits[row])
    ]
    return torch.tensor(rows, dtype=torch.long, device=survivors.ids.device)


def follow(state: State, parents: Tensor, rows: Tensor) -> State:
    """The model's state behind the parents [N, K] of the rows that go on; untouched where none has moved."""
    batch, width = parents.shape
    index = (rows[:, None] * width + parents[rows]).flatten()
    same = torch.equal(index, torch.arange(batch * width, device=index.device))
    return state if same else reorder(state, index, rows)
