"""What numbers stand for that are no tokens: labels of sentences; users and items of ratings."""

from collections.abc import Sequence

import msgspec

from regard.errors import FolderError


class Rated(msgspec.Struct, frozen=True, kw_only=True):
    """Users and items by their numbers, and between which ratings lie."""

    users: list[str]
    items: list[str]
    low: float
    high: float


Labels = list[str] | Rated  # of classify the labels by their numbers; of ratings the others


def to_json(labels: Labels) -> bytes:
    """What lies in a model's folder as labels.json."""
    return msgspec.json.encode(labels)


def from_json(data: bytes) -> Labels:
    try:
        return msgspec.json.decode(data, type=list[str] | Rated)
    except msgspec.DecodeError as error:
        raise FolderError(f"labels.json is damaged ({error}); copy the model again") from None


def sizes_of(task: str, tokens: Sequence[int], labels: Labels | None) -> tuple[int, ...]:
    """What a model must be made for, as models/build.py takes it; `tokens`: how many source and target know."""
    if isinstance(labels, Rated):
        return len(labels.users), len(labels.items)
    source, target = tokens
    if labels is not None:
        return source, len(labels)
    return (target,) if task in ("language", "fill") else (source, target)
