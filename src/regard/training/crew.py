"""Several processes train one model: each reads some pieces of a step, and the gradients are added up.

All see the same weights, in shared memory; each has gradients of its own there. What is drawn (dropout, hidden words,
subword sampling) is a function of seed, step and piece, so nothing of it need be saved.
"""

import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.multiprocessing as multiprocessing
from torch import Tensor, nn

from regard.corpus.batches import Rows
from regard.corpus.pairs import Pairs
from regard.corpus.shelter import sheltered
from regard.corpus.workers import nameless_main
from regard.errors import RegardError
from regard.models.build import build
from regard.recipe import Recipe
from regard.text.tokens import Vocabulary
from regard.training.flat import Flat
from regard.training.objective import Objective, make_objective
from regard.training.settings import Settings, keep_memory
from regard.training.threads import one_thread

LARGE = 1_000_003  # a prime, to make one seed of several numbers


class Share(NamedTuple):
    """What one worker did of a step."""

    loss: float
    things: int  # that it is the sum over
    tokens: int  # of the target
    cpu_seconds: float  # that the other workers have used so far


class Learner:
    """A model that learns pieces: the gradients of their losses add up in its flat."""

    def __init__(self, recipe: Recipe, module: nn.Module, flat: Flat, objective: Objective, pairs: Pairs) -> None:
        self.recipe, self.module, self.flat, self.objective, self.pairs = recipe, module, flat, objective, pairs

    def learn(self, step: int, pieces: Sequence[tuple[int, Rows]]) -> Share:
        """The pieces, each with its number in the step."""
        self.flat.grads.zero_()
        self.module.train()
        loss: Tensor | float = 0.0
        count = tokens = 0
        for number, rows in pieces:
            seed = drawn(self.recipe.seed, step, number)
            batch = self.objective.batch(self.pairs, rows, seed)
            torch.manual_seed(seed)
            total, counted = self.objective.loss(self.module, batch)
            total.backward()
            loss = loss + total.detach()
            count += counted
            tokens += int(self.pairs.lengths[rows, 1].sum()) + len(rows)
        return Share(float(loss), count, tokens, time.process_time())


def drawn(seed: int, step: int, number: int) -> int:
    return ((seed * LARGE + step) * LARGE + number) % 2**63


class Crew:
    """This process's learner, and those of the others."""

    def __init__(self, learner: Learner, settings: Settings, sizes: Sequence[int], mask: int) -> None:
        self.learner = learner
        self.grads: list[Tensor] = []
        self.pipes: list[Connection] = []
        self.workers: list[SpawnProcess] = []
        self.at_exit = Finalize(
            None, self.close, exitpriority=1
        )  # an exit waits for the workers, and they for the pipes' end
        if settings.workers > 1:  # the parameters of model and optimizer are views of it, and stay so
            learner.flat.values.share_memory_()
        try:
            for _ in range(settings.workers - 1):
                self.hire(settings, tuple(sizes), mask)
        except BaseException:
            self.close()  # else who is there waits for ever, and this process for him
            raise

    def hire(self, settings: Settings, sizes: tuple[int, ...], mask: int) -> None:
        """Starts another worker."""
        learner, context = self.learner, multiprocessing.get_context("spawn")
        grads = torch.zeros_like(learner.flat.grads).share_memory_()
        ours, theirs = context.Pipe()
        self.pipes.append(ours)
        pairs = learner.pairs
        job = Job(learner.recipe, settings, pairs.folder, pairs.vocabulary, sizes, mask, learner.flat.values, grads)
        worker = context.Process(target=work, args=(job, theirs), daemon=True)
        with nameless_main(), sheltered():
            worker.start()
        theirs.close()
        self.grads.append(grads)
        self.workers.append(worker)

    def learn(self, step: int, pieces: Sequence[Rows]) -> Share:
        """All pieces of a step; the gradients' sum is then in this process's flat."""
        shares = dealt([(i, rows) for i, rows in enumerate(pieces)], 1 + len(self.pipes))
        for pipe, some in zip(self.pipes, shares[1:], strict=True):
            with suppress(ConnectionError):  # it has ended: so says who receives
                pipe.send((step, some))
        done = [self.learner.learn(step, shares[0])._replace(cpu_seconds=0.0)]
        for pipe, worker, grads in zip(self.pipes, self.workers, self.grads, strict=True):
            done.append(Share(*received(pipe, worker)))
            self.learner.flat.grads += grads
        return Share(*(sum(column) for column in zip(*done, strict=True)))

    def close(self) -> None:
        """Lets the workers go, and waits until they have gone."""
        self.at_exit.cancel()
        for pipe in self.pipes:
            pipe.close()
        for worker in self.workers:
            if worker.is_alive():
                worker.join()


class Job(NamedTuple):
    """What a worker is told at its start."""

    recipe: Recipe
    settings: Settings
    folder: Path
    vocabulary: Vocabulary | None
    sizes: tuple[int, ...]
    mask: int
    values: Tensor
    grads: Tensor


def dealt(pieces: Sequence[tuple[int, Rows]], hands: int) -> list[list[tuple[int, Rows]]]:
    """The pieces dealt out like cards."""
    return [list(pieces[i::hands]) for i in range(hands)]


def received(pipe: Connection, worker: SpawnProcess) -> tuple[Any, ...]:
    try:
        found = pipe.recv()
    except (EOFError, ConnectionError):
        worker.join()
        code = worker.exitcode or 0
        how = f"was ended by signal {-code}" if code < 0 else "ended by itself; what it said stands above"
        raise RegardError(f"a worker process {how}; the same command goes on from the last checkpoint") from None
    if isinstance(found, Exception):
        raise found
    share: tuple[Any, ...] = found
    return share


def work(job: Job, pipe: Connection) -> None:
    """A worker's life: pieces in, gradients out, until the pipe is closed. Ctrl-C is the parent's to answer."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    threading.Thread(target=follow, daemon=True).start()
    keep_memory()
    module = build(job.recipe.model, *job.sizes)
    flat = Flat(module, job.values, job.grads)
    objective = make_objective(job.recipe, module, job.settings.dtype, job.mask)
    learner = Learner(job.recipe, module, flat, objective, Pairs(job.folder, job.vocabulary))
    with one_thread(), suppress(EOFError, ConnectionError):  # nobody asks, or waits for the answer, any more
        while True:
            pipe.send(answer(learner, *pipe.recv()))


def answer(learner: Learner, step: int, pieces: Sequence[tuple[int, Rows]]) -> tuple[Any, ...] | Exception:
    try:
        return tuple(learner.learn(step, pieces))
    except Exception as error:
        return error


def follow() -> None:
    """Ends this process when its parent is gone, however that went."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)
