"""How this machine trains fastest: measured once at the start of a run, and kept with it."""

import ctypes
import os
import platform
import sys
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import torch

from regard.corpus.workers import cores
from regard.errors import UserError
from regard.recipe import TrainingSpec

MOST_WORKERS = 8
PIECES = (512, 1024)  # target tokens; in larger ones sentences differ more, and over 2 % are filled up
ON_A_GPU = 16384  # at most, for it has few cores to wait for and much to fill; measured by nobody yet
PREPARED = "16"  # products that oneDNN keeps; it reads this when it makes its first one
MMAP_MAX, TRIM_THRESHOLD, TOP_PAD = -4, -1, -2  # of glibc's mallopt


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this machine computes: other precisions round otherwise, and other pieces draw another dropout.

    A run that goes on keeps them.
    """

    device: str = "cpu"
    precision: str = "float32"  # of products; sums, weights and the optimizer are in float32 always
    workers: int = 1  # processes, each on a core of its own: it reads pieces, and adds up their gradients
    piece: int = 1024  # target tokens of a piece

    @property
    def dtype(self) -> torch.dtype:
        return torch.bfloat16 if self.precision == "bfloat16" else torch.float32


class Timing(NamedTuple):
    """Target tokens a second of one worker, in a precision and pieces of a size."""

    precision: str
    piece: int
    speed: float


def check_device(device: str) -> str:
    """The device that was asked for, if it is there; by default the processor."""
    known = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    name = (device or "cpu").partition(":")[0]
    if name not in known:
        raise UserError(f"--device is {device!r}; it must be one of {', '.join(known)}")
    if not known[name]:
        raise UserError(f"--device is {device!r}, but torch finds none here; leave it out to train on the processor")
    return device or "cpu"


def candidates(spec: TrainingSpec, device: str) -> list[tuple[str, int]]:
    """Precisions and sizes of pieces worth trying."""
    if device != "cpu":
        return [("bfloat16" if spec.precision == "auto" else spec.precision, min(ON_A_GPU, spec.batch))]
    precisions = ("float32", "bfloat16") if spec.precision == "auto" else (spec.precision,)
    sizes = sorted({min(piece, spec.batch) for piece in PIECES})
    return [(precision, piece) for precision in precisions for piece in sizes]


def workers_for(spec: TrainingSpec, piece: int, device: str) -> int:
    """A worker a core, as long as each has a piece of every step."""
    if device != "cpu":
        return 1
    return max(1, min(cores(), MOST_WORKERS, spec.batch * spec.accumulate // piece))


def best(timings: Sequence[Timing], spec: TrainingSpec, device: str) -> Settings:
    """The fastest way, all workers together."""
    chosen = max(timings, key=lambda one: one.speed * workers_for(spec, one.piece, device))
    workers = workers_for(spec, chosen.piece, device)
    return Settings(device=device, precision=chosen.precision, piece=chosen.piece, workers=workers)


def keep_memory() -> None:
    """Memory that was freed stays with the process: at each step the same large tensors are made again.

    By default glibc gives it back and fetches it filled with zeros, page by page. And oneDNN keeps 1,024 products, each
    prepared for one shape, some with memory of their own, though hardly a shape comes again before they are many.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", PREPARED)
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        for option, value in ((MMAP_MAX, 0), (TRIM_THRESHOLD, 2**31 - 1), (TOP_PAD, 64 * 2**20)):
            libc.mallopt(option, value)
