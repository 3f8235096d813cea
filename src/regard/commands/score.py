"""`regard score`: how likely a model finds given translations, a table or standard input, line by line."""

import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from regard.commands.importing import importing
from regard.commands.lines import Answer, Progress, answer_all, of_file, of_input
from regard.corpus.read import found
from regard.errors import InputError

if TYPE_CHECKING:
    from regard.model import Model

DECIMALS = 4


def score(
    file: Annotated[str | None, Parameter(help="A table: source, tab, target; without it, standard input.")] = None,
    /,
    *,
    model: Annotated[str, Parameter(help="A model's folder or name.")],
    progress: Annotated[bool, Parameter(negative="", help="Say how far it is, though this is no terminal.")] = False,
) -> None:
    """Print how likely a model finds each target after its source: one summed log-probability a line.

    The natural logarithm, summed over the target's pieces and its end; further columns are ignored. A language model
    is given texts alone.
    """
    path = None if file is None else found(Path(file))
    with importing("train"):
        from regard.model import load
    judge, shown = load(model), Progress(progress)
    judge.score([])  # a model that says no sentences is refused before anything is read
    answer = judged_by(judge, file or "standard input")
    answer_all(of_input() if path is None else of_file(path), answer, sys.stdout, shown, whole=False)
    shown.close()


def judged_by(judge: "Model", name: str) -> Answer:
    """What makes a figure of each line; one of white space alone stays as it is."""
    numbers = count(1)

    def answer(lines: list[str]) -> list[str]:
        pairs = [
            ("", line) if judge.task == "language" else parted(line, f"{name}, line {number}")
            for line, number in zip(lines, numbers, strict=False)
            if line.strip()
        ]
        scores = iter(judge.score(pairs))
        return [f"{next(scores):.{DECIMALS}f}" if line.strip() else line for line in lines]

    return answer


def parted(line: str, where: str) -> tuple[str, str]:
    """A line's source and target."""
    source, *targets = line.split("\t")
    if not targets or not source.strip():
        raise InputError(
            f"{where}: {'no source' if targets else 'one column'}; source and target go in two, split by a tab"
        )
    return source, targets[0]
