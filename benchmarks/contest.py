"""The articles' contest: five architectures learn the same captions, as large as another, in as many CPU seconds each.

    make bench-contest

Each is trained by Regard on Multi30k, English to German, in a process of its own into OUT/NAME, on the same 8,000
pieces; its schedule is planned so that the processor seconds of all its processes (cleaning, measuring, validation
counted) come to the budget. Then the test set is translated, beam 5, and BLEU is counted by the source's length.
Whatever interrupts it, the same command goes on, and leaves alone who has finished.

Printed and written: OUT/contest.json, OUT/contest.svg.
"""

import argparse
import sys
from pathlib import Path

import msgspec
from chart import Series, chart
from measure import carried_out, in_a_line
from multi30k import FOLDER, PIECES, captions, sides
from rivals import RIVALS, size

from regard.evaluate.bleu import bleu
from regard.evaluate.sentences import Band, by_length
from regard.model import load
from regard.recipe import Recipe, TrainingSpec
from regard.training import run
from regard.training.course import Course
from regard.training.watch.journal import read
from regard.training.watch.lines import Lines

SECONDS = 1800  # of all processors
WARMUP = 500  # steps; at most a tenth of all
EVERY = 200  # steps between validations, which are paid for by the same budget
EDGES = (7, 9, 11, 13, 16, 20)  # words of a source: the longest of each band but the last
FEW = 10  # sentences: a band of fewer is in the table, and not in the chart
TEST = "test_2016_flickr"


class Result(msgspec.Struct):
    """What became of one."""

    name: str
    budget: int
    parameters: int
    cpu_seconds: float
    steps: int
    tokens: int  # of the target, that were read
    bleu: float
    signature: str
    bands: list[Band]


class ByProcessor(Course):
    """A course whose clock, and so the plan to end by it, counts the seconds of the processors."""

    def clock(self) -> None:
        super().clock()
        self.state.seconds = self.state.cpu_seconds


def recipe_of(name: str, folder: Path, seconds: int) -> Recipe:
    rival = RIVALS[name]
    training = TrainingSpec(
        steps=10**6,
        seconds=seconds,
        batch=4096,
        rate=rival.rate,
        warmup=WARMUP,
        schedule="cosine",
        validate_every=EVERY,
    )
    return msgspec.structs.replace(captions(folder), model=rival.model, training=training)


def compete(name: str, folder: Path, out: Path, seconds: int) -> None:
    """Trains and examines one, in this process."""
    run.Course = ByProcessor
    model = out / slug(name)
    run.train(recipe_of(name, folder, seconds), model, watchers=[Lines(sys.stderr)])
    english, german = sides(folder, TEST)
    said = [one.text for one in load(model).translate(english)]
    total = bleu(said, [[one] for one in german], "de")
    events = read(model / run.LOG)
    step, end = ([event for event in events if event["event"] == kind][-1] for kind in ("step", "end"))
    result = Result(
        name=name,
        budget=seconds,
        parameters=size(RIVALS[name].model, PIECES),
        cpu_seconds=end["cpu_seconds"],
        steps=end["step"],
        tokens=step["tokens"],
        bleu=total.value,
        signature=total.signature,
        bands=by_length(english, said, [[one] for one in german], EDGES, "de"),
    )
    model.with_name(f"{model.name}.txt").write_text("".join(f"{one}\n" for one in said), encoding="utf-8")
    path_of(out, name).write_bytes(msgspec.json.format(msgspec.json.encode(result)))


def slug(name: str) -> str:
    return name.lower().replace(" ", "-")


def path_of(out: Path, name: str) -> Path:
    return out / f"{slug(name)}.json"


def finished(out: Path, name: str, seconds: int) -> Result | None:
    """What became of one by this budget, where it has finished."""
    path = path_of(out, name)
    found = msgspec.json.decode(path.read_bytes(), type=Result) if path.exists() else None
    return found if found and found.budget == seconds else None


def shown(band: Band) -> str:
    if band.longest is None:
        return f"{band.shortest}+"
    return f"{band.shortest}-{band.longest}" if band.shortest else f"to {band.longest}"


def report(results: list[Result], out: Path) -> None:
    """The table, and the chart beside it."""
    bands = results[0].bands
    print("BLEU by the words of the source" + " " * 38 + "".join(f"{shown(band):>8}" for band in bands))
    print(
        f"{'':<20} {'parameters':>10}  CPU s   steps  million tokens   BLEU"
        + "".join(f"{f'n={band.sentences}':>8}" for band in bands)
    )
    for one in results:
        print(
            f"{one.name:<20} {one.parameters:>10,}  {one.cpu_seconds:>5,.0f}  {one.steps:>6,}"
            f"  {one.tokens / 1e6:>14.1f}  {one.bleu:>5.1f}" + "".join(f"{band.bleu:>8.1f}" for band in one.bands)
        )
    kept = [i for i, band in enumerate(bands) if band.sentences >= FEW]
    picture = chart(
        f"BLEU by sentence length after {results[0].budget:,} CPU seconds",
        "behind each name: of all sentences",
        "words of the source; n sentences",
        [(shown(bands[i]), f"n = {bands[i].sentences}") for i in kept],
        [Series(one.name, [one.bands[i].bleu for i in kept], f"{one.bleu:.1f}") for one in results],
    )
    (out / "contest.svg").write_text(picture, encoding="utf-8")
    (out / "contest.json").write_bytes(msgspec.json.format(msgspec.json.encode(results)))
    print(f"\nBLEU: {results[0].signature}\nwritten: {out / 'contest.json'}, {out / 'contest.svg'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(".benchmarks/contest"))
    parser.add_argument("--data", type=Path, default=FOLDER, help="Multi30k's folder")
    parser.add_argument("--cpu-seconds", type=int, default=SECONDS, help="of each")
    parser.add_argument("--only", choices=RIVALS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only:
        with in_a_line():
            compete(given.only, given.data, given.out, given.cpu_seconds)
        return
    sizes = {name: size(rival.model, PIECES) for name, rival in RIVALS.items()}
    assert max(sizes.values()) <= 1.05 * min(sizes.values()), sizes
    captions(given.data)  # leaves where they are not
    waiting = [name for name in RIVALS if not finished(given.out, name, given.cpu_seconds)]
    script = [sys.executable, __file__, "--out", str(given.out), "--data", str(given.data)]
    script += ["--cpu-seconds", str(given.cpu_seconds)]
    carried_out([[*script, "--only", name] for name in waiting])
    found = [finished(given.out, name, given.cpu_seconds) for name in RIVALS]
    report([one for one in found if one], given.out)


if __name__ == "__main__":
    main()
