"""The curves of a training: its loss, and under it what the task is judged by.

    Path("curves.svg").write_text(curves(journal.read(Path("log.jsonl"))))

The training's own loss is with all that regularises, the validation's is without.
"""

from collections.abc import Callable, Sequence
from math import inf, isfinite

from regard.training.card.axes import of_values
from regard.training.card.plot import Line, Panel, Points, picture
from regard.training.exam import JUDGED_BY, LESS_IS_BETTER
from regard.training.watch import Event
from regard.training.watch.words import clean, figure, scored, subject

THIN, DOTS = 300, 40  # points of a line at most; of one with dots about
TICKS = 5  # about
WIDE = 20  # from so many times the lowest value on, a loss has a logarithmic axis
LOSS = {"ratings": "squared error", "classify": "nats a sentence"}  # else nats a token


def curves(events: Sequence[Event]) -> str:
    """The whole picture, as far as there is something to draw."""
    start, best = newest(events, "event", "start"), newest(events, "best", True)
    task = start.get("task", "translation")
    panels = [panel for panel in (of_loss(events, task, best), of_score(events, task, best)) if panel.lines]
    said = [f"{panel.name} {told(line)}" for panel in panels for line in panel.lines]
    said += [panel.aside for panel in panels if panel.aside]
    title = f"How it learnt: {clean(subject(start))}" if start else "How it learnt"
    return picture(panels, best.get("step", -1), title, "; ".join(said))


def newest(events: Sequence[Event], key: str, value: object) -> Event:
    """The last event that has a value; an empty one where there is none."""
    return next((event for event in reversed(events) if event.get(key) == value), {})


def points(events: Sequence[Event], kind: str, value: Callable[[Event], float | None]) -> Points:
    """What the events of a kind say, but for what is no number."""
    found = [(event["step"], value(event)) for event in events if event["event"] == kind]
    return [(step, value) for step, value in found if value is not None and isfinite(value)]


def of_loss(events: Sequence[Event], task: str, best: Event) -> Panel:
    """What is made small: as it is learnt, and of what is held out."""
    lines = []
    if learnt := points(events, "step", lambda event: event["loss"]):
        lines.append(Line("training", averaged(learnt), f"training {short(learnt[-1][1])}"))
    if asked := points(events, "validation", lambda event: event["loss"]):
        lines.append(Line("validation", picked(asked, best), f"validation {short(asked[-1][1])}"))
    return panel("Loss", LOSS.get(task, "nats a token"), "", lines, WIDE)


def of_score(events: Sequence[Event], task: str, best: Event) -> Panel:
    """The answers' score, and that of the weights which are kept."""
    judge = next(iter(newest(events, "event", "validation").get("scores", {})), JUDGED_BY[task])
    found = points(events, "validation", lambda event: event["scores"].get(judge))
    lines = [Line("validation", picked(found, best), figure(judge, found[-1][1]))] if found else []
    kept = best.get("scores", {}).get(judge)
    aside = f"best weights: {figure(judge, kept)} at step {best['step']:,}" if kept is not None else ""
    note = "at each validation" + ("; less is better" if judge in LESS_IS_BETTER else "")
    name = scored(judge)
    return panel(name[0].upper() + name[1:], note, aside, lines, WIDE if judge == "perplexity" else inf)


def panel(name: str, note: str, aside: str, lines: list[Line], wide: float) -> Panel:
    axis = of_values([value for line in lines for _, value in line.points] or [0], TICKS, wide)
    return Panel(name, f"{note}; logarithmic" if axis.logarithmic else note, aside, lines, axis)


def averaged(line: Points) -> Points:
    """A line of few enough points: the means of as many neighbours as it takes."""
    size = -(-len(line) // THIN)
    groups = [line[i : i + size] for i in range(0, len(line), size)]
    return [(sum(x for x, _ in some) / len(some), sum(y for _, y in some) / len(some)) for some in groups]


def picked(line: Points, best: Event) -> Points:
    """Each so many-th point, the last one, and the best."""
    each = -(-len(line) // DOTS)
    return [one for i, one in enumerate(line) if i % each == 0 or one is line[-1] or one[0] == best.get("step")]


def told(line: Line) -> str:
    """A curve for who hears of it."""
    (first, begin), (last, end) = line.points[0], line.points[-1]
    return f"of {line.kind}: {short(begin)} at step {first:,.0f}, {short(end)} at step {last:,.0f}"


def short(value: float) -> str:
    """Three digits: 2.10, 0.0210."""
    return f"{value:#.3g}".rstrip(".")
