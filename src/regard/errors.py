"""What can go wrong, said in one line: what was given, what is allowed, what to do.

The command line prints the message as `regard: ...` and leaves with the kind's exit code. A fault of ours is
an `assert`, or whatever Python raises, and keeps its traceback.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

# The packages, by the name they are imported under, that each extra of pyproject.toml brings.
EXTRAS: dict[str, frozenset[str]] = {
    "train": frozenset({"torch", "safetensors", "sacrebleu", "tensorboard"}),
    "look": frozenset({"torch", "safetensors", "resvg_py"}),
    "evaluate": frozenset({"sacrebleu"}),
    "documents": frozenset({"lxml", "polib", "docx", "pysubs2", "selectolax"}),
    "serve": frozenset({"fastapi", "uvicorn", "prometheus_client", "python_multipart"}),
    "exchange": frozenset({"safetensors", "onnx"}),
    "parquet": frozenset({"pyarrow"}),
    "cluster": frozenset({"ray", "pyarrow"}),
}


class RegardError(Exception):
    """Something failed that Regard knows the reason of. Exit code 1."""

    exit_code = 1


class UserError(RegardError):
    """The user can put it right: the message says what was given, what is allowed and what to do. Exit code 2."""

    exit_code = 2


class RecipeError(UserError):
    """A recipe, or a value set over it, that cannot be carried out: an unknown key, a width the heads don't divide."""


class InputError(UserError):
    """Data that a model or a search cannot take: an empty batch, a sequence past the longest position."""


class FolderError(UserError):
    """A model's folder that is missing, damaged or of another version."""


class MissingExtra(UserError):
    """A package is needed that the base install leaves out; the message names the pip command that brings it."""

    def __init__(self, extra: str, package: str) -> None:
        super().__init__(f"this needs {package}, which is not installed: run pip install 'regard[{extra}]'")
        self.extra = extra
        self.package = package


@contextmanager
def reading(place: object, kind: type[UserError] = InputError) -> Iterator[None]:
    """Turn what the system says of a place that cannot be read, or named, into an error of that kind."""
    try:
        yield
    except OSError as error:
        raise kind(f"{place} cannot be read: {error.strerror or error}") from None


def nearest(word: str, allowed: Iterable[str]) -> str:
    """The end of a message about an unknown word: " (did you mean 'layers'?)", or nothing where none is near."""
    close = get_close_matches(word, list(allowed), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Turn a failed import of one of an extra's packages into MissingExtra; any other failed import stays a fault."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS[extra]:
            raise
        raise MissingExtra(extra, package) from error
