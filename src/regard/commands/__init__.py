"""The command line: one command a file, imported when it is called.

A command is a plain function whose parameters are its arguments; it returns nothing, or its exit code. It imports
what it works with inside the function, so that `regard --help` pays for none of it.
"""

import os
import sys
from typing import TYPE_CHECKING, NoReturn

from regard import __version__
from regard.commands.importing import INTERRUPTED, leaving_at_once
from regard.errors import RegardError, UserError

if TYPE_CHECKING:
    from cyclopts import App, CycloptsError

# Each command of the file of its name, with the line that `regard --help` shows of it.
COMMANDS = {
    "demo": "Train a small Transformer to reverse strings, and look at what it attends to.",
    "train": "Train a model by a recipe, or on data alone.",
    "translate": "Translate a text, files, or standard input line by line.",
    "predict": "Ask a model for sounds, labels, ratings, the rest of a text, or missing words.",
    "evaluate": "Score a model on sentences whose right answers are known.",
    "score": "Say how likely a model finds given translations, line by line.",
}


def main() -> NoReturn:
    """Run the command that the words of the command line name, and exit."""
    # Where standard output is a pipe, Windows would write its own code page and CR LF.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors=stream.errors, newline="\n")
    try:
        code = _run(sys.argv[1:])
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        code = _mute(0)
    except SystemExit as left:  # rich leaves with 1 on a closed pipe
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        code = _mute(0)
    except OSError as error:  # a full disk behind standard output
        code = _mute(_refuse(f"cannot write the output: {error.strerror}", RegardError.exit_code))
    sys.exit(code)


def _run(words: list[str]) -> int:
    with leaving_at_once():
        from cyclopts import CycloptsError

        app = _app(words)
    try:
        code: int | None = app(words)
        return code or 0
    except CycloptsError as error:
        return _refuse(_in_words(error), UserError.exit_code)
    except RegardError as error:
        return _refuse(str(error), error.exit_code)
    except KeyboardInterrupt:
        return INTERRUPTED


def _app(words: list[str]) -> "App":
    """All commands; the one that is called describes itself, of the others nothing is imported."""
    from cyclopts import App, Parameter

    app = App(
        name="regard",
        help="Train Transformers and their forebears, and look at what every word attends to.",
        version=f"regard {__version__}",
        default_parameter=Parameter(show_default=lambda value: str(value) if value else None),
        help_format="plaintext",
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
    )
    for name, summary in COMMANDS.items():
        app.command(f"regard.commands.{name}:{name}", name=name, help=None if words[:1] == [name] else summary)
    return app


def _in_words(error: "CycloptsError") -> str:
    """What was wrong with the command line, in one line."""
    from cyclopts import UnknownCommandError, UnusedCliTokensError

    unused = list(error.unused_tokens or []) if isinstance(error, UnknownCommandError | UnusedCliTokensError) else []
    if unused:
        kind = (
            "option" if unused[0].startswith("-") else "command" if isinstance(error, UnknownCommandError) else "word"
        )
        return f"unknown {kind} {unused[0]!r}; the commands are {', '.join(COMMANDS)}: see regard --help"
    return " ".join(str(error).split())


def _mute(code: int) -> int:
    """Nobody reads any more: what is still buffered goes nowhere, else Python's own last flush fails too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _refuse(message: str, code: int) -> int:
    if sys.stderr is not None:  # else print would take standard output
        for line in message.splitlines():
            print(f"regard: {line}", file=sys.stderr)
    return code
