"""How fast Regard trains a Transformer: beside the plain way and other toolkits, and against what the machine could do.

    make bench-train

Target tokens a second of 3+3 layers of width 256, 8,000 joint pieces, about 4096 target tokens a step, the same pairs
for all; by default Multi30k's, where they are, else generated ones. Each is a process of its own with all cores; they
take turns in rounds beside a canary, and rounds in which it falls are dropped. Memory is the peak of all that the
processes of a run hold, what they share counted in each.

Operations a target token are counted from shapes, so that the share of the peak says how much of the machine's work
goes into products that training cannot do without. Of a pair of S source and T target tokens, the end counted, with
width D, inner width I, V pieces, each layer makes so many multiplications, each with its addition:

    encoder   S (4 D D + 2 D I) + 2 S S D                  projections, feed-forward; scores and their mix
    decoder   T (4 D D + 2 D I) + 2 T T D                  the same
              T 2 D D + S 2 D D + 2 T S D                  queries and outputs, keys and values; looking at the source
    logits    T D V                                        once

A product's way back takes two more of its size, so a step takes 3 times, and 2 operations, of that; torch's own counter
(torch.utils.flop_counter) says the same. Filling, and all that is no product (norms, softmax, dropout, the optimizer),
count as nothing.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import lengths
import msgspec
import numpy as np
from measure import calm, canary, peak, wait_until_idle
from memory import watched
from multi30k import FOLDER, PIECES, captions

from corpus import SENTENCES
from regard.corpus.batches import Lengths
from regard.corpus.generate import english, french
from regard.corpus.prepare import Corpus, prepare
from regard.corpus.workers import cores
from regard.recipe import DataSpec, FilesSpec, Recipe, TokensSpec, TrainingSpec, TransformerSpec, to_toml
from regard.training.run import DATA, PLACE

HERE = Path(__file__).parent
FROZEN = HERE.parents[1] / "shared" / "baseline" / "train_plain.py"
MODEL = TransformerSpec(width=256, inner=1024, heads=4, encoder_layers=3, decoder_layers=3, dropout=0.1)
TRAINING = TrainingSpec(batch=4096, smoothing=0.1)
WAYS = {  # of the plain way: its options, and how many times as fast ours should be
    "at random": (("--model", "torch", "--batches", "random"), 6.5),
    "bucketed": (("--model", "torch", "--batches", "bucket"), 2.3),
    "Marian, bucketed": (("--model", "marian", "--batches", "bucket"), 2.3),
}
OURS = "Regard"
PAIRS, HIGHEST = 29_000, 4000  # of generated data: how many, and the numbers in them
EVERY = 0.2  # seconds between two looks at the memory


class Material(NamedTuple):
    """What all learn from."""

    recipe: Recipe
    source: Path
    target: Path


class Result(NamedTuple):
    """One run."""

    said: dict[str, Any]
    memory: float  # MB at its peak, all processes

    @property
    def speed(self) -> float:
        return float(self.said["tokens_per_second"])


def of_captions(folder: Path) -> Material:
    recipe = msgspec.structs.replace(captions(folder), model=MODEL, training=TRAINING)
    return Material(recipe, folder / "train.en.gz", folder / "train.de.gz")


def generated(folder: Path) -> Material:
    """Sentences with numbers in words; each of them, written as one, is a piece, so that there are as many."""
    paths = folder / "pairs.fr", folder / "pairs.en"
    with paths[0].open("w", encoding="utf-8") as source, paths[1].open("w", encoding="utf-8") as target:
        for one, other in islice(sentences(), PAIRS):
            source.write(f"{one}\n")
            target.write(f"{other}\n")
    files = FilesSpec(files=tuple(path.name for path in paths))
    data = DataSpec(folder=str(folder), train=(files,), languages=False, placeholders=False, terms=0.0)
    tokens = TokensSpec(kind="words", size=PIECES)
    return Material(Recipe(source="fr", target="en", data=data, tokens=tokens, model=MODEL, training=TRAINING), *paths)


def sentences() -> Iterator[tuple[str, str]]:
    rng = random.Random(1)
    while True:
        source, target = rng.choice(SENTENCES)
        numbers = rng.choices(range(HIGHEST), k=3)
        yield (
            source.format(*(french.cardinal(number, joined=True) for number in numbers)),
            target.format(*(english.cardinal(number).replace(" ", "-") for number in numbers)),
        )


def operations(spec: TransformerSpec, sizes: Lengths, pieces: int) -> float:
    """Floating-point operations that learning a target token takes, as the head of this file counts them."""
    S, T = sizes.astype(np.float64).T + 1
    D = spec.width
    alone = 4 * D * D + 2 * D * spec.inner
    encoder = S * alone + 2 * S * S * D
    decoder = T * alone + 2 * T * T * D + 2 * T * D * D + 2 * S * D * D + 2 * T * S * D
    products = spec.encoder_layers * encoder + spec.decoder_layers * decoder + T * D * pieces
    return float(2 * 3 * products.sum() / T.sum())


def runs(material: Material, folder: Path, given: argparse.Namespace) -> dict[str, list[str]]:
    """The command of each that takes part."""
    (folder / "recipe.toml").write_text(to_toml(material.recipe), encoding="utf-8")
    files = [str(path) for path in (material.source, material.target, folder / "tokens.model")]
    counted = ["--updates", str(given.updates), "--threads", str(cores())]
    commands = {OURS: [str(HERE / "ours.py"), str(folder / "recipe.toml"), str(folder / "ours"), *counted[:2]]}
    plain = {"frozen": given.baseline} if given.baseline.is_file() else {}
    if given.own or not plain:
        plain["plain"] = HERE / "plain.py"
    for name, script in plain.items():
        for way, (options, _) in WAYS.items():
            commands[f"{name}, {way}"] = [str(script), *files, *options, *counted]
    for peer in given.peer:
        name, _, python = peer.partition("=")
        commands[name] = [str(HERE / "others.py"), name, *files, "--python", python, *counted]
    return {name: [sys.executable, *command] for name, command in commands.items()}


def target(name: str) -> float | None:
    return next((wanted for way, (_, wanted) in WAYS.items() if name.endswith(f", {way}")), None)


def run_once(command: list[str]) -> Result:
    said, memory = watched(command, "VmRSS", EVERY)
    return Result(json.loads(said.splitlines()[-1]), memory)


class Round(NamedTuple):
    """All runs once; the lowest canary between them, and the peak of products."""

    results: dict[str, Result]
    canary: float
    peak: float


def one_round(commands: dict[str, list[str]]) -> Round:
    results, speeds = {}, [canary()]
    highest = peak()
    for name, command in commands.items():
        results[name] = run_once(command)
        speeds.append(max(canary() for _ in range(3)))  # the first ones find caches cold
        print(f"    {name:<24} {results[name].speed:>8,.0f} tokens/s   canary {speeds[-1]:,.0f}", flush=True)
    return Round(results, min(speeds[1:]), highest)


def report(rounds: list[Round], corpus: Corpus) -> None:
    """The ratios, and what was reached of the peak."""
    chosen = [rounds[i] for i in calm([one.canary for one in rounds])]
    names, first = list(rounds[0].results), rounds[0].results[OURS].said
    print(f"\nmedians of {len(chosen)} calm rounds of {len(rounds)}\n")
    print(f"{'':<24} tokens/s   memory MB  ours/theirs  wanted")
    for name in names:
        speed = median(one.results[name].speed for one in chosen)
        memory = max(one.results[name].memory for one in chosen)
        ratio = median(one.results[OURS].speed / one.results[name].speed for one in chosen)
        wanted = target(name)
        beside = "" if name == OURS else f"{ratio:>12.2f}  {wanted or '':>6}"
        print(f"{name:<24} {speed:>8,.0f}  {memory:>10,.0f}  {beside}")
    needed = operations(MODEL, corpus.train.lengths, len(corpus.vocabulary.target))
    reached = median(one.results[OURS].speed for one in chosen) * needed / 1e9
    highest = max(one.peak for one in chosen)
    print(f"\nsettings of the first round: {first['settings']}; {first['parameters']:,} numbers")
    print(f"padding: {first['padding']:.2%} of what is read")
    print(f"peak of bfloat16 products, {cores()} processes: {highest:,.0f} GFLOP/s")
    print(
        f"{needed / 1e6:.1f} million operations a target token: {reached:,.0f} GFLOP/s, {reached / highest:.0%} of it\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=FOLDER, help="Multi30k's folder; without it pairs are generated")
    parser.add_argument("--baseline", type=Path, default=FROZEN, help="the frozen plain way; without it plain.py runs")
    parser.add_argument("--own", action="store_true", help="plain.py beside the frozen baseline too")
    parser.add_argument(
        "--peer",
        action="append",
        default=[],
        metavar="NAME=PYTHON",
        help="eole or joeynmt, and the Python that has it; see others.py",
    )
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-lengths", action="store_true", help="leave out the table of sentence lengths")
    parser.add_argument("--anyway", action="store_true", help="measure on a busy machine too; the figures mean little")
    given = parser.parse_args()
    if not given.anyway:
        wait_until_idle()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        material = of_captions(given.data) if given.data.is_dir() else generated(folder)
        corpus = prepare(material.recipe, folder / "ours" / PLACE / DATA, say=lambda line: None)
        assert corpus.vocabulary is not None
        (folder / "tokens.model").write_bytes(corpus.vocabulary.source.data)
        print(f"{len(corpus.train):,} pairs, {len(corpus.vocabulary.source):,} pieces, {cores()} cores")
        commands, rounds = runs(material, folder, given), []
        for number in range(given.rounds):
            print(f"round {number + 1} of {given.rounds}", flush=True)
            rounds.append(one_round(commands))
        report(rounds, corpus)
    if not given.no_lengths:
        lengths.table(max(given.updates // 6, 1))


if __name__ == "__main__":
    main()
