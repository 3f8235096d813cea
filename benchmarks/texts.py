"""A text's lines, packed or not, for scripts that must not bring more into their process."""

import gzip
from pathlib import Path


def read(path: Path) -> list[str]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()
