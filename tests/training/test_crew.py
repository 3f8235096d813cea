"""Several processes learn one model: what they learn, and how they come and go."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import weakref
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from regard.errors import RegardError
from regard.training.crew import Crew, Job, dealt, drawn, work
from regard.training.settings import Settings
from regard.training.sizes import sizes_of
from trainings import learner, prepared

PIECES = [np.array(rows) for rows in ([2, 3, 5], [7, 11], [13, 17, 19, 23], [29])]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("given"))


def crew(corpus, workers):
    return Crew(learner(*corpus), Settings(workers=workers), sizes_of(corpus[1]), 0)


@pytest.fixture(scope="module")
def one(corpus):
    return crew(corpus, 1)


@pytest.fixture(scope="module")
def two(corpus):
    """Two that learn; one is asked to end while it starts, as a terminal asks all, and leaves that to its parent."""
    hired = crew(corpus, 2)
    if sys.platform != "win32":
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(hired.workers[0].pid, number)
    yield hired
    hired.close()
    assert [worker.exitcode for worker in hired.workers] == [0]


def learnt(crew, step, pieces=PIECES):
    share = crew.learn(step, pieces)
    return share._replace(cpu_seconds=0), crew.learner.flat.grads.clone()


def test_two_learn_what_one_does(one, two):
    (share, grads), (wanted, sum_of_all) = learnt(two, 5), learnt(one, 5)
    assert (share.things, share.tokens) == (wanted.things, wanted.tokens)
    assert share.loss == pytest.approx(wanted.loss, rel=1e-6)
    torch.testing.assert_close(grads, sum_of_all, atol=1e-4, rtol=1e-5)
    parts = [learnt(one, 5, PIECES[:1])[1], *(learnt(one, 5, [rows])[1] for rows in PIECES[1:])]
    assert not torch.allclose(sum(parts), sum_of_all, atol=1e-3)  # for a piece's number is part of its seed


def test_the_same_step_is_the_same_to_the_last_bit_and_another_is_not(two):
    (share, grads), (other, others) = learnt(two, 7), learnt(two, 8)
    again, once_more = learnt(two, 7)
    assert (again, torch.equal(once_more, grads)) == (share, True)
    assert other.loss != share.loss
    assert not torch.equal(others, grads)


def test_better_weights_are_those_of_all(one, two):
    for hired in (one, two):
        hired.learner.flat.values.mul_(0.5)
    (share, grads), (wanted, sum_of_all) = learnt(two, 5), learnt(one, 5)
    assert share.loss == pytest.approx(wanted.loss, rel=1e-6)
    torch.testing.assert_close(grads, sum_of_all, atol=1e-4, rtol=1e-5)
    for hired in (one, two):
        hired.learner.flat.values.mul_(2)


def test_the_time_of_the_others_is_told(one, two):
    assert one.learn(5, PIECES).cpu_seconds == 0
    assert two.learn(5, PIECES).cpu_seconds > 0


def test_what_a_worker_raises_is_raised_here_and_it_works_on(two):
    with pytest.raises(IndexError):
        two.learn(5, [PIECES[0], np.array([10**6])])
    assert learnt(two, 7)[0].things


def test_a_step_of_fewer_pieces_than_workers(one, two):
    (share, grads), (wanted, theirs) = learnt(two, 5, PIECES[:1]), learnt(one, 5, PIECES[:1])
    assert share == wanted
    assert torch.equal(grads, theirs)


def test_pieces_are_dealt_like_cards():
    assert dealt([(i, None) for i in range(5)], 2) == [[(0, None), (2, None), (4, None)], [(1, None), (3, None)]]
    assert dealt([(0, None)], 3) == [[(0, None)], [], []]


def test_each_piece_draws_its_own():
    seeds = {drawn(seed, step, number) for seed in (1, 2) for step in (1, 1000) for number in (0, 1, 30)}
    assert len(seeds) == 12
    assert drawn(2**31 - 1, 10**9, 10**3) < 2**63


@pytest.mark.parametrize(
    ("code", "how"), [(-9, "was ended by signal 9"), (1, "ended by itself; what it said stands above")]
)
def test_that_a_worker_has_ended_is_said(corpus, code, how):
    hired, (ours, theirs) = crew(corpus, 1), multiprocessing.Pipe()
    hired.pipes, hired.grads = [ours], [hired.learner.flat.grads]
    hired.workers = [SimpleNamespace(join=lambda: None, is_alive=lambda: False, exitcode=code)]
    theirs.close()
    with pytest.raises(RegardError, match=f"a worker process {how}; the same command goes on from the last checkpoint"):
        hired.learn(5, PIECES)


@pytest.mark.parametrize("asked", [0, 1])
def test_a_worker_ends_quietly_when_nobody_asks_or_waits_for_its_answer(corpus, monkeypatch, asked):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    one, (ours, theirs) = learner(*corpus), multiprocessing.Pipe()
    sizes = sizes_of(corpus[1])
    job = Job(one.recipe, Settings(), one.pairs.folder, corpus[1].vocabulary, sizes, 0, one.flat.values, one.flat.grads)
    for _ in range(asked):
        ours.send((5, [(0, PIECES[0])]))
    ours.close()
    work(job, theirs)
    assert one.flat.grads.any() == asked


def test_who_has_started_hears_of_it_where_the_next_cannot(corpus, monkeypatch):
    started = []

    def fails(process):
        if started:
            raise OSError("no more processes")
        started.append(Connection(os.dup(process._args[1].fileno())))

    monkeypatch.setattr(SpawnProcess, "start", fails)
    with pytest.raises(OSError, match="no more"):
        crew(corpus, 3)
    with pytest.raises(EOFError):
        started[0].recv()


def test_nothing_keeps_what_has_been_learnt_in_memory(corpus):
    hired = crew(corpus, 1)
    seen = weakref.ref(hired.learner)
    hired.close()
    del hired
    gc.collect()
    assert seen() is None


PARENT = """
import sys, trainings
import numpy as np
from pathlib import Path
from regard.training.crew import Crew
from regard.training.settings import Settings
from regard.training.sizes import sizes_of
recipe, corpus = trainings.prepared(Path(sys.argv[1]))
crew = Crew(trainings.learner(recipe, corpus), Settings(workers=2), sizes_of(corpus), 0)
crew.learn(1, [np.array([2]), np.array([3])])
print("learnt", flush=True)
raise ValueError(sys.stdin.read())
"""


@pytest.fixture
def parent(tmp_path):
    """A process with a worker that has learnt, and waits before it fails."""
    words, pipe = [sys.executable, "-c", PARENT, str(tmp_path)], subprocess.PIPE
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, env=path) as one:
        assert one.stdout.readline().strip() == b"learnt"
        yield one
        one.kill()


def test_workers_end_with_their_parent(parent):
    parent.kill()
    assert parent.communicate(timeout=60) == (b"", b"")  # so all have ended who could still write there


def test_a_parent_that_fails_does_not_wait_for_them(parent):
    said = parent.communicate(b"so it failed", timeout=60)[1]
    assert parent.returncode == 1
    assert said.strip().endswith(b"ValueError: so it failed")
