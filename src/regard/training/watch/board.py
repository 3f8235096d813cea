"""The curves of a run for TensorBoard, where it is installed.

tensorboard --logdir DIR
"""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from regard.training.watch import Event, Watcher
from regard.training.watch.words import SAMPLE, clean, scored, values

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

STEP = {
    "loss": "training/loss",
    "norm": "training/length of the gradient",
    "rate": "training/learning rate",
    "tokens_per_second": "training/tokens a second",
}
FLUSHED = 20  # seconds after which what is written can be seen


def boards(folder: Path) -> list[Watcher]:
    """A watcher that writes into the folder; none where TensorBoard is not installed."""
    return [Board(folder)] if find_spec("tensorboard") else []


class Board:
    """Writes each figure at its step. The folder is made when the run starts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.writer: SummaryWriter | None = None

    def see(self, event: Event) -> None:
        if event["event"] == "start":
            self.open(event.get("resumed_at", 0))
        elif event["event"] == "step":
            self.put({tag: event[key] for key, tag in STEP.items()}, event["step"])
        elif event["event"] == "validation":
            figures = {"loss": event["loss"], "perplexity": event.get("perplexity"), **values(event["scores"])}
            self.put({f"validation/{scored(name)}": value for name, value in figures.items()}, event["step"])
            self.show(event)

    def open(self, step: int) -> None:
        """Of a run that goes on, what was written for later steps is hidden."""
        from torch.utils.tensorboard import SummaryWriter

        self.writer = SummaryWriter(str(self.folder), purge_step=step + 1 if step else None, flush_secs=FLUSHED)

    def put(self, figures: dict[str, float | None], step: int) -> None:
        assert self.writer is not None, "a run starts before its steps"
        for tag, value in figures.items():
            if value is not None:
                self.writer.add_scalar(tag, value, step)

    def show(self, event: Event) -> None:
        """The sample, as text that is not read as Markdown."""
        assert self.writer is not None
        sample = event.get("sample") or {}
        lines = [f"    {label}: {clean(sample[part])}" for part, label in SAMPLE.items() if sample.get(part)]
        if lines:
            self.writer.add_text("sample", "\n".join(lines), event["step"])

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
