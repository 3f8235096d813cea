"""The course of a training: step after step, with a line in the log, a validation, a checkpoint where one is due."""

import math
import os
import time
from typing import TYPE_CHECKING

import msgspec

from regard.corpus.batches import Stream
from regard.errors import RegardError
from regard.training import checkpoint
from regard.training.crew import Share
from regard.training.exam import Exam, Result, better
from regard.training.finish import put_model
from regard.training.plan import EARLY, FIRST_LOOK, ROUND, replanned
from regard.training.schedule import rate_at
from regard.training.signals import Stop

if TYPE_CHECKING:
    from regard.training.run import Run

VALIDATIONS = 20  # in all, where the recipe says nothing
SAVE_SECONDS = 60.0  # between checkpoints, likewise


class Interrupted(RegardError):
    """Ctrl-C or SIGTERM ended the run; what it had is saved."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class State(msgspec.Struct, kw_only=True):
    """Where a run stands, beside its tensors."""

    step: int = 0
    block: int = 0  # of the data
    place: int = 0  # in the block
    tokens: int = 0  # target tokens read
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    first_steps: int = 0  # one each time it began or went on: it waits for the workers,
    first_seconds: float = 0.0  # and what passed until it was done says nothing of how fast the others are
    steps: int = 0  # planned
    validate_every: int = 0
    best: float | None = None
    best_loss: float = 0.0
    best_step: int = 0
    strikes: int = 0  # validations without a better one
    ended: str = ""  # why
    loss: float = 0.0  # since the last line of the log: its sum,
    count: int = 0  # over so many things,
    line_tokens: int = 0  # the tokens read by then,
    line_seconds: float = 0.0  # and the time


def cpu_seconds() -> float:
    """What this process has used so far, and those that it started and that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


