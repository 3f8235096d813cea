"""One process at a time trains into a folder; whoever dies lets go of it, however that went."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from regard.errors import UserError


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Meanwhile no other process gets past this for the same folder; an error where one has."""
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            take(file)
        except OSError:
            raise UserError(
                f"another process trains into {folder.parent}; wait for it, or name another folder"
            ) from None
        yield
    finally:
        os.close(file)


def take(file: int) -> None:
    """The system's lock on an open file, at once or not at all."""
    with suppress(ImportError):  # Windows has no fcntl
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt

    msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
