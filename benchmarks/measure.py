"""How everything here is measured: on an idle machine, interleaved in one run, beside a canary, as ratios.

The canary is a fixed matrix product. Processors have slow phases that nothing else shows; a round in which the canary
falls is dropped.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from statistics import median

import torch

from regard.corpus.workers import cores
from regard.errors import RegardError

IDLE = 0.3  # the load that an idle machine may have
PATIENCE = 180  # seconds to wait for it
CANARY = 2048  # the side of its square matrices
CALM = 0.85  # a round counts when its canary reaches this share of the best round's
PRODUCTS = ((512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 1024, 4096))  # rows, inner, columns
SECONDS = 1.0  # that each of them is repeated

_barrier: Barrier  # of a process that measures the peak


def wait_until_idle() -> None:
    """Leaves with 2 when something else keeps the machine busy."""
    began = time.monotonic()
    while (load := os.getloadavg()[0]) > IDLE:
        if time.monotonic() - began > PATIENCE:
            print(f"benchmarks: the load is {load:.2f}, above {IDLE}: stop what runs, or add --anyway", file=sys.stderr)
            sys.exit(2)
        time.sleep(5)


def canary() -> float:
    """GFLOP/s of a float32 product."""
    a = torch.ones(CANARY, CANARY)
    began = time.perf_counter()
    a @ a
    return 2 * CANARY**3 / (time.perf_counter() - began) / 1e9


def carried_out(commands: Sequence[Sequence[str]], at_once: int = 1) -> None:
    """Runs the commands, so many side by side; behind one that fails none is begun, and this process leaves as it did.

    Ctrl-C reaches those that run as well, which end as they see fit.
    """
    failed: list[int] = []

    def one(command: Sequence[str]) -> None:
        if not failed and (code := subprocess.run(command, check=False).returncode):
            failed.append(code)

    try:
        with ThreadPoolExecutor(at_once) as pool:
            list(pool.map(one, commands))
    except KeyboardInterrupt:
        sys.exit(130)
    if failed:
        sys.exit(failed[0])


@contextmanager
def in_a_line() -> Iterator[None]:
    """What Regard refuses is said in a line, as its command does."""
    try:
        yield
    except RegardError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def interleaved(runs: dict[str, Callable[[], None]], rounds: int = 15) -> tuple[dict[str, float], float]:
    """The median seconds of each run over the calm rounds, and the best canary; all run once a round."""
    for run in runs.values():
        run()
    speeds: list[float] = []
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        speeds.append(canary())
        for name, run in runs.items():
            began = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - began)
    chosen = calm(speeds)
    return {name: median(each[i] for i in chosen) for name, each in times.items()}, max(speeds)


def calm(speeds: Sequence[float]) -> list[int]:
    """Which rounds count, by the canary of each."""
    return [i for i, speed in enumerate(speeds) if speed >= CALM * max(speeds)]


def peak() -> float:
    """GFLOP/s of bfloat16 products on all cores: a process on each, as training runs, of the best size."""
    count, context = cores(), get_context("spawn")
    with context.Pool(count, meet_at, (context.Barrier(count),)) as pool:
        return max(sum(pool.map(product_speed, [size] * count, chunksize=1)) for size in PRODUCTS)


def meet_at(barrier: Barrier) -> None:
    global _barrier
    _barrier = barrier


def product_speed(size: tuple[int, int, int]) -> float:
    """GFLOP/s of a product on one core, from the moment that all have come."""
    torch.set_num_threads(1)
    n, k, m = size
    a, b, out = (torch.randn(shape).bfloat16() for shape in ((n, k), (k, m), (n, m)))
    torch.mm(a, b, out=out)
    _barrier.wait()
    count, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < SECONDS:
        torch.mm(a, b, out=out)
        count += 1
    return 2 * n * k * m * count / passed / 1e9
