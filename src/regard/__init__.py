"""Regard turns one sequence into another, and shows what every word paid attention to.

Each name below is imported when it is first asked for: `import regard` itself loads nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regard.errors import RegardError, UserError
    from regard.model import load, train

__version__ = "0.1.0"

__all__ = ["RegardError", "UserError", "__version__", "load", "train"]

_HOME = {
    "RegardError": "regard.errors",
    "UserError": "regard.errors",
    "load": "regard.model",
    "train": "regard.model",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from regard.errors import needs

    with needs("train"):
        value: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
