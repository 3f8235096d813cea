"""The pairs to learn from as token ids in a folder: written once, part by part, read as memory maps.

N pairs, L links.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from regard.text.symbols import UNK
from regard.text.tokens import Tokens, Vocabulary

Ids = NDArray[np.integer]
Floats = NDArray[np.float32]
Links = NDArray[np.uint8]  # [L, 2]: a token of the source and one of the target, from 0
Span = tuple[int, int]  # from the first character to before the end


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """What the ids of a folder are."""

    texts: tuple[bool, bool]  # whether source and target are sentences; a label is none
    ids: str  # the type of an id


class Encoded(NamedTuple):
    """Some pairs, all ids one behind the other: a source, its target, the next source."""

    ids: NDArray[np.int32]
    lengths: NDArray[np.int32]  # [N, 2]
    weights: Floats | None = None  # [N]
    values: Floats | None = None  # [N]
    links: list[Links] | None = None  # of each pair


class Pairs:
    """The pairs of a folder. `lengths` [N, 2] are tokens of source and target; `weights`, `values` [N] may be None."""

    def __init__(self, folder: Path, vocabulary: Vocabulary | None = None) -> None:
        self.folder, self.vocabulary = folder, vocabulary
        self.kind = msgspec.json.decode((folder / "kind.json").read_bytes(), type=Kind)
        self.lengths: NDArray[np.int32] = mapped(folder / "lengths.bin", np.int32).reshape(-1, 2)
        self.weights: Floats | None = optional(folder / "weights.bin", np.float32)
        self.values: Floats | None = optional(folder / "values.bin", np.float32)
        self._ids = mapped(folder / "ids.bin", np.dtype(self.kind.ids))
        self._ends = mapped(folder / "ends.bin", np.int64).reshape(-1, 2)
        self._links = optional(folder / "links.bin", np.uint8)
        self._link_ends = optional(folder / "link_ends.bin", np.int64)

    def __len__(self) -> int:
        return len(self.lengths)

    def ids(self, row: int) -> tuple[Ids, Ids]:
        """A pair's ids, without begin and end."""
        start = int(self._ends[row - 1, 1]) if row else 0
        middle, end = self._ends[row].tolist()
        return self._ids[start:middle], self._ids[middle:end]

    def links(self, row: int) -> Links:
        """Which tokens of a pair's source belong to which of its target."""
        assert self._links is not None, "links are recorded for guided alignment only"
        assert self._link_ends is not None
        start, end = int(self._link_ends[row - 1]) if row else 0, int(self._link_ends[row])
        return self._links.reshape(-1, 2)[start:end]

    def sampled(self, rows: Sequence[int], alpha: float, seed: int) -> list[tuple[Ids, Ids]]:
        """The ids of these pairs with their sentences split at random; the same seed gives the same."""
        pairs = [self.ids(row) for row in rows]
        sides = [[pair[side] for pair in pairs] for side in (0, 1)]
        for side, tokens in enumerate(self.vocabulary or ()):
            if self.kind.texts[side]:
                sides[side] = resampled(tokens, sides[side], alpha, seed, self.longest[side])
        return list(zip(*sides, strict=True))

    @cached_property
    def longest(self) -> tuple[int, int]:
        """The tokens of the longest source and the longest target: what a model surely has positions for."""
        source, target = self.lengths.max(0).tolist()
        return source, target

    def relinked(self, row: int, ids: tuple[Sequence[int] | Ids, Sequence[int] | Ids]) -> Links:
        """The links of a pair that is split as these ids say."""
        assert self.vocabulary is not None
        ways = [
            overlaps(tokens, old, new) for tokens, old, new in zip(self.vocabulary, self.ids(row), ids, strict=True)
        ]
        found = {(a, b) for i, j in self.links(row).tolist() for a in ways[0][i] for b in ways[1][j]}
        return np.array(sorted(found), np.uint8).reshape(-1, 2)


def resampled(tokens: Tokens, sentences: Sequence[Ids], alpha: float, seed: int, longest: int) -> list[Ids]:
    """Each sentence split at random; as it was with an unknown token, whose text is lost, or if it grows too long."""
    known = [i for i, ids in enumerate(sentences) if UNK not in ids]
    found = list(sentences)
    drawn = tokens.sample([tokens.decode(sentences[i].tolist()) for i in known], alpha, seed)
    for i, ids in zip(known, drawn, strict=True):
        if len(ids) <= longest:
            found[i] = np.array(ids, np.int32)
    return found


def overlaps(tokens: Tokens, old: Ids, new: Sequence[int] | Ids) -> list[range]:
    """For each token of a sentence those that hold some of it where the same sentence is split in another way."""
    if np.array_equal(old, new):
        return [range(i, i + 1) for i in range(len(old))]
    one, other = (tokens.places(tokens.pieces(ids)) for ids in (old, new))
    return holding(one, other)


def holding(spans: Iterable[Span], places: Sequence[Span]) -> list[range]:
    """For each span of a text the pieces that hold some of it, of which it is known where they stand."""
    starts, ends = [start for start, _ in places], [end for _, end in places]
    return [range(bisect_right(ends, start), bisect_left(starts, end)) for start, end in spans]


def write_pairs(parts: Iterable[Encoded], folder: Path, kind: Kind) -> None:
    """Write pairs into a new folder, part by part."""
    folder.mkdir(parents=True)
    (folder / "kind.json").write_bytes(msgspec.json.encode(kind))
    files: dict[str, BinaryIO] = {}
    held = linked = 0
    with ExitStack() as stack:

        def put(name: str, array: NDArray[Any]) -> None:
            if name not in files:
                files[name] = stack.enter_context((folder / f"{name}.bin").open("wb"))
            files[name].write(array.tobytes())

        for part in parts:
            put("ids", part.ids.astype(kind.ids))
            put("lengths", part.lengths)
            put("ends", np.cumsum(part.lengths, dtype=np.int64) + held)
            held += len(part.ids)
            if part.weights is not None:
                put("weights", part.weights)
            if part.values is not None:
                put("values", part.values)
            if part.links is not None:
                put("links", np.concatenate([np.empty((0, 2), np.uint8), *part.links]))
                put("link_ends", np.cumsum(list(map(len, part.links)), dtype=np.int64) + linked)
                linked += sum(map(len, part.links))


def mapped(path: Path, kind: Any) -> NDArray[Any]:
    """A file as an array that is read when it is looked at."""
    if not path.stat().st_size:
        return np.empty(0, kind)  # a memory map may not be empty
    return np.memmap(path, kind, "r").view(np.ndarray)


def optional(path: Path, kind: Any) -> NDArray[Any] | None:
    return mapped(path, kind) if path.exists() else None
