"""A corpus twice as large takes no more memory: the benchmark, cut short."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "corpus.py"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="anonymous memory is read from /proc")
def test_memory_does_not_grow_with_the_corpus() -> None:
    call = [sys.executable, str(BENCHMARK), "--anyway", "--megabytes", "40", "80"]  # the samples are full
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    (_, read, _, _, again, _, _, small), (_, more, *_, large) = (line.split() for line in done.stdout.splitlines()[1:])
    assert int(more.replace(",", "")) > 1.9 * int(read.replace(",", "")) > 100_000
    assert int(again.replace(",", "")) > 1000
    assert float(small) > 50  # it was watched at all
    assert float(large) < float(small) + 40
