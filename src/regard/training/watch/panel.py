"""A run as a panel in the terminal: how far it is, how it gets better, and a sample that does so too."""

import atexit
import time
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel as Frame
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from regard.training.watch import Event
from regard.training.watch.words import (
    SAMPLE,
    UNITS,
    WHY,
    clean,
    duration,
    figure,
    left,
    scored,
    size,
    sparkline,
    subject,
    values,
)

WIDEST = 100  # columns of the panel
NARROW = 72  # columns below which figures stand under each other
SPARK = 20  # cells of a curve
ROWS = 2  # lines a sample's text may take; what is longer is cut
TIMES = 26  # cells of what is said of time
LABEL = 12  # cells of what stands before a figure
DIM, STRONG, GOOD, NEW = "dim", "bold", "green", "yellow"


class Panel:
    """Drawn anew each second from what was seen last; other output passes above it. Closed, it stays as it was."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self.console, self.clock = console, clock
        self.live: Live | None = None
        self.start: Event = {}
        self.last: Event = {}  # the newest step
        self.validation: Event = {}
        self.ended: Event = {}
        self.losses: list[float] = []
        self.perplexities: list[float] = []
        self.scores: list[float] = []  # of what the task is judged by
        self.best: Event = {}
        self.seen_at = clock()

    def see(self, event: Event) -> None:
        if event["event"] == "note":
            self.console.print(*(Text(clean(line)) for line in event["text"].split("\n")), sep="\n")
            return
        getattr(self, f"see_{event['event']}")(event)
        self.draw()

    def recall(self, events: Sequence[Event]) -> None:
        """What a run that goes on had come to: nothing of it is drawn before it starts."""
        for event in events:
            if event["event"] != "note":
                getattr(self, f"see_{event['event']}")(event)

    def see_start(self, event: Event) -> None:
        self.start, self.seen_at = event, self.clock()

    def see_step(self, event: Event) -> None:
        self.last, self.seen_at = event, self.clock()
        self.losses.append(event["loss"])

    def see_validation(self, event: Event) -> None:
        self.validation = event
        self.perplexities.append(event.get("perplexity") or 0.0)
        self.scores.append(judged(event)[1])
        if event["best"]:
            self.best = event

    def see_end(self, event: Event) -> None:
        self.ended = event

    def draw(self) -> None:
        """Begins to draw, or draws what is new."""
        if self.live is None:
            self.live = Live(
                console=self.console, get_renderable=self.render, refresh_per_second=1, redirect_stdout=False
            )
            atexit.register(self.close)  # whatever happens, the cursor comes back
            self.live.start()
        self.live.refresh()

    def close(self) -> None:
        """Leaves the last picture, and the terminal as it was."""
        if self.live is not None:
            live, self.live = self.live, None
            live.stop()
            atexit.unregister(self.close)

    def render(self) -> RenderableType:
        width = min(self.console.width, WIDEST)
        parts: list[RenderableType] = [self.progress(width), Text()]
        parts += [self.figures(width), *self.sample(width - 4)]
        return Frame(
            Group(*parts),
            box=box.ROUNDED,
            title=Text(clean(subject(self.start)), STRONG),
            title_align="left",
            subtitle=Text(fitting(self.facts(), width - 6), DIM),
            subtitle_align="left",
            border_style="cyan" if not self.ended else "dim cyan",
            padding=(0, 1),
            width=width,
        )

    def progress(self, width: int) -> RenderableType:
        """The bar, and how many steps of how many."""
        newest = self.last or {"step": self.start.get("resumed_at", 0), "of": self.start["steps"]}
        done, of = newest["step"], newest["of"]
        whole = bool(self.ended) and self.ended["why"] != "interrupted"  # even if it ended early
        share = 1.0 if whole else min(done / of, 1.0)
        text = Text.assemble((f"{100 * share:3.0f} %", STRONG), (f"  step {done:>{len(f'{of:,}')},} of {of:,}", DIM))
        room = max(width - 6 - cell_len(text.plain), 10)
        grid = Table.grid(padding=(0, 2, 0, 0))
        bar = ProgressBar(total=1.0, completed=share, width=room, complete_style="cyan", finished_style=GOOD)
        grid.add_row(bar, text)
        return grid

    def figures(self, width: int) -> RenderableType:
        """What gets better on the left, time on the right; one under the other where it is narrow."""
        quality, times = two_columns(self.quality(), SPARK), two_columns(self.times(), 0)
        if width < NARROW:
            return Group(quality, times)
        grid = Table.grid(expand=True)
        grid.add_column(ratio=1)
        grid.add_column(min_width=TIMES)
        grid.add_row(quality, times)
        return grid

    def quality(self) -> list[tuple[str, Text]]:
        rows = [("loss", curve(f"{self.losses[-1]:.3f}" if self.losses else "", self.losses))]
        if self.validation.get("perplexity"):
            rows.append(("perplexity", curve(f"{self.validation['perplexity']:.2f}", self.perplexities)))
        if self.validation:
            name, value = judged(self.validation)
            if name != "perplexity":
                rows.append((scored(name), curve(figure(name, value), self.scores, GOOD)))
            if self.best:
                at = f"at step {self.best['step']:,}"
                rows.append(("best", Text.assemble((aligned(figure(name, judged(self.best)[1])), GOOD), (at, DIM))))
        else:
            rows.append(("validation", Text(" comes later", DIM)))
        return rows

    def times(self) -> list[tuple[str, Text]]:
        """Time goes on between the events."""
        since = 0.0 if self.ended else self.clock() - self.seen_at
        spent = self.ended.get("seconds", self.last.get("seconds", 0.0) + since)
        rows = [("trained", Text(duration(spent)))]
        if self.ended:
            return [*rows, ("ended", Text(WHY[self.ended["why"]].partition(";")[0]))]
        if self.last:
            remaining = left(self.last, self.start["seconds_planned"]) - since
            rows.append(("left", Text(f"about {duration(remaining)}", STRONG)))
            rows.append(("speed", Text(f"{self.last['tokens_per_second']:,.0f} tokens/s")))
            rows.append(("epoch", Text(f"{round(self.last['epoch'] + 1, 3):,}")))
        return rows

    def sample(self, width: int) -> list[RenderableType]:
        """A sentence, its wanted answer, and the model's: green where it is as wanted."""
        sample = {part: clean(text) for part, text in (self.validation.get("sample") or {}).items() if text}
        if not sample:
            return []
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_column(width=LABEL, style=DIM)
        grid.add_column(width=width - LABEL - 2)
        room = ROWS * (width - LABEL - 2) - ROWS
        for part, label in SAMPLE.items():
            if part in sample:
                text = fitting([sample[part]], room)
                right = fitting([sample.get("target", "")], room)
                grid.add_row(label, compared(text, right) if part == "said" else Text(text))
        return [Text(), grid]

    def facts(self) -> list[str]:
        """What does not change, the most telling first."""
        start = self.start
        vocabulary = " and ".join(f"{one:,}" for one in dict.fromkeys(start["vocabulary"]))
        facts = [f"{size(start['parameters'])} numbers", f"{start['pairs']:,} {UNITS.get(start['task'], 'pairs')}"]
        facts += [f"{vocabulary} tokens"] if vocabulary else []
        return [*facts, f"{start['settings']['precision']} on {start['settings']['device']}"]


