"""A model is ONE folder: a manifest with the SHA-256 of each file, written whole or not at all, verified on opening.

    write("my-model", {"recipe.toml": text, "weights.safetensors": data})
    files = open_folder("my-model")         # {"recipe.toml": path, ...}, each as it was written

What was altered or cut short since is refused, with the name of the file.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from regard.errors import FolderError

VERSION = 1
MANIFEST = "manifest.json"


def write(folder: str | Path, files: Mapping[str, bytes], facts: Mapping[str, Any] | None = None) -> None:
    """Writes the files and their manifest beside `folder`, then puts them in its place at once.

    `facts` (task, languages, ...) stand in the manifest. An older model there is gone only when the new one stands.
    """
    folder = Path(folder)
    if folder.exists() and not (folder / MANIFEST).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise FolderError(f"{folder} exists and is no model; name another folder, or remove it")
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        manifest = {"version": VERSION, **(facts or {}), "files": {name: digest(data) for name, data in files.items()}}
        for name, data in {**files, MANIFEST: msgspec.json.format(msgspec.json.encode(manifest))}.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                file.write(data)
                os.fsync(file.fileno())
        fresh.chmod(0o777 & ~umask())
        replace(fresh, folder)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


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
    files: dict[str, str] = read_manifest(folder)["files"]
    for name, wanted in files.items():
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise FolderError(f"{folder / MANIFEST} names {name!r}, which lies outside; do not trust this model")
        if not path.is_file():
            raise FolderError(f"{folder} lacks {name}, which its manifest names; copy the model again")
        if digest(path.read_bytes()) != wanted:
            raise FolderError(f"{path} is not what was written (its SHA-256 differs); copy the model again")
    return {name: folder / name for name in files}


def read_manifest(folder: str | Path) -> dict[str, Any]:
    """What the manifest says, without verifying the files."""
    path = Path(folder) / MANIFEST
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


def umask() -> int:
    """The permissions a new folder leaves out (it can only be read by setting it)."""
    current = os.umask(0)
    os.umask(current)
    return current
