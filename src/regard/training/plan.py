"""How many steps a run will have, and what that means in time and memory."""

from typing import NamedTuple

from regard.recipe import TrainingSpec

FIRST_LOOK = 20  # steps after which the speed is known well enough for a first plan
ROUND = 10  # steps; plans are multiples of it, as what is logged and saved


def replanned(spec: TrainingSpec, step: int, seconds: float, steps: int) -> int:
    """The steps of a run that shall end at a time, after so many steps in so many seconds."""
    if not spec.seconds or step < FIRST_LOOK:
        return steps
    left = max(0.0, spec.seconds - seconds)
    more = int(left * step / seconds) // ROUND * ROUND
    return max(step + more, ROUND)


class Plan(NamedTuple):
    """What `--dry-run` tells."""

    pairs: int
    parameters: int
    vocabulary: tuple[int, ...]
    precision: str
    workers: int
    piece: int
    steps: int
    epochs: float
    seconds: float  # of the whole training
    tokens_per_second: float
    memory: int  # bytes, of all processes
    disk: int  # bytes, while it trains

    def lines(self) -> list[str]:
        hours, minutes = divmod(round(self.seconds / 60), 60)
        return [
            f"pairs to learn from   {self.pairs:>14,}",
            f"numbers to learn      {self.parameters:>14,}",
            f"tokens known          {' and '.join(f'{size:,}' for size in self.vocabulary):>14}",
            f"products in           {self.precision:>14}, {self.workers} x {self.piece:,} tokens at once",
            f"steps                 {self.steps:>14,}, {self.epochs:.1f} times through the data",
            f"target tokens/s       {self.tokens_per_second:>14,.0f}",
            f"time                  {f'{hours} h {minutes:02} min':>14}, validations come on top",
            f"memory                {self.memory / 2**20:>14,.0f} MiB",
            f"disk while it trains  {self.disk / 2**20:>14,.0f} MiB",
        ]