def judged(event: Event) -> tuple[str, float]:
    """The first of a validation's scores: what the task is judged by."""
    return next(iter(values(event["scores"]).items()), ("perplexity", event.get("perplexity") or 0.0))


def two_columns(rows: Sequence[tuple[str, Text]], spark: int) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=LABEL if spark else None, style=DIM)
    grid.add_column()
    for label, text in rows:
        grid.add_row(label, text)
    return grid


def curve(value: str, series: Sequence[float], style: str = "cyan") -> Text:
    """A figure, and how it came to be."""
    return Text.assemble((aligned(value), STRONG), (sparkline(series, SPARK), style))


def aligned(value: str) -> str:
    """A figure under others, its unit behind."""
    number, _, unit = value.partition(" ")
    return f"{number:>8} {unit:<2}"


def compared(said: str, wanted: str) -> Text:
    """What is said, with what is as wanted in green: words, or letters where it is one word."""
    space = " " if " " in said.strip() else ""
    one, other = (text.split(space) if space else list(text) for text in (said, wanted))
    text = Text()
    for tag, a, b, _, _ in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if a < b:
            text.append(space if len(text) else "")
            text.append(space.join(one[a:b]), GOOD if tag == "equal" else NEW)
    return text


def fitting(parts: Sequence[str], room: int) -> str:
    """As many of the parts as there is room for; a single one that is too long is cut."""
    kept = list(parts)
    while len(kept) > 1 and cell_len(" · ".join(kept)) > room:
        kept.pop()
    text = " · ".join(kept)
    return text if cell_len(text) <= room else f"{set_cell_size(text, max(room - 1, 0))}…"
