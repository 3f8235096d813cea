"""A figure, and what its hypotheses and references must be like."""

from collections.abc import Mapping
from dataclasses import dataclass

from regard.errors import InputError

# For each sentence its references: one or several, not necessarily equally many.
References = list[list[str]]

DECIMALS = {"rmse": 4}  # all others: 2


@dataclass(frozen=True)
class Score:
    """A figure, and the signature that says how sacreBLEU arrived at it."""

    value: float
    signature: str = ""


def check(hypotheses: list[str], references: References) -> None:
    """An InputError, unless each of at least one hypothesis has its references."""
    if len(hypotheses) != len(references):
        raise InputError(
            f"{len(hypotheses)} hypotheses, but references for {len(references)} sentences; give as many of both"
        )
    if not hypotheses:
        raise InputError("no sentences to score; give at least one")
    for i, some in enumerate(references, start=1):
        if not some:
            raise InputError(f"sentence {i} has no reference; give at least one")


def rounded(name: str, value: float) -> float:
    return round(value, DECIMALS.get(name, 2))


def as_json(task: str, n: int, scores: Mapping[str, Score]) -> dict[str, object]:
    """The scores as `regard evaluate --json` and a model's scores.json hold them."""
    shown: dict[str, dict[str, object]] = {}
    for name, score in scores.items():
        shown[name] = {"value": rounded(name, score.value)}
        if score.signature:
            shown[name]["signature"] = score.signature
    return {"task": task, "n": n, "scores": shown}
