"""`regard demo`: train a small Transformer to write backwards, and look at what it attends to."""

import sys
import time
from typing import TYPE_CHECKING

from regard.commands.importing import importing
from regard.look.terminal import blocks
from regard.recipe import load, shipped

if TYPE_CHECKING:
    from regard.training.strings import Pupil

WORDS = ("regard", "attention", "stressed", "drawer", "step")
SHOWN = "attention"
SECONDS = 60  # how long it trains at most
GOOD = 0.99  # the share of strings without a fault from which on there is something to see
ASKED_EVERY = 100  # steps
END = "■"


def demo() -> None:
    """Train a small Transformer to reverse strings, and look at what it attends to."""
    with importing("train"):
        from regard.models.build import parameters
        from regard.training.strings import Pupil, Task
        from regard.training.threads import one_thread
    with one_thread():
        pupil = Pupil(load(shipped("reverse")), Task())
        print(f"A Transformer of {parameters(pupil.model):,} numbers learns to write backwards.", flush=True)
        exact = learn(pupil)
        print()
        for word, answer in zip(WORDS, pupil.answer(WORDS), strict=True):
            print(f"  {word:>10} -> {answer:<10}  {'right' if answer == word[::-1] else 'wrong: ' + word[::-1]}")
        (answer,) = pupil.answer([SHOWN])
        print(f"\nWhere it looked in {SHOWN!r} (columns) before it wrote each letter (rows):\n")
        print(blocks(pupil.cross_attention(SHOWN, answer), [*SHOWN, END], [*answer, END]))
        if exact >= GOOD:
            print("\nNobody told it that backwards is an anti-diagonal: no line of the code says so.")
        else:
            print(f"\nCut off after {SECONDS} s, not yet good: a less busy machine gets further.")


def learn(pupil: "Pupil") -> float:
    """Trains until the recipe ends, all is right, or time is up; says how it went."""
    began, exact, step = time.monotonic(), 0.0, 0
    try:
        for step, loss, _ in pupil.learn():
            report(f"step {step}, loss {loss:.3f}, {time.monotonic() - began:.0f} s")
            if step % ASKED_EVERY == 0 and (exact := pupil.exact()) == 1:
                break
            if time.monotonic() - began > SECONDS:
                exact = pupil.exact()
                break
    finally:
        report("")
    spent = time.monotonic() - began
    print(
        f"{step} steps, {spent:.0f} s: {exact:.1%} of {len(pupil.exam)} strings it never saw reversed without a fault."
    )
    return exact


def report(line: str) -> None:
    """Progress, in the place of what stood there, for who sits at a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
