"""Is one system really better than another, or was it the choice of sentences? Paired bootstrap (Koehn 2004).

Both systems are scored on thousands of test sets, drawn with replacement from the one there is. A corpus score is a
function of counts that add up over sentences, so each sentence is looked at once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.evaluate.counts import Counts, bleu_counts, bleu_of
from regard.evaluate.score import References


@dataclass(frozen=True)
class Bootstrap:
    """Two systems' scores, and what chance does to the difference of them, first less second.

    From `low` to `high` is its 95 % interval. `p` is two-sided: twice the share of test sets on which the system that
    looks worse is at least as good. Below 0.05, the interval excludes 0. (sacreBLEU's p is about half of it.)
    """

    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float


def paired_bootstrap(
    first: list[str],
    second: list[str],
    references: References,
    samples: int = 1000,
    seed: int = 12345,
    language: str = "",
) -> Bootstrap:
    """The difference in BLEU of two systems on the same sentences; sacreBLEU's seed draws its test sets."""
    ours, theirs = bleu_counts(first, references, language), bleu_counts(second, references, language)
    a, b = bleu_of(ours.sum(0)), bleu_of(theirs.sum(0))
    drawn = resampled(ours, samples, seed) - resampled(theirs, samples, seed)
    low, high = np.quantile(drawn, (0.025, 0.975))
    contrary = int(np.sum(drawn <= 0 if a >= b else drawn >= 0))
    p = min(1.0, 2 * (contrary + 1) / (samples + 1))
    return Bootstrap(a, b, a - b, float(low), float(high), p)


def resampled(counts: Counts, samples: int, seed: int) -> NDArray[np.float64]:
    """BLEU on each of so many test sets; the same seed draws the same sets of any counts."""
    rng = np.random.default_rng(seed)
    n = len(counts)
    times = (np.bincount(rng.choice(n, size=n), minlength=n) for _ in range(samples))  # each sentence in each set
    return np.array([bleu_of(one @ counts) for one in times])
