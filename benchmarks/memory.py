"""The memory of a process and of all that it started, at their common peak. Linux only; elsewhere it is 0."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

KIB = 1024 / 1e6  # /proc counts in KiB, the tables in MB


def held(process: int, field: str) -> int:
    """KiB of a process and its descendants, by a field of /proc/N/status.

    RssAnon is what no file backs that the system may forget; VmRSS is all, so what several share counts several times.
    """
    found = 0
    try:
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith(f"{field}:"):
                found = int(line.split()[1])
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        children = [child for task in tasks for child in (task / "children").read_text(encoding="utf-8").split()]
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return found
    return found + sum(held(int(child), field) for child in children)


def watched(command: Sequence[str], field: str, every: float) -> tuple[str, float]:
    """What a command prints, and its peak in MB, looked at each so many seconds; leaves as it does when it fails."""
    most = 0
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, subprocess.Popen(command, stdout=out) as process:
        while process.poll() is None:
            most = max(most, held(process.pid, field))
            time.sleep(every)
        if process.returncode:
            sys.exit(process.returncode)
        out.seek(0)
        return out.read(), most * KIB