class Course:
    """What a run does between its start and its end."""

    def __init__(self, run: "Run", exam: Exam, stream: Stream) -> None:
        self.run_of, self.spec, self.state = run, run.recipe.training, run.state
        self.exam, self.stream = exam, stream
        self.began, self.before = time.monotonic(), self.state.seconds
        self.first = self.state.step + 1
        self.cpu_before, self.cpu_workers = self.state.cpu_seconds, 0.0
        self.saved = time.monotonic()

    def run(self, stop: Stop) -> None:
        """Steps until the end, or until it is asked to stop."""
        state = self.state
        if state.ended:
            self.run_of.say(f"this training ended at step {state.step} ({state.ended}); nothing is left to do")
            return
        if not self.spec.seconds:
            state.validate_every = self.validations()
        while not state.ended:
            norm, rate = self.step()
            self.clock()
            if state.step == self.first:
                self.started()
            last = state.step >= state.steps
            if state.step % ROUND == 0 or last:
                self.log(norm, rate)
            validates = last or (state.validate_every > 0 and state.step % state.validate_every == 0)
            if validates:
                self.validate()
            self.keep()
            state.ended = self.why()
            if state.ended:  # before it is saved: who is killed between the two tells it again
                self.run_of.see("end", why=state.ended, best_step=state.best_step, **self.spent())
            plans = self.plans() and (validates or not state.validate_every)
            if stop or state.ended or plans or self.wants_saving():
                self.save()
            if stop:
                return

    def step(self) -> tuple[float, float]:
        """One step: gradients of all pieces, then better weights. Returns the gradient's length and the rate."""
        state, run = self.state, self.run_of
        pieces = next(self.stream)
        state.step += 1
        share = run.crew.learn(state.step, pieces)
        if not math.isfinite(share.loss):
            self.failed("the loss is not a number")
        rate = rate_at(state.step, self.spec, state.steps, run.width)
        norm = run.improver.improve(state.step, share.things, rate)
        if not math.isfinite(norm):
            self.failed("the gradient is not a number")
        self.count(share)
        return norm, rate

    def count(self, share: Share) -> None:
        state = self.state
        state.block, state.place = self.stream.at
        state.tokens += share.tokens
        state.loss += share.loss
        state.count += share.things
        self.cpu_workers = share.cpu_seconds

    def clock(self) -> None:
        """Writes down the time that has passed, here and in the workers."""
        self.state.seconds = self.before + time.monotonic() - self.began
        self.state.cpu_seconds = self.cpu_before + cpu_seconds() - self.run_of.cpu_began + self.cpu_workers

    def started(self) -> None:
        """Leaves the first step, and what came before it, out of the speed."""
        self.state.first_steps += 1
        self.state.first_seconds += self.state.seconds - self.before

    def plans(self) -> bool:
        """Whether the run is one by the clock, and its speed is known."""
        state, planned = self.state, self.spec.seconds
        enough = state.step >= FIRST_LOOK or state.seconds - state.first_seconds >= EARLY * planned
        return planned > 0 and state.step > state.first_steps and enough

    def speed(self) -> float:
        """Steps a second, validations and checkpoints counted."""
        state = self.state
        return (state.step - state.first_steps) / (state.seconds - state.first_seconds)

    def spent(self) -> dict[str, float | int]:
        return {
            "step": self.state.step,
            "seconds": round(self.state.seconds, 2),
            "cpu_seconds": round(self.state.cpu_seconds, 2),
        }

    def log(self, norm: float, rate: float) -> None:
        """A line about the steps since the last one."""
        state = self.state
        seconds = max(state.seconds - state.line_seconds, 1e-9)
        self.run_of.see(
            "step",
            **self.spent(),
            loss=state.loss / state.count,
            norm=norm,
            rate=rate,
            tokens=state.tokens,
            tokens_per_second=round((state.tokens - state.line_tokens) / seconds),
            epoch=round(self.epoch(), 3),
            of=state.steps,
        )
        state.loss, state.count = 0.0, 0
        state.line_tokens, state.line_seconds = state.tokens, state.seconds

    def epoch(self) -> float:
        """How many times the data have been read."""
        block, step = self.stream.at
        return (block + step / max(len(self.stream.now), 1)) / self.stream.blocks

    def validate(self) -> None:
        """Asks the averaged weights; the best so far become the folder's model."""
        state, run = self.state, self.run_of
        with run.improver.averaged():
            result = self.exam.take(run.module)
            value = better(self.spec.stop_on, result)
            best = self.is_better(value, result.loss)
            if best:
                state.best, state.best_loss = value, result.loss
                state.best_step, state.strikes = state.step, 0
                put_model(run.out, run.recipe, run.corpus, run.module, state.step)
            else:
                state.strikes += 1
        self.clock()
        self.tell(result, value, best)

    def is_better(self, value: float, loss: float) -> bool:
        """Whether these weights are the best so far: of equal scores, those of the lower loss are.

        So patience, too, has it: scores stand still as long as all is wrong, when the loss alone shows what is learnt.
        """
        best = (-math.inf, -math.inf) if self.state.best is None else (self.state.best, -self.state.best_loss)
        return math.isfinite(value) and math.isfinite(loss) and (value, -loss) > best

    def tell(self, result: Result, value: float, best: bool) -> None:
        figures = {name: score.value for name, score in result.scores.items()}
        self.run_of.see(
            "validation",
            **self.spent(),
            loss=result.loss,
            perplexity=math.exp(min(result.loss, 700)) if self.run_of.recipe.task != "ratings" else None,
            scores=figures,
            score=abs(value),
            best=best,
            sample=result.sample,
        )

    def keep(self) -> None:
        """A model's folder of this step's averaged weights, for looking."""
        run, every = self.run_of, self.spec.keep_every
        if every and self.state.step % every == 0:
            with run.improver.averaged():
                put_model(
                    run.out / "checkpoints" / f"{self.state.step:07}",
                    run.recipe,
                    run.corpus,
                    run.module,
                    self.state.step,
                )

    def why(self) -> str:
        """Why the run is over, if it is."""
        state = self.state
        if self.spec.patience and state.strikes >= self.spec.patience:
            return "patience"
        if state.step >= state.steps:
            return "time" if self.spec.seconds else "steps"
        return ""

    def wants_saving(self) -> bool:
        if self.spec.save_every:
            return self.state.step % self.spec.save_every == 0
        return self.state.step % ROUND == 0 and time.monotonic() - self.saved > SAVE_SECONDS

    def save(self) -> None:
        """A checkpoint. Plans are made anew here alone, so that a run that goes on has the same one."""
        state, run = self.state, self.run_of
        self.clock()
        if self.plans() and not state.ended:
            state.steps = replanned(self.spec.seconds, state.step, state.seconds, self.speed())
            state.validate_every = state.validate_every or self.validations()
        tensors = run.improver.tensors()
        if not all(bool(tensor.isfinite().all()) for tensor in tensors.values()):
            self.failed("the weights are not numbers")
        run.journal.keep()
        facts = {**msgspec.to_builtins(state), "settings": msgspec.to_builtins(run.settings)}
        checkpoint.save(run.place, state.step, tensors, facts)
        self.saved = time.monotonic()

    def failed(self, what: str) -> None:
        """An end that keeps the last good state."""
        good = checkpoint.found(self.run_of.place)
        last = f"step {checkpoint.step_of(good[0])} is kept" if good else "nothing was saved before"
        raise RegardError(
            f"at step {self.state.step} {what}; {last}. Start again in another folder with a lower training.rate, "
            'a longer training.warmup, or training.precision = "float32"'
        )

    def validations(self) -> int:
        """Steps between validations: as the recipe says, or so that there are about twenty."""
        chosen = max(self.state.steps // VALIDATIONS // ROUND * ROUND, ROUND)
        return self.spec.validate_every or chosen

    def interrupted(self, stop: Stop) -> None:
        """Tells it, unless the last step is done: then the scores alone are left to the next start."""
        if not self.state.ended:
            self.run_of.see("end", why="interrupted", best_step=self.state.best_step, **self.spent())
        raise Interrupted(
            f"stopped at step {self.state.step}, all is saved; the same command goes on from here", 128 + stop.signal
        )
