"""`regard predict`: what models for anything but translation are for, a text or standard input, line by line."""

import sys
from typing import Annotated

from cyclopts import Parameter

from regard.commands.importing import importing
from regard.commands.lines import Progress, answer_all, of_input, of_text, spoken
from regard.errors import InputError


def predict(
    text: Annotated[str | None, Parameter(help="What to answer; without it, standard input is.")] = None,
    /,
    *,
    model: Annotated[str, Parameter(help="A model's folder or name.")],
    beam: Annotated[int, Parameter(help="How many beginnings of an answer are followed at a time.")] = 5,
    progress: Annotated[bool, Parameter(negative="", help="Say how far it is, though this is no terminal.")] = False,
) -> None:
    """Ask a model what it is for, line by line: a word's sounds, a sentence's label, how a text goes on, what ___ was.

    A model for ratings is asked "user <tab> item".
    """
    if beam < 1:
        raise InputError(f"--beam is {beam}; give a whole number above 0")
    with importing("train"):
        from regard.model import load
    answerer, shown = load(model), Progress(progress)
    batches = of_input() if text is None else of_text(spoken(text))
    answer_all(batches, lambda texts: answerer.predict(texts, beam), sys.stdout, shown, whole=False)
    shown.close()
