"""Which precision and which pieces are fastest here: a few of each are learnt, and the weights forgotten."""

import time
from collections.abc import Iterator

import numpy as np
import torch
from torch import nn

from regard.corpus.batches import Rows, cut
from regard.corpus.pairs import Pairs
from regard.recipe import Recipe
from regard.training.crew import Learner
from regard.training.flat import Flat
from regard.training.objective import make_objective
from regard.training.settings import Settings, Timing, best, candidates

SECONDS = 0.7  # for each way, after a first piece that warms up
SAMPLE = 20_000  # pairs that pieces are cut from


def measured(recipe: Recipe, module: nn.Module, pairs: Pairs, mask: int, device: str) -> tuple[Settings, list[Timing]]:
    """The fastest settings, and what each way took; the module's gradients are rubbish afterwards."""
    timings = [timed(recipe, module, pairs, mask, *way) for way in candidates(recipe.training, device)]
    return best(timings, recipe.training, device), timings


def timed(recipe: Recipe, module: nn.Module, pairs: Pairs, mask: int, precision: str, piece: int) -> Timing:
    """One way's speed, on pieces drawn at random."""
    settings = Settings(precision=precision, piece=piece)
    learner = Learner(recipe, module, Flat(module), make_objective(recipe, module, settings.dtype, mask), pairs)
    tokens, began = 0, 0.0
    for number, rows in enumerate(pieces(pairs, piece, recipe.seed)):
        if number == 1:
            tokens, began = 0, time.perf_counter()
        tokens += learner.learn(0, [(number, rows)]).tokens
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        if number >= 2 and time.perf_counter() - began > SECONDS:
            break
    return Timing(precision, piece, tokens / (time.perf_counter() - began))


def pieces(pairs: Pairs, piece: int, seed: int) -> Iterator[Rows]:
    """Pieces in random order, without end."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(pairs))[:SAMPLE]
    while True:
        yield from cut(pairs.lengths, rows, piece, rng)
