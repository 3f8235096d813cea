"""The command line: one command a file, imported when it is called.

A command is a plain function whose parameters are its arguments; it returns nothing, or its exit code. It imports
what it works with inside the function, so that `regard --help` pays for none of it.
"""

import os
import sys
from typing import NoReturn

from cyclopts import App, CycloptsError

from regard import __version__
from regard.errors import RegardError, UserError

# Each command of the file of its name, with the line that `regard --help` shows of it.
COMMANDS = {
    "demo": "Train a small Transformer to reverse strings, and look at what it attends to.",
}


def main() -> NoReturn:
    """Run the command that the words of the command line name, and exit."""
    # Where standard output is a pipe, Windows would write its own code page and CR LF.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", newline="\n")
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has enough. What is still buffered goes nowhere, else Python's own flush fails too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def _run(words: list[str]) -> int:
    try:
        code: int | None = _app()(words)
        return code or 0
    except CycloptsError as error:
        return _refuse(" ".join(str(error).split()), UserError.exit_code)
    except RegardError as error:
        return _refuse(str(error), error.exit_code)
    except KeyboardInterrupt:
        return 130


def _app() -> App:
    app = App(
        name="regard",
        help="Train Transformers and their forebears, translate with them, and look at what every word attends to.",
        version=f"regard {__version__}",
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
    )
    for name, summary in COMMANDS.items():
        app.command(f"regard.commands.{name}:{name}", name=name, help=summary)
    return app


def _refuse(message: str, code: int) -> int:
    for line in message.splitlines():
        print(f"regard: {line}", file=sys.stderr)
    return code
