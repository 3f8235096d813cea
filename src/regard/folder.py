"""A model is ONE folder: a manifest with the SHA-256 of each file, written whole or not at all, verified on opening.

    put("my-model", {"recipe.toml": text, "weights.safetensors": data})
    files = open_folder("my-model")         # {"recipe.toml": path, ...}, each as it was written
    put("my-model", {"recipe.toml": text})  # another model in its place; what else lies there stays

What was altered or cut short since is refused, with the name of the file.
"""

import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from regard.errors import FolderError, reading

VERSION = 1
MANIFEST = "manifest.json"
MAKING = ".making"  # where `put` writes
JOURNAL = ".new-"  # the begin of the name that this has once it is whole: from then on the new model counts


def put(folder: str | Path, files: Mapping[str, bytes], facts: Mapping[str, Any] | None = None) -> None:
    """Writes the files and a manifest that also holds the `facts`: task, languages, ...; what else lies there stays.

    The files are written to a journal inside it, and moved from there over the old ones; whoever dies on the way leaves
    the old model, or a journal that `open_folder` and the next `put` carry out. One process at a time may put.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settle(folder)
    old = read_manifest(folder)["files"] if (folder / MANIFEST).is_file() else {}
    making, whole = folder / MAKING, with_manifest(files, facts)
    shutil.rmtree(making, ignore_errors=True)
    try:
        write_files(making, whole)
        making.replace(folder / f"{JOURNAL}{secrets.token_hex(8)}")
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise
    settle(folder)
    for name in old.keys() - files.keys():
        inside(folder, name).unlink(missing_ok=True)


def settle(folder: Path) -> None:
    """Carries out what a journal says: its files take their places, the manifest last.

    Several processes may do so at once: a file that is gone has been moved by another.
    """
    for journal in folder.glob(f"{JOURNAL}*"):
        with suppress(FolderError):  # without its manifest it has been carried out
            for name in [*read_manifest(journal)["files"], MANIFEST]:
                target = inside(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                with suppress(FileNotFoundError):
                    inside(journal, name).replace(target)
        shutil.rmtree(journal, ignore_errors=True)


def with_manifest(files: Mapping[str, bytes], facts: Mapping[str, Any] | None) -> dict[str, bytes]:
    """The files, and behind them the manifest that names them."""
    manifest = {"version": VERSION, **(facts or {}), "files": {name: digest(data) for name, data in files.items()}}
    return {**files, MANIFEST: msgspec.json.format(msgspec.json.encode(manifest))}


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes the files so that they are on the disk, not on their way to it."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def replace(fresh: Path, folder: Path) -> None:
    """Puts `fresh` in the place of `folder`, which steps aside and comes back if that fails."""
    if not folder.exists():
        fresh.rename(folder)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-old-", dir=folder.parent)) / folder.name
    folder.rename(aside)
    try:
        fresh.rename(folder)
    except OSError:
        aside.rename(folder)
        raise
    finally:
        shutil.rmtree(aside.parent, ignore_errors=True)


def open_folder(folder: str | Path) -> dict[str, Path]:
    """The paths of a model's files by name, each verified against the manifest."""
    folder = Path(folder)
    while True:
        before = identity(folder / MANIFEST)
        try:
            return verified(folder)
        except FolderError:
            with suppress(OSError):
                settle(folder)  # who put another model there has died on the way, or is on it
            if identity(folder / MANIFEST) == before:
                raise


def identity(path: Path) -> tuple[int, int] | None:
    """What differs between a file and another one in its place."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def verified(folder: Path) -> dict[str, Path]:
    paths = {}
    for name, wanted in read_manifest(folder)["files"].items():
        path = inside(folder, name)
        with reading(path, FolderError):
            try:
                data = path.read_bytes()
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                raise FolderError(f"{folder} lacks {name}, which its manifest names; copy the model again") from None
        if digest(data) != wanted:
            raise FolderError(f"{path} is not what was written (its SHA-256 differs); copy the model again")
        paths[name] = path
    return paths


def inside(folder: Path, name: str) -> Path:
    """The path of a file that a manifest names, if it lies in the manifest's folder."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise FolderError(f"{folder / MANIFEST} names {name!r}, which lies outside; do not trust this model")
    return path


def read_manifest(folder: str | Path) -> dict[str, Any]:
    """What the manifest says, without verifying the files."""
    path = Path(folder) / MANIFEST
    with reading(path, FolderError):
        try:
            manifest = msgspec.json.decode(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            raise FolderError(f"no model at {folder}: there is no {MANIFEST}") from None
        except msgspec.DecodeError:
            raise FolderError(f"{path} is damaged; copy the model again") from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
        raise FolderError(f"{path} is no manifest of a model")
    if manifest.get("version") != VERSION:
        raise FolderError(f"{path} has version {manifest.get('version')}; this Regard reads {VERSION}: update it")
    return manifest


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
