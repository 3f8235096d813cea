"""Phrases that must appear in a target: a beam search that keeps places for hypotheses at each stage of meeting them.

Dynamic beam allocation (Post and Vilar 2018, section 3). N sentences still searched, K beams, V vocabulary.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import zip_longest

import torch
from torch import Tensor

from regard.errors import InputError
from regard.search.beams import Beams, best, look_up
from regard.search.rules import Rules, one_each
from regard.search.steps import Choices

Pool = dict[tuple[int, int], float]  # of a beam and the token behind it, the score


class Phrase:
    """A phrase, and how much of its beginning the newest tokens are (Knuth, Morris and Pratt 1977)."""

    def __init__(self, ids: Sequence[int], count: int) -> None:
        self.ids, self.count = tuple(ids), count  # it must come so many times, one behind the other
        self.borders = [0, 0]  # of each beginning, how much of it is also its end: where a mismatch falls back to
        for token in self.ids[1:]:
            self.borders.append(self.advance(self.borders[-1], token))

    def advance(self, matched: int, token: int) -> int:
        """With `matched` tokens seen, how many are after one more: a a b, after a a, has two again with another a."""
        while matched and self.ids[matched] != token:
            matched = self.borders[matched]
        return matched + (self.ids[matched] == token)


@dataclass(frozen=True)
class Progress:
    """How far a hypothesis is, for each phrase."""

    left: tuple[int, ...]  # how many times it must still come
    matched: tuple[int, ...]  # how many of its tokens the hypothesis ends with


class Phrases:
    """All that one sentence's target must contain."""

    def __init__(self, phrases: Iterable[Sequence[int]]) -> None:
        self.phrases = [Phrase(ids, count) for ids, count in Counter(map(tuple, phrases)).items()]
        self.total = sum(len(phrase.ids) * phrase.count for phrase in self.phrases)
        self.begin = Progress(tuple(phrase.count for phrase in self.phrases), (0,) * len(self.phrases))

    def read(self, ids: Sequence[int]) -> Progress:
        return reduce(self.advance, ids, self.begin)

    def advance(self, progress: Progress, token: int) -> Progress:
        left, matched = list(progress.left), list(progress.matched)
        for i, phrase in enumerate(self.phrases):
            if left[i]:
                matched[i] = phrase.advance(matched[i], token)
                if matched[i] == len(phrase.ids):
                    left[i], matched[i] = left[i] - 1, 0
        return Progress(tuple(left), tuple(matched))

    def wanted(self, progress: Progress) -> set[int]:
        """The tokens that bring some phrase on."""
        stages = zip(self.phrases, progress.left, progress.matched, strict=True)
        return {phrase.ids[matched] for phrase, left, matched in stages if left}

    def missing(self, progress: Progress) -> int:
        """How many tokens are enough to meet the rest: the phrase that is furthest on first, then each in turn."""
        rest = sum(len(phrase.ids) * left for phrase, left in zip(self.phrases, progress.left, strict=True))
        return rest - max(progress.matched, default=0)


class Constrained:
    """Ranks the continuations so that all phrases are met; sentences without any are ranked by score alone."""

    def __init__(self, phrases: Sequence[Sequence[Sequence[int]]], rules: Rules) -> None:
        one_each("phrases", len(phrases), len(rules.limits))
        self.phrases, self.rules = [Phrases(sentence) for sentence in phrases], rules
        for i, (known, prefix) in enumerate(zip(self.phrases, rules.prefixes, strict=True)):
            missing, left = known.missing(known.read(prefix)), int(rules.limits[i]) - len(prefix)
            if missing > left:
                raise InputError(f"sentence {i}: its phrases need {missing} tokens more; its limit leaves {left}")

    def __call__(self, totals: Tensor, log_probs: Tensor, beams: Beams) -> Choices:
        """The 2K best candidates of each sentence: as `best` gives them, or dealt out where phrases are to be met."""
        end, time = self.rules.options.end, beams.time
        stages = {row: self.read(sentence, beams.ids[row]) for row, sentence in self.concerned(beams)}
        for row, progress in stages.items():
            unmet = torch.tensor([any(stage.left) for stage in progress], device=totals.device)
            totals[row, :, end].masked_fill_(unmet, -torch.inf)
        plain = best(totals, log_probs, beams)
        parents, ids, empty = plain.parents.clone(), plain.ids.clone(), plain.scores.isneginf()
        for row, sentence in self.concerned(beams):
            pool = collect(self.phrases[sentence], stages[row], row, plain, totals, log_probs, beams)
            left = int(self.rules.limits[sentence]) - time - 1
            dealt = deal(self.phrases[sentence], stages[row], pool, left)[: ids.size(1)]
            empty[row] = torch.arange(ids.size(1), device=ids.device) >= len(dealt)
            for place, (parent, token) in enumerate(dealt):
                parents[row, place], ids[row, place] = parent, token
        chosen = look_up(parents, ids, log_probs, beams)
        return Choices(parents, ids, chosen.log_probs, chosen.scores.masked_fill(empty, -torch.inf))

    def concerned(self, beams: Beams) -> list[tuple[int, int]]:
        """The rows, and their sentences, that have phrases and are past their prefix."""
        rows = enumerate(beams.sentences.tolist())
        return [(r, s) for r, s in rows if self.phrases[s].total and beams.time >= len(self.rules.prefixes[s])]

    def read(self, sentence: int, ids: Tensor) -> list[Progress]:
        """How far each beam of a sentence is; ids [K, 1 + T]."""
        return [self.phrases[sentence].read(tokens) for tokens in ids[:, 1:].tolist()]


def collect(
    known: Phrases, stages: list[Progress], row: int, plain: Choices, totals: Tensor, log_probs: Tensor, beams: Beams
) -> Pool:
    """A sentence's candidates: the best of all, the best of each beam, and all that bring a phrase of a beam on."""
    places = zip(plain.parents[row].tolist(), plain.ids[row].tolist(), strict=True)
    pool: Pool = dict(zip(places, plain.scores[row].tolist(), strict=True))
    scores, ids = (x.tolist() for x in totals[row].max(-1))
    pool.update({(k, token): score for k, (token, score) in enumerate(zip(ids, scores, strict=True))})
    tokens = sorted({token for stage in stages for token in known.wanted(stage)})
    wanted = (beams.scores[row, :, None] + log_probs[row][:, tokens]).tolist()
    for k, stage in enumerate(stages):
        pool.update({(k, token): wanted[k][tokens.index(token)] for token in known.wanted(stage)})
    return {place: score for place, score in pool.items() if score > -math.inf}


def deal(known: Phrases, stages: list[Progress], pool: Pool, left: int) -> list[tuple[int, int]]:
    """Orders the pool so that any first K of it are shared among the banks, a bank for each number of missing tokens.

    Round after round each bank gives its best, the bank with the least missing first. Whoever could no longer meet all
    phrases in the tokens that are left is out.
    """
    banks: dict[int, list[tuple[int, int]]] = {}
    for parent, token in sorted(pool, key=lambda place: (-pool[place], place)):
        missing = known.missing(known.advance(stages[parent], token))
        if missing <= left:
            banks.setdefault(missing, []).append((parent, token))
    rounds = zip_longest(*(banks[missing] for missing in sorted(banks)))
    return [place for places in rounds for place in places if place is not None]
