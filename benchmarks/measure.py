"""How everything here is measured: on an idle machine, interleaved in one run, beside a canary, as ratios.

The canary is a fixed matrix product. Processors have slow phases that nothing else shows; a round in which the canary
falls is dropped.
"""

import os
import sys
import time
from collections.abc import Callable
from statistics import median

import torch

IDLE = 0.3  # the load that an idle machine may have
PATIENCE = 180  # seconds to wait for it
CANARY = 2048  # the side of its square matrices
CALM = 0.85  # a round counts when its canary reaches this share of the best round's


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
    calm = [i for i, speed in enumerate(speeds) if speed >= CALM * max(speeds)]
    return {name: median(each[i] for i in calm) for name, each in times.items()}, max(speeds)
