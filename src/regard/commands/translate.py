"""`regard translate`: a sentence, files or standard input, line by line, into another language."""

import sys
from collections import deque
from collections.abc import Iterable, Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from regard.commands.importing import importing
from regard.commands.lines import (
    Answer,
    Progress,
    answer_all,
    is_file,
    is_there,
    of_file,
    of_input,
    of_text,
    spoken,
    written,
)
from regard.corpus.read import found
from regard.errors import InputError
from regard.text.languages import check_language

if TYPE_CHECKING:
    from regard.model import Model


def translate(
    *words: Annotated[str, Parameter(help="TEXT, or with -o FILE...; without any, standard input is translated.")],
    model: Annotated[str, Parameter(help="A model's folder or name.")],
    out: Annotated[
        Path | None, Parameter(name=["--out", "-o"], help="Where to write: a file, a folder of several.")
    ] = None,
    source: Annotated[str | None, Parameter(name="--from", help="The language of the text, such as en.")] = None,
    target: Annotated[str | None, Parameter(name="--to", help="The language wanted.")] = None,
    beam: Annotated[int, Parameter(help="How many beginnings of an answer are followed at a time.")] = 5,
    force: Annotated[bool, Parameter(negative="", help="Replace what is at OUT.")] = False,
    progress: Annotated[bool, Parameter(negative="", help="Say how far it is, though this is no terminal.")] = False,
    json: Annotated[bool, Parameter(negative="", help="An object a line, with all that is known.")] = False,
) -> None:
    """Translate a text, files, or standard input line by line: one line out for each line in."""
    if beam < 1:
        raise InputError(f"--beam is {beam}; give a whole number above 0")
    jobs = planned(words, out, force)
    with importing("train"):
        from regard.model import load
    translator = load(model)
    translator.translate([])  # a model for another task is refused before anything is read
    check_languages(translator, model, source, target)
    shown = Progress(progress)
    for batches, place in jobs:
        answer = answering(translator, beam, json)
        if place is None:
            answer_all(batches, answer, sys.stdout, shown, whole=json)
        else:
            with written(place) as file:
                answer_all(batches, answer, file, shown, whole=json)
    shown.close()


def planned(words: Sequence[str], out: Path | None, force: bool) -> list[tuple[Iterable[list[str]], Path | None]]:
    """What is to be translated, and where to: a file, or standard output."""
    if out is None and words:
        if len(words) > 1:
            raise InputError(f"{len(words)} texts; put one in quotes, or name files and -o OUT")
        if is_file(words[0]):
            raise InputError(f"{words[0]} is a file; say with -o where its translation goes")
        return [(of_text(spoken(words[0])), None)]
    if out is not None and is_there(out) and not force:
        raise InputError(f"{out} exists; name another place with -o, or say --force to write over it")
    if not words:
        return [(of_input(), out)]
    assert out is not None
    files = [found(Path(word)) for word in words]
    if len(files) == 1:
        return [(of_file(files[0]), out)]
    if len({file.name for file in files}) < len(files):
        raise InputError("two of the files have the same name; translate them one after the other")
    return [(of_file(file), out / file.name) for file in files]


def check_languages(translator: "Model", name: str, source: str | None, target: str | None) -> None:
    """An error where another language is asked for than the model's."""
    for option, wanted, has in (("--from", source, translator.source), ("--to", target, translator.target)):
        if wanted is not None and check_language(wanted) != has:
            pair = f"from {translator.source or 'anything'} to {translator.target or 'anything'}"
            raise InputError(f"{option} is {wanted}, but {name} translates {pair}")


def answering(translator: "Model", beam: int, json: bool) -> Answer:
    """What makes answers of a file's lines, in their order."""
    before: deque[str] = deque(maxlen=translator.context)

    def answer(texts: list[str]) -> list[str]:
        answers = translator.translate(texts, beam, list(before))
        before.extend(text for text in texts if text.strip())
        return [dumps(one.plain(), ensure_ascii=False) if json else one.text for one in answers]

    return answer
