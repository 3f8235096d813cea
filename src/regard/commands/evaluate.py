"""`regard evaluate`: how good a model is on sentences whose right answers are known."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from regard.commands.importing import importing
from regard.commands.lines import MANY, Progress
from regard.corpus.read import Notes, found, packed, read
from regard.corpus.texts import ALONE
from regard.errors import InputError
from regard.evaluate.bootstrap import Bootstrap, paired_bootstrap
from regard.evaluate.questions import questions
from regard.evaluate.score import References, Score, as_json
from regard.evaluate.scores import scores
from regard.evaluate.sentences import Band, by_length, worst
from regard.recipe.data import FilesSpec
from regard.recipe.tasks import columns_for
from regard.text.tidy import tidy
from regard.training.watch.words import COUNTED, clean, figure

if TYPE_CHECKING:
    from regard.model import Model

WIDTH = 80
SAMPLES = 1000  # of the bootstrap

Given = tuple[tuple[str, ...], tuple[str, ...]]  # the parts of a question, and what answers it


@dataclass(frozen=True)
class Exam:
    """What is asked, and for each question the answers that are right."""

    sources: list[str]
    references: References


@dataclass(frozen=True)
class Result:
    """All that is known of a model after its exam; the last four are a translator's."""

    task: str
    exam: Exam
    scores: dict[str, Score]
    hypotheses: list[str]
    bands: list[Band]
    worst: list[int]
    bootstrap: Bootstrap | None


def evaluate(
    *files: Annotated[str, Parameter(help="SRC REF..., texts line by line, or one TSV: source, then reference.")],
    model: Annotated[str, Parameter(help="A model's folder or name.")],
    against: Annotated[str | None, Parameter(help="A second translator to compare it with.")] = None,
    beam: Annotated[int, Parameter(help="How many beginnings of an answer are followed at a time.")] = 5,
    limit: Annotated[int | None, Parameter(help="Only so many sentences, the first ones.")] = None,
    progress: Annotated[bool, Parameter(negative="", help="Say how far it is, though this is no terminal.")] = False,
    json: Annotated[bool, Parameter(negative="", help="One JSON object on standard output.")] = False,
) -> None:
    """Score a model on sentences whose right answers are known: BLEU and chrF, or what its task is judged by."""
    if not files:
        raise InputError("no files; give SRC REF..., texts line by line, or one TSV of sources and references")
    for option, value in (("--beam", beam), ("--limit", limit)):
        if value is not None and value < 1:
            raise InputError(f"{option} is {value}; give a whole number above 0")
    for file in files:
        found(packed(Path(file)))
    with importing("train"):
        from regard.model import load
    one = load(model)
    other = None if against is None else rival(load(against), one, against)
    exam = exam_of(one, files, limit)
    shown = Progress(progress, COUNTED.get(one.task, "sentences"), alone=True)
    result = examined(one, other, exam, beam, shown)
    shown.close()
    if json:
        print(dumps(in_json(result), ensure_ascii=False))
    else:
        show(result, model, against or "")


def rival(other: "Model", one: "Model", name: str) -> "Model":
    """The second model, if it can be compared with the first."""
    if one.task != "translation":
        raise InputError(f"--against compares translators, and this is a model for {one.task}; leave it out")
    theirs, ours = (f"{m.task} {m.source} to {m.target}" for m in (other, one))
    if theirs != ours:
        raise InputError(f"--against {name} is a model for {theirs}; give one for {ours}")
    return other


def exam_of(model: "Model", files: Sequence[str], limit: int | None) -> Exam:
    """What the files ask. Blank rows are passed over; rows without a source, or without any answer, are left out."""
    rows = from_one(model, files[0]) if len(files) == 1 else from_texts(model, files)
    rows = [(asked, answers) for asked, answers in rows if any(asked + answers)]
    whole = [("\t".join(asked), list(filter(None, answers))) for asked, answers in rows if all(asked) and any(answers)]
    if not whole:
        raise InputError(f"{files[0]} is empty; give a sentence a line")
    if len(whole) < len(rows):
        note(f"{' and '.join(files)}: left out, for a side is empty: {len(rows) - len(whole):,}")
    found = questions(model.task, whole, lined=len(files) > 1 or model.context > 0)[:limit]
    return Exam([source for source, _ in found], [some for _, some in found])


def from_one(model: "Model", file: str) -> list[Given]:
    """Of a table: what stands in its last column answers the rest, and a text is its own answer."""
    rows = fields((file,), columns_for(model.task), model)
    return [(row[:-1] or row, row[-1:]) for row in rows]


def from_texts(model: "Model", files: Sequence[str]) -> list[Given]:
    """Of a text of sources and others of references: a line answers the first one's same line."""
    if model.task in ALONE:
        raise InputError(f"{len(files)} files; a model for {model.task} is measured on one text")
    source, *others = files
    pairs = [fields((source, other), (1, 2), model) for other in others]
    return [(same[0][:1], tuple(row[1] for row in same)) for same in zip(*pairs, strict=True)]


