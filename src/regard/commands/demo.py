"""`regard demo`: train a small Transformer to write backwards, and look at what it attends to."""

import sys
import time
from typing import TYPE_CHECKING

from regard.errors import needs
from regard.look.terminal import blocks
from regard.recipe import load, shipped

if TYPE_CHECKING:
    from regard.training.strings import Pupil

WORDS = ("regard", "attention", "stressed", "drawer", "step")
SHOWN = "attention"
SECONDS = 60  # how long it trains at most
ENOUGH = 0.999  # or until it answers so many unseen strings without a fault
ASKED_EVERY = 100  # steps
END = "■"


def demo() -> None:
    """Train a small Transformer to reverse strings, and look at what it attends to."""
    with needs("train"):
        from regard.models.build import parameters
        from regard.training.strings import Pupil, Task
        from regard.training.threads import one_thread
    one_thread()
    pupil = Pupil(load(shipped("reverse")), Task())
    print(f"A Transformer of {parameters(pupil.model):,} numbers learns to write backwards (at most {SECONDS} s).")
    print(learn(pupil), end="\n\n")
    for word, answer in zip(WORDS, pupil.answer(WORDS), strict=True):
        print(f"  {word:>10} -> {answer:<10}  {'right' if answer == word[::-1] else 'wrong: ' + word[::-1]}")
    (answer,) = pupil.answer([SHOWN])
    print(f"\nWhere it looked in {SHOWN!r} (columns) before it wrote each letter (rows):\n")
    print(blocks(pupil.cross_attention(SHOWN, answer), [*SHOWN, END], [*answer, END]))
    print("\nNobody told it that backwards is an anti-diagonal: no line of the code says so.")


def learn(pupil: "Pupil") -> str:
    """Trains until it is good enough or time is up; says how it went."""
    began, summary = time.monotonic(), ""
    on_terminal = sys.stderr.isatty()
    for step, loss, exact in pupil.learn(ASKED_EVERY):
        spent = time.monotonic() - began
        if exact is not None:
            summary = f"{step} steps, {spent:.0f} s: {exact:.1%} of 500 unseen strings reversed without a fault."
        if on_terminal and step % 10 == 0:
            print(f"\r\033[Kstep {step}, loss {loss:.3f}, {spent:.0f} s", end="", file=sys.stderr, flush=True)
        if spent > SECONDS or (exact or 0.0) >= ENOUGH:
            break
    if on_terminal:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return summary
