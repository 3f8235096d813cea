"""Curves over steps as an SVG: panels one above the other, that share their steps.

Everything is in the file, and nothing in it runs. Text is text; its colours, and those of the lines, follow the page,
be it light or dark. Blue and vermilion (Okabe and Ito 2008) differ for every eye.
"""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from regard.training.card.axes import Axis, of_steps

WIDTH, LEFT, RIGHT = 780, 64, 148  # pixels: of the picture, and beside its panels
HEAD, HEIGHT, FOOT = 50, 168, 32  # pixels: above a panel, its own, and below the last one
LINE = 15  # pixels between two texts
TICKS = 8  # about, on the steps' axis
DOTTED = "validation"  # whose points are dots: they are few

STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; fill: currentColor }
circle { fill: currentColor; stroke: none }
path, .ring { fill: none; stroke: currentColor; stroke-width: 1.2; stroke-linejoin: round }
.name { color: #1f2328; font-size: 14px; font-weight: 600 } .note { color: #59636e; font-size: 12px; font-weight: 400 }
.grid { color: #e1e5ea } .training { color: #0072b2 } .validation { color: #bf4b00 }
path.validation { stroke-width: 1.6 } .note, .grid { stroke-width: 1 } .mark { stroke-dasharray: 2 4 }
@media (prefers-color-scheme: dark) {
.name { color: #e6edf3 } .note { color: #9aa4af }
.grid { color: #2d333b } .training { color: #56b4e9 } .validation { color: #f5a04c }
}
"""

Points = list[tuple[float, float]]  # steps and values


class Line(NamedTuple):
    """One curve."""

    kind: str  # training or validation
    points: Points
    end: str  # what stands behind its last point


class Panel(NamedTuple):
    """Curves that share an axis, and what is said above them: a name, notes at the left and at the right."""

    name: str
    note: str
    aside: str
    lines: list[Line]
    axis: Axis


def picture(panels: Sequence[Panel], marked: float, title: str, said: str) -> str:
    """All panels, with one step marked in each; `title` and `said` are for who hears the picture."""
    across = of_steps(int(max((x for panel in panels for x in steps_of(panel)), default=1)), TICKS)
    height = len(panels) * (HEAD + HEIGHT) + FOOT
    parts = [
        part for i, panel in enumerate(panels) for part in drawn(panel, across, marked, HEAD + i * (HEAD + HEIGHT))
    ]
    return drawing((WIDTH, height), STYLE, title, said, [*parts, *footed(across, height - FOOT)])


def drawing(size: tuple[int, int], style: str, title: str, said: str, parts: Sequence[str]) -> str:
    """A picture so wide and high, of these parts."""
    width, height = size
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' role="img" aria-labelledby="title said">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="said">{escape(said)}</desc>',
        f"<style>{style}</style>",
        *parts,
        "</svg>\n",
    ])  # fmt: skip


def steps_of(panel: Panel) -> list[float]:
    return [step for line in panel.lines for step, _ in line.points]


def x_of(across: Axis, step: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * across.at(step)


def drawn(panel: Panel, across: Axis, marked: float, top: float) -> list[str]:
    """A panel whose upper edge is so far down."""

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return x_of(across, point[0]), top + HEIGHT * (1 - panel.axis.at(point[1]))

    parts = [text("name", 12, top - 18, panel.name, more=panel.note)]
    parts.append(text("validation", WIDTH - RIGHT, top - 18, panel.aside, anchor="end"))
    for value, label in panel.axis.ticks.items():
        y = place((0, value))[1]
        parts += [path("grid", [(LEFT, y), (WIDTH - RIGHT, y)]), text("note", LEFT - 8, y + 4, label, anchor="end")]
    parts.append(path("note", [(LEFT, top + HEIGHT), (WIDTH - RIGHT, top + HEIGHT)]))
    if marked in steps_of(panel):
        parts.append(path("note mark", [(x_of(across, marked), y) for y in (top, top + HEIGHT)]))
    ends = []
    for line in panel.lines:
        places = [place(point) for point in line.points]
        parts.append(path(line.kind, places))
        if line.kind == DOTTED or len(places) == 1:
            parts += [dot(line.kind, at) for at in places]
        if line.kind == DOTTED:
            parts += [ring(line.kind, place(point)) for point in line.points if point[0] == marked]
        ends.append((places[-1][1] + 4, line))
    at = -math.inf
    for y, line in sorted(ends, key=lambda one: one[0]):
        at = max(y, at + LINE)
        parts.append(text(line.kind, WIDTH - RIGHT + 10, at, line.end))
    return parts


def footed(across: Axis, top: float) -> list[str]:
    """The axis of the steps."""
    parts = [text("note", LEFT - 16, top + 18, "steps", anchor="end")]
    for step, label in across.ticks.items():
        x = x_of(across, step)
        parts += [path("note", [(x, top), (x, top + 4)]), text("note", x, top + 18, label, anchor="middle")]
    return parts


def path(kind: str, places: Sequence[tuple[float, float]]) -> str:
    """A line through places."""
    return f'<path class="{kind}" d="M{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>'


def dot(kind: str, place: tuple[float, float]) -> str:
    return f'<circle class="{kind}" cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="2.5"/>'


def ring(kind: str, place: tuple[float, float]) -> str:
    return f'<circle class="ring {kind}" cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="5.5"/>'


def text(kind: str, x: float, y: float, said: str, anchor: str = "start", more: str = "") -> str:
    """A text; what is said more stands behind it as a note."""
    note = f'<tspan class="note" dx="8">{escape(more)}</tspan>' if more else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(said)}{note}</text>'
