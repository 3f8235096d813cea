"""How fast each architecture learns sentences of 8 to 128 tokens, at about equal size and 4096 target tokens a step.

    .venv/bin/python benchmarks/lengths.py          (a part of make bench-train)

Sentences of random words, all of one length, so nothing is padding. Each figure is a training of its own, with the
precision, pieces and workers that were measured as the fastest for that model and length.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

from measure import wait_until_idle
from rivals import RIVALS, size

from regard.recipe import DataSpec, FilesSpec, ModelSpec, Recipe, TokensSpec, TrainingSpec, to_toml

LENGTHS = (8, 16, 32, 64, 128)  # words of a sentence
PIECES, BATCH = 8000, 4096
WARM = 3
SPARE = 2  # times as many pairs as the timed steps need
HELD_OUT = 4  # pairs; none is asked for


def pairs(length: int) -> Iterator[str]:
    """Lines of a table, without end."""
    words = ["".join(letters) for letters in islice(product("abcdefghijklmnopqrst", repeat=3), PIECES)]
    rng = random.Random(length)
    while True:
        source, target = (" ".join(rng.choices(words, k=length)) for _ in range(2))
        yield f"{source}\t{target}\n"


def speed(model: ModelSpec, length: int, updates: int) -> dict[str, Any]:
    """What a training by Regard says."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = SPARE * BATCH * (WARM + updates) // length
        (folder / "pairs.tsv").write_text("".join(islice(pairs(length), count)), encoding="utf-8")
        files = FilesSpec(files=("pairs.tsv",))
        data = DataSpec(
            folder=name, train=(files,), held_out=HELD_OUT, clean=False, languages=False, placeholders=False, terms=0.0
        )
        recipe = Recipe(
            data=data,
            tokens=TokensSpec(kind="words", size=PIECES),
            model=model,
            training=TrainingSpec(batch=BATCH),
        )
        (folder / "recipe.toml").write_text(to_toml(recipe), encoding="utf-8")
        script = Path(__file__).with_name("ours.py")
        command = [sys.executable, script, folder / "recipe.toml", folder / "model"]
        command += ["--warm", str(WARM), "--updates", str(updates)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(done.returncode)
        found: dict[str, Any] = json.loads(done.stdout)
        return found


def table(updates: int, lengths: tuple[int, ...] = LENGTHS) -> None:
    """One line for each architecture."""
    print(f"target tokens/s at {BATCH:,} a step by the length of both sentences; b: bfloat16 was faster, f: float32")
    print(f"{'':<20} {'parameters':>10} " + "".join(f"{length:>9} " for length in lengths) + " last/first")
    for name, rival in RIVALS.items():
        print(f"{name:<20} {size(rival.model, PIECES):>10,} ", end="", flush=True)
        speeds = []
        for length in lengths:
            found = speed(rival.model, length, updates)
            speeds.append(found["tokens_per_second"])
            print(f"{speeds[-1]:>8,}{found['settings']['precision'][0]} ", end=" ", flush=True)
        print(f"{speeds[-1] / speeds[0]:>9.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=6)
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--anyway", action="store_true", help="measure on a busy machine too; the figures mean little")
    given = parser.parse_args()
    if not given.anyway:
        wait_until_idle()
    table(given.updates, tuple(given.lengths))


if __name__ == "__main__":
    main()
