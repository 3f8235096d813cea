"""The memory that a corpus takes while it is made: from lines of text to token ids.

    make bench-corpus

Generated pairs, French and English, in a temporary folder. What is counted is anonymous memory, of the process and of
those that it starts, at their common peak: what is not backed by a file that the system may forget. Linux only.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from memory import watched

from regard.corpus.generate import english, french
from regard.corpus.prepare import prepare
from regard.recipe import from_plain

EVERY = 0.02  # seconds between two looks at the memory
SENTENCES = [
    ("Il y a {} chats et {} chiens dans la maison, mais {} souris.",
     "There are {} cats and {} dogs in the house, but {} mice."),
    ("Nous avons attendu {} heures, puis {} minutes et {} secondes.",
     "We have been waiting for {} hours, then {} minutes and {} seconds."),
    ("Elle a acheté {} livres pour {} enfants qui habitent dans {} villages.",
     "She bought {} books for {} children who live in {} villages."),
    ("Le numéro {} est plus grand que le numéro {}, pas que le {}.",
     "The number {} is larger than the number {}, but not than the {}."),
]  # fmt: skip
SHORT = ("{} chats.", "{} cats.")  # a sentence that comes again and again
SHORT_ONES, AGAIN = 0.05, 0.03  # the shares of such sentences, and of pairs that come a second time


def pairs(seed: int) -> Iterator[str]:
    """Lines of French and English without end. The same French may be said in two ways, British and American."""
    rng = random.Random(seed)
    numbers = [
        (french.cardinal(n), english.cardinal(n, british=british)) for n in range(300) for british in (True, False)
    ]
    line = ""
    while True:
        if rng.random() >= AGAIN or not line:
            source, target = SHORT if rng.random() < SHORT_ONES else rng.choice(SENTENCES)
            chosen = rng.choices(numbers, k=3)
            line = f"{source.format(*(f for f, _ in chosen))}\t{target.format(*(e for _, e in chosen))}\n"
        yield line


def write(path: Path, megabytes: int) -> None:
    held = 0
    with path.open("w", encoding="utf-8") as file:
        for line in pairs(1):
            held += file.write(line)  # characters, a few less than bytes
            if held >= megabytes * 10**6:
                return


def work(folder: Path) -> None:
    """What is measured, in a process of its own; says what came of it."""
    data = {"folder": str(folder), "train": [{"files": ["pairs.tsv"]}]}
    recipe = from_plain({"source": "fr", "target": "en", "data": data, "model": {}})
    report = prepare(recipe, folder / "data", lambda text: None).report
    again = report["dropped"]["duplicate"]["count"]
    print(report["read"], report["pairs"], report["extra"], again, report["valid"], report["test"])


def measured(megabytes: int) -> tuple[list[int], float, float]:
    """What came of so much text, the seconds and the peak in MB."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "pairs.tsv", megabytes)
        began = time.monotonic()
        said, most = watched([sys.executable, __file__, "--work", name], "RssAnon", EVERY)
        return [int(figure) for figure in said.split()], time.monotonic() - began, most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--anyway", action="store_true", help="measure on a busy machine too; the seconds mean little")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work)
        return
    if not given.anyway:
        from measure import wait_until_idle  # which brings torch: not into the process that is measured

        wait_until_idle()
    print("text MB       read     learnt      extra  duplicates   held out  seconds  peak MB")
    for megabytes in given.megabytes:
        (read, learnt, extra, again, valid, test), seconds, most = measured(megabytes)
        held = f"{valid}+{test}"
        counts = f"{read:>10,} {learnt:>10,} {extra:>10,} {again:>11,} {held:>10}"
        print(f"{megabytes:>7} {counts} {seconds:>8.1f} {most:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
