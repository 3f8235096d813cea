"""What numbers stand for that are no tokens: labels of sentences; users and items of ratings."""

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
