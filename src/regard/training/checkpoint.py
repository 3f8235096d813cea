"""Checkpoints: all that a run needs to go on as if nothing had happened, in one safetensors file.

A file's name ends in the SHA-256 of its content, and it has its name only when it is whole; so what was cut or altered
is noticed, and the one before is used. Two are kept.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from torch import Tensor

from regard.errors import RegardError

KEPT = 2
DIGITS = 16  # of the hash in the name


class Checkpoint(NamedTuple):
    """A run's tensors, and everything else as plain data."""

    tensors: dict[str, Tensor]
    facts: dict[str, Any]


def save(folder: Path, step: int, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> Path:
    """Writes a checkpoint; older ones than the last two go."""
    from safetensors.torch import save as as_bytes  # save_file, if it is killed, leaves what nobody takes away

    folder.mkdir(parents=True, exist_ok=True)
    data = as_bytes(dict(tensors), metadata={"facts": msgspec.json.encode(dict(facts)).decode()})
    path = folder / f"step-{step:08}-{hashlib.sha256(data).hexdigest()[:DIGITS]}.safetensors"
    fresh = folder / ".fresh"
    try:
        with fresh.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise RegardError(
            f"the checkpoint of step {step} cannot be written to {folder}: {error.strerror}; "
            "make room and start the same command again, it goes on from the one before"
        ) from None
    for old in found(folder)[KEPT:]:
        old.unlink(missing_ok=True)
    return path


def found(folder: Path) -> list[Path]:
    """The checkpoints of a folder, the newest first."""
    return sorted(folder.glob("step-*.safetensors"), reverse=True)


def latest(folder: Path) -> tuple[Checkpoint | None, list[str]]:
    """The newest checkpoint that is whole, and a word about each that is not."""
    from safetensors import safe_open

    damaged = []
    for path in found(folder):
        with path.open("rb") as whole:
            digest = hashlib.file_digest(whole, "sha256").hexdigest()[:DIGITS]
        if digest != path.stem.rpartition("-")[2]:
            damaged.append(path.name)
            path.unlink()
            continue
        with safe_open(path, "pt") as file:
            facts = msgspec.json.decode(file.metadata()["facts"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return Checkpoint(tensors, facts), words(damaged, f"the one of step {step_of(path)} is used")
    return None, words(damaged, "there is none before, so the training begins anew")


def words(damaged: list[str], instead: str) -> list[str]:
    return [f"{name} is damaged (its SHA-256 differs); {instead}" for name in damaged]


def step_of(path: Path) -> int:
    return int(path.name.split("-")[1])
