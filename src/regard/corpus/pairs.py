"""The pairs to learn from as token ids in a folder: written once, piece by piece, read as memory maps.

N pairs, L links.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.text.symbols import UNK
from regard.text.tokens import Tokens, Vocabulary

Ids = NDArray[np.integer]
Floats = NDArray[np.float32]
Links = NDArray[np.uint8]  # [L, 2]: a token of the source and one of the target, from 0
SHORT = 2**16  # tokens of a vocabulary whose ids take two bytes


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
        self.lengths = mapped(folder / "lengths.bin", np.int32).reshape(-1, 2)
        self.ends = mapped(folder / "ends.bin", np.int64).reshape(-1, 2)
        size = (folder / "ids.bin").stat().st_size // max(int(self.ends[-1, 1]), 1)
        self._ids = mapped(folder / "ids.bin", np.uint16 if size == 2 else np.int32)
        self.weights: Floats | None = optional(folder / "weights.bin", np.float32)
        self.values: Floats | None = optional(folder / "values.bin", np.float32)
        self._link_ends = optional(folder / "link_ends.bin", np.int64)
        self._links = mapped(folder / "links.bin", np.uint8).reshape(-1, 2) if self.linked else None

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def linked(self) -> bool:
        """Whether links are recorded."""
        return self._link_ends is not None

    def ids(self, row: int) -> tuple[Ids, Ids]:
        """A pair's ids, without begin and end."""
        start = int(self.ends[row - 1, 1]) if row else 0
        middle, end = self.ends[row].tolist()
        return self._ids[start:middle], self._ids[middle:end]

    def links(self, row: int) -> Links:
        """Which tokens of a pair's source belong to which of its target."""
        assert self._links is not None
        assert self._link_ends is not None
        return self._links[int(self._link_ends[row - 1]) if row else 0 : int(self._link_ends[row])]

    def sampled(self, rows: Sequence[int], alpha: float, seed: int) -> list[tuple[Ids, Ids]]:
        """The ids of these pairs, their sentences split at random; the same seed gives the same."""
        assert self.vocabulary is not None
        pairs = [self.ids(row) for row in rows]
        sides = [
            resampled(tokens, [pair[side] for pair in pairs], alpha, seed)
            for side, tokens in enumerate(self.vocabulary)
        ]
        return list(zip(*sides, strict=True))


def resampled(tokens: Tokens, sentences: Sequence[Ids], alpha: float, seed: int) -> list[Ids]:
    """Each sentence split at random; one with an unknown token, whose text is lost, as it was."""
    known = [i for i, ids in enumerate(sentences) if len(ids) and UNK not in ids]
    found = list(sentences)
    drawn = tokens.sample([tokens.decode(sentences[i].tolist()) for i in known], alpha, seed)
    for i, ids in zip(known, drawn, strict=True):
        found[i] = np.array(ids, np.int32)
    return found


def mapped(path: Path, kind: type[np.generic]) -> NDArray[Any]:
    """A file as an array that is read when it is looked at."""
    if not path.stat().st_size:
        return np.empty(0, kind)  # a memory map may not be empty
    return np.memmap(path, kind, "r").view(np.ndarray)


def optional(path: Path, kind: type[np.generic]) -> NDArray[Any] | None:
    return mapped(path, kind) if path.exists() else None


def write_pairs(parts: Iterable[Encoded], folder: Path, tokens: int) -> int:
    """Write pairs whose vocabulary holds so many tokens into a folder, part by part; how many there are."""
    folder.mkdir(parents=True)
    count = held = linked = 0
    with ExitStack() as stack:

        def put(name: str, array: NDArray[Any]) -> None:
            if name not in files:
                files[name] = stack.enter_context((folder / name).open("wb"))
            files[name].write(array.tobytes())

        files: dict[str, BinaryIO] = {}
        for part in parts:
            ends = np.cumsum(part.lengths, dtype=np.int64) + held
            put("ids.bin", part.ids.astype(np.uint16 if tokens <= SHORT else np.int32))
            put("lengths.bin", part.lengths)
            put("ends.bin", ends)
            if part.weights is not None:
                put("weights.bin", part.weights)
            if part.values is not None:
                put("values.bin", part.values)
            if part.links is not None:
                put("links.bin", np.concatenate(part.links))
                put("link_ends.bin", np.cumsum([len(one) for one in part.links], dtype=np.int64) + linked)
                linked += sum(map(len, part.links))
            count += len(part.lengths)
            held += len(part.ids)
    return count
