"""Lines over named places, as an SVG that follows the page, be it light or dark; each line's name stands at its end.

Up to five lines, in colours of Okabe and Ito (2008), darker or lighter so that they stand out: they differ for all.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from regard.training.card.axes import of_values
from regard.training.card.plot import dot, drawing, path, text

WIDTH, HEIGHT = 800, 440  # pixels
LEFT, RIGHT, TOP, BOTTOM = 48, 196, 56, 68  # around the field
LINE = 16  # between two texts
TICKS = 6  # about, on the upright axis

STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; fill: currentColor }
circle { fill: currentColor } path { fill: none; stroke: currentColor; stroke-linejoin: round; stroke-width: 2 }
.name, .place { color: #1f2328 } .name { font-size: 15px; font-weight: 600 }
.note { color: #59636e; font-size: 12px; font-weight: 400 }
path.note, path.grid, path.lead { stroke-width: 1 } .grid { color: #e1e5ea } .lead { color: #9aa4af }
.line0 { color: #59636e } .line1 { color: #bf4b00 } .line2 { color: #00795a } .line3 { color: #a04080 }
.line4 { color: #0072b2 }
@media (prefers-color-scheme: dark) {
.name, .place { color: #e6edf3 } .note { color: #9aa4af } .grid { color: #2d333b } .lead { color: #59636e }
.line0 { color: #b1bac4 } .line1 { color: #f5a04c } .line2 { color: #2fc79c } .line3 { color: #e39ac7 }
.line4 { color: #56b4e9 }
}
"""


class Series(NamedTuple):
    """A line, and what is said behind its name."""

    name: str
    values: Sequence[float]
    end: str


def chart(title: str, aside: str, across: str, places: Sequence[tuple[str, str]], lines: Sequence[Series]) -> str:
    """The lines in their order; a place has a name and a note under it, `across` says what places are."""
    upright = of_values([0.0, *(value for line in lines for value in line.values)], TICKS)
    right, foot = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(i: float) -> float:
        return LEFT + (right - LEFT) * (i + 0.5) / len(places)

    def y(value: float) -> float:
        return foot - (foot - TOP) * upright.at(value)

    parts = [text("name", 12, 24, title, more=aside)]
    for value, label in upright.ticks.items():
        parts += [
            path("grid", [(LEFT, y(value)), (right, y(value))]),
            text("note", LEFT - 8, y(value) + 4, label, "end"),
        ]
    for i, (name, note) in enumerate(places):
        parts += [text("place", x(i), foot + 20, name, "middle"), text("note", x(i), foot + 36, note, "middle")]
    parts.append(text("note", (LEFT + right) / 2, foot + 56, across, "middle"))
    ends = apart([y(line.values[-1]) for line in lines], foot)
    for i, (line, at) in enumerate(zip(lines, ends, strict=True)):
        points = [(x(place), y(value)) for place, value in enumerate(line.values)]
        parts += [path(f"line{i}", points), *(dot(f"line{i}", point) for point in points)]
        parts.append(path("lead", [(points[-1][0] + 5, points[-1][1]), (right + 4, at)]))
        parts.append(text(f"line{i}", right + 8, at + 4, line.name, more=line.end))
    return drawing((WIDTH, HEIGHT), STYLE, title, told(places, lines), parts)


def apart(wanted: Sequence[float], lowest: float) -> list[float]:
    """Places for labels, near those that are wanted, in their order, a line apart, none below the lowest."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    found = list(wanted)
    for above, i in pairwise(order):
        found[i] = max(found[i], found[above] + LINE)
    limit = lowest
    for i in reversed(order):
        found[i] = min(found[i], limit)
        limit = found[i] - LINE
    return found


def told(places: Sequence[tuple[str, str]], lines: Sequence[Series]) -> str:
    """The picture for who hears of it."""
    return "; ".join(
        f"{line.name}: "
        + ", ".join(f"{value:.1f} at {name}" for (name, _), value in zip(places, line.values, strict=True))
        for line in lines
    )
