"""Do the shortcuts of training cost quality? Each is trained with and without, from several seeds.

    make bench-shortcuts

The shipped Multi30k recipe, fewer steps of it, on 8,000 unigram pieces where it has 10,000 by BPE, in three ways:

    as built    dropout's shares rounded to 1/256, none on attention weights; products in bfloat16
    exact       torch's own dropout, on attention weights too; products in bfloat16
    float32     dropout as built; products in float32

Each training is one process of one thread in OUT/WAY-STEPS-SEED, as many side by side as there are cores; whatever
interrupts it, the same command goes on, and leaves alone what has finished. Printed is BLEU (cased, beam 5) of the
validation and test sentences, mean and spread over the seeds.
"""

import argparse
import sys
from pathlib import Path
from statistics import mean, stdev
from typing import NamedTuple

import msgspec
import torch.nn.functional as F
from measure import carried_out, in_a_line
from multi30k import FOLDER, captions
from torch import Tensor

from regard.corpus.workers import cores
from regard.models.dropout import Dropout
from regard.recipe import Recipe, StackSpec, to_toml
from regard.training.finish import as_file
from regard.training.run import PLACE, RECIPE, SETTINGS, train
from regard.training.settings import Settings

PIECE = 1024  # target tokens
SCORES = "scores.json"  # the last file of a training


class Way(NamedTuple):
    exact: bool  # dropout
    precision: str


WAYS = {"as built": Way(False, "bfloat16"), "exact": Way(True, "bfloat16"), "float32": Way(False, "float32")}


def recipe_of(way: Way, seed: int, folder: Path, steps: int) -> Recipe:
    recipe = captions(folder)
    model, training = recipe.model, recipe.training
    assert isinstance(model, StackSpec)
    if way.exact:
        model = msgspec.structs.replace(model, attention_dropout=model.dropout)
    training = msgspec.structs.replace(
        training, steps=steps, warmup=min(training.warmup, steps // 4), precision=way.precision
    )
    return msgspec.structs.replace(recipe, model=model, training=training, seed=seed)


def exactly(module: Dropout, x: Tensor) -> Tensor:
    """What models/dropout.py's forward stands in for."""
    return F.dropout(x, module.share, module.training)


def learn(way: Way, recipe: Recipe, out: Path) -> None:
    """Trains in this process alone: a worker of its own would know nothing of another dropout."""
    if way.exact:
        Dropout.forward = exactly
    place = out / PLACE
    if not (place / RECIPE).exists():
        place.mkdir(parents=True, exist_ok=True)
        (place / SETTINGS).write_bytes(as_file(Settings(precision=way.precision, workers=1, piece=PIECE)))
        (place / RECIPE).write_text(to_toml(recipe), encoding="utf-8")  # without it settings are measured anew
    train(recipe, out)


def path_of(name: str, seed: int, given: argparse.Namespace) -> Path:
    return given.out / f"{name.replace(' ', '-')}-{given.steps}-{seed}"


def report(given: argparse.Namespace) -> None:
    print(f"{'':<10} {'BLEU: validation':>20} {'test':>16}   each seed's test")
    for name in WAYS:
        scores = [msgspec.json.decode((path_of(name, seed, given) / SCORES).read_bytes()) for seed in given.seeds]
        valid, test = ([one[part]["scores"]["bleu"]["value"] for one in scores] for part in ("valid", "test"))
        print(f"{name:<10} {spread(valid):>20} {spread(test):>16}   {'  '.join(f'{value:.1f}' for value in test)}")


def spread(values: list[float]) -> str:
    """Mean and standard deviation."""
    return f"{mean(values):.2f} ± {stdev(values):.2f}" if len(values) > 1 else f"{values[0]:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(".benchmarks/shortcuts"))
    parser.add_argument("--data", type=Path, default=FOLDER, help="Multi30k's folder")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        (seed,) = given.seeds
        way = WAYS[given.way]
        with in_a_line():
            learn(way, recipe_of(way, seed, given.data, given.steps), path_of(given.way, seed, given))
        print(f"{path_of(given.way, seed, given)} has finished", file=sys.stderr, flush=True)
        return
    captions(given.data)  # leaves where they are not
    script = [sys.executable, __file__, "--out", str(given.out), "--data", str(given.data), "--steps", str(given.steps)]
    waiting = [
        [*script, "--seeds", str(seed), "--way", name]
        for seed in given.seeds
        for name in WAYS
        if not (path_of(name, seed, given) / SCORES).exists()
    ]
    carried_out(waiting, cores())
    report(given)


if __name__ == "__main__":
    main()
