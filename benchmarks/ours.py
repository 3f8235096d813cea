"""Training by Regard, timed in a process of its own: all that `regard train` does in a step, and nothing more.

    ours.py RECIPE.toml FOLDER --updates 40

The corpus is prepared in the folder, or found there; the settings are measured anew, as at the start of a run.
Prints JSON: target tokens a second, the settings, the share of padding.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import msgspec

from regard.corpus.batches import padding
from regard.models.build import parameters
from regard.recipe import load
from regard.training.course import Course
from regard.training.exam import Exam
from regard.training.run import PLACE, RECIPE, SETTINGS, Run


def timed(run: Run, warm: int, updates: int) -> dict[str, Any]:
    """Some steps that warm up, then those that count."""
    stream = run.stream()
    course = Course(run, Exam(run.recipe, run.corpus, run.objective, run.settings.device), stream)
    for _ in range(warm):
        course.step()
    read, began = run.state.tokens, time.perf_counter()
    for _ in range(updates):
        course.step()
    seconds = time.perf_counter() - began
    return {
        "tokens_per_second": round((run.state.tokens - read) / seconds),
        "settings": msgspec.to_builtins(run.settings),
        "parameters": parameters(run.module),
        "padding": padding((piece for step in stream.now for piece in step), stream.lengths),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--warm", type=int, default=10)
    parser.add_argument("--updates", type=int, default=40)
    given = parser.parse_args()
    place = given.folder / PLACE
    place.mkdir(parents=True, exist_ok=True)
    for name in (RECIPE, SETTINGS):  # of the round before
        (place / name).unlink(missing_ok=True)
    run = Run(load(given.recipe), given.folder, "", [])
    try:
        found = timed(run, given.warm, given.updates)
    finally:
        run.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