def fields(files: tuple[str, ...], columns: tuple[int, ...], model: "Model") -> list[tuple[str, ...]]:
    """The rows' wanted fields, spelt as models learn them; what is odd about them is said on standard error.

    A word's row may have several pronunciations, each in a column.
    """
    notes, spec = Notes(), FilesSpec(files=files, columns=columns)
    rows = list(read(spec, Path(), (model.source, model.target), notes, several=model.task == "g2p"))
    broken = [row.line for row in rows if row.broken]
    said = [f"{' or '.join(files)}: {len(broken)} lines are not UTF-8, the first is line {broken[0]}"] if broken else []
    for line in notes.lines() + said:
        note(line)
    return [tuple(map(tidy, row.fields)) for row in rows]


def note(text: str) -> None:
    print(f"note: {text}", file=sys.stderr)


def examined(model: "Model", other: "Model | None", exam: Exam, beam: int, shown: Progress) -> Result:
    """The model's answers, judged."""
    if model.task in ALONE:
        values = model.measure(exam.sources)
        shown.add(len(exam.sources))
        return Result(model.task, exam, values, [], [], [], None)
    said = answers(model, exam.sources, beam, shown)
    values = scores(model.task, said, exam.references, model.target)
    if model.task != "translation":
        return Result(model.task, exam, values, said, [], [], None)
    bands = by_length(exam.sources, said, exam.references, language=model.target)
    chance = None
    if other is not None:
        theirs = answers(other, exam.sources, beam, shown)
        chance = paired_bootstrap(said, theirs, exam.references, SAMPLES, language=model.target)
    return Result(model.task, exam, values, said, bands, worst(said, exam.references), chance)


def answers(model: "Model", sources: list[str], beam: int, shown: Progress) -> list[str]:
    """What the model says to all of them, a batch at a time; a batch follows those before it."""
    said: list[str] = []
    for start in range(0, len(sources), MANY):
        some = sources[start : start + MANY]
        said += model.predict(some, beam, sources[:start])
        shown.add(len(some))
    return said


def in_json(result: Result) -> dict[str, Any]:
    """The result as `--json` prints it."""
    exam, said = result.exam, result.hypotheses
    shown = as_json(result.task, len(exam.sources), result.scores)
    if result.task == "translation":
        shown["by_length"] = [{**asdict(band), "bleu": round(band.bleu, 2)} for band in result.bands]
        shown["worst"] = [
            {"source": exam.sources[i], "hypothesis": said[i], "references": exam.references[i]} for i in result.worst
        ]
    if result.bootstrap is not None:
        figures = {name: round(value, 4 if name == "p" else 2) for name, value in asdict(result.bootstrap).items()}
        shown["bootstrap"] = {"metric": "bleu", "samples": SAMPLES, **figures}
    return shown


def show(result: Result, model: str, against: str) -> None:
    """The result for a reader, 80 columns wide."""
    exam = result.exam
    print(f"{result.task}: {len(exam.sources):,} {COUNTED.get(result.task, 'sentences')}\n")
    for name, score in result.scores.items():
        value, _, unit = figure(name, score.value).partition(" ")
        print(f"{name:<10} {value:>6} {unit:<1} {score.signature}".rstrip())
    if result.bootstrap is not None:
        table([[verdict(result.bootstrap, model, against)]])
    if result.bands:
        rows = [[f"{b.shortest}-{b.longest or ''}", f"{b.sentences:,}", f"{b.bleu:.2f}"] for b in result.bands]
        table([["source words", "sentences", "bleu"], *rows], right=True)
    if result.worst:
        print("\nThe worst by chrF:")
    for i in result.worst:
        references = [["reference", one] for one in exam.references[i]]
        table([["source", exam.sources[i]], ["hypothesis", result.hypotheses[i]], *references])


def verdict(chance: Bootstrap, model: str, against: str) -> str:
    place = "above" if chance.difference >= 0 else "below"
    doubt = " Chance alone may explain it." if chance.low <= 0 <= chance.high else ""
    return (
        f"{model} is {abs(chance.difference):.2f} BLEU {place} {against} ({chance.first:.2f} and {chance.second:.2f}); "
        f"95 % interval of the difference {chance.low:.2f} to {chance.high:.2f}, p = {chance.p:.3f}, by {SAMPLES:,} "
        f"paired bootstrap samples.{doubt}"
    )


def table(rows: list[list[str]], right: bool = False) -> None:
    """An empty line, then the rows, folded to the width; what a terminal might take for a command is blanked."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for _ in rows[0]:
        grid.add_column(justify="right" if right else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(Text(clean(cell)) for cell in row))
    console = Console(width=WIDTH, color_system=None)
    with console.capture() as lines:
        console.print(grid)
    print("\n" + "\n".join(line.rstrip() for line in lines.get().rstrip("\n").split("\n")))
