"""How a terminal is told: figures, durations and texts, in words that the lines and the panel share."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any
from unicodedata import category

from regard.text.languages import NAMES
from regard.training.watch import Event

SCORES = {
    "bleu": "BLEU", "chrf": "chrF", "bleu_lower": "BLEU lowercased",
    "bleu_moses": "BLEU by Moses' tokens", "wer": "WER", "per": "PER", "rmse": "RMSE",
    "bits_per_character": "bits a character",
}  # fmt: skip  # all others: as they are
UNITS = {"language": "sentences", "fill": "sentences", "ratings": "ratings"}  # what is learnt from; else pairs
PERCENT = ("wer", "per", "accuracy", "exact")
COUNTED = {"g2p": "words", "ratings": "ratings"}  # what is asked; else sentences
WHY = {
    "steps": "all steps are done",
    "time": "the time is up",
    "patience": "it did not get better any more",
    "interrupted": "interrupted; the same command goes on from here",
}
SAMPLE = {"source": "source", "target": "wanted", "said": "says"}  # the parts of a validation's sample, as shown
BARS = "▁▂▃▄▅▆▇█"


def clean(text: str) -> str:
    """The text on one line, without what a terminal might take for a command; what shows nothing is left out."""
    return "".join(c if c.isprintable() else "" if category(c) == "Cf" else " " for c in text)


def duration(seconds: float) -> str:
    """45 s, 12 min, 2 h 05 min."""
    if seconds < 99.5:
        return f"{max(seconds, 0):.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"


def subject(event: Event) -> str:
    """What is learnt: English to German; g2p of English."""
    source, target = (NAMES.get(event.get(side, ""), event.get(side, "")) for side in ("from", "to"))
    if event["task"] == "translation":
        return f"{source} to {target}" if source and target else "translation"
    return f"{event['task']} of {source}" if source else str(event["task"])


def size(parameters: int) -> str:
    """119,104; 2.6 million."""
    return f"{parameters:,}" if parameters < 1e6 else f"{parameters / 1e6:.1f} million"


def figure(name: str, value: float) -> str:
    """A score's value as it is read."""
    return f"{value:.{4 if name == 'rmse' else 2}f}{' %' if name in PERCENT else ''}"


def scored(name: str) -> str:
    return SCORES.get(name, name)


def values(scores: Mapping[str, Any]) -> dict[str, float]:
    """The scores as numbers; a model's scores.json has a signature beside each."""
    return {name: float(one["value"] if isinstance(one, Mapping) else one) for name, one in scores.items()}


def left(event: Event, planned: float) -> float:
    """Seconds until the end, from a step's event: by the clock where a time was planned, else by the steps."""
    if planned:
        return max(0.0, planned - float(event["seconds"]))
    return max(0, event["of"] - event["step"]) * float(event["seconds"]) / event["step"]


def sparkline(series: Sequence[float], width: int) -> str:
    """The series as bars, the means of equal parts of it where it is longer than wide; lowest to highest."""
    parts = min(width, len(series))
    bounds = [round(i * len(series) / parts) for i in range(parts + 1)] if parts else []
    means = [sum(series[a:b]) / (b - a) for a, b in pairwise(bounds)]
    low, high = (min(means), max(means)) if means else (0.0, 0.0)
    step = (high - low) / (len(BARS) - 1) or 1.0
    return "".join(BARS[round((mean - low) / step)] for mean in means)
