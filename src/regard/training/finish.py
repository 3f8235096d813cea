"""What lies in a model's folder: the best weights so far at any moment, and at the end scores and a card."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from torch import Tensor, nn

from regard import __version__, folder
from regard.corpus.labels import to_json
from regard.corpus.prepare import Corpus
from regard.engines.ctranslate2 import FastEngine
from regard.engines.export import FOLDER, engine_files, obstacles
from regard.engines.interface import POSITIONS, longest_of
from regard.errors import FolderError
from regard.evaluate.calibrate import fitted
from regard.evaluate.counts import chrf_counts, chrf_of
from regard.evaluate.questions import Question
from regard.evaluate.score import as_json
from regard.models.build import fill_in
from regard.recipe import Recipe, TransformerSpec, to_toml
from regard.training.card.curves import curves
from regard.training.card.whole import card
from regard.training.exam import Exam, answered
from regard.training.watch import Event
from regard.training.watch.journal import read
from regard.translate.answer import Answerer
from regard.translate.translator import BEAM

WEIGHTS, SCORES, CONFIDENCE = "weights.safetensors", "scores.json", "confidence.json"


def model_files(recipe: Recipe, corpus: Corpus, module: nn.Module) -> dict[str, bytes]:
    """All that a model is."""
    from safetensors.torch import save

    files = {"recipe.toml": to_toml(recipe).encode(), WEIGHTS: save(named(module))}
    if corpus.vocabulary is not None:
        files |= corpus.vocabulary.files()
    if corpus.labels is not None:
        files["labels.json"] = to_json(corpus.labels)
    return files


def named(module: nn.Module) -> dict[str, Tensor]:
    """The module's own numbers by name, a tied matrix once, each in memory of its own."""
    return {name: weight.detach().cpu().clone() for name, weight in module.named_parameters()}


def facts(recipe: Recipe, corpus: Corpus, step: int) -> dict[str, object]:
    """What the manifest says beside the files; `longest`: the tokens of the longest source."""
    said = {"regard": __version__, "task": recipe.task, "from": recipe.source, "to": recipe.target, "step": step}
    return {**said, "longest": corpus.train.longest[0]}


def put_model(
    out: Path, recipe: Recipe, corpus: Corpus, module: nn.Module, step: int, more: Mapping[str, bytes] | None = None
) -> None:
    """Makes the module, as it is, the folder's model."""
    folder.put(out, {**model_files(recipe, corpus, module), **(more or {})}, facts(recipe, corpus, step))


def as_file(plain: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(plain))


def finished(out: Path) -> bool:
    """Whether a folder's model has its scores, and each file is as it was written."""
    try:
        return SCORES in folder.open_folder(out)
    except FolderError:
        return False


def has_weights(out: Path) -> bool:
    """Whether the best weights are there as they were written; a manifest that cannot say so goes."""
    try:
        wanted = folder.read_manifest(out)["files"].get(WEIGHTS)
    except FolderError:
        (out / folder.MANIFEST).unlink(missing_ok=True)
        return False
    path = out / WEIGHTS
    return path.is_file() and folder.digest(path.read_bytes()) == wanted


def finish(out: Path, recipe: Recipe, corpus: Corpus, exam: Exam, module: nn.Module, log: Path) -> None:
    """Writes the fast engine, scores what the folder then answers to validation and test, and completes it."""
    fill_in(module, out / WEIGHTS)
    step = folder.read_manifest(out)["step"]
    fast = fast_engine(recipe, corpus, module)
    put_model(out, recipe, corpus, module, step, fast)
    answerer = exam.answerer(module, opened(out, recipe, corpus) if fast else None)
    found: dict[str, dict[str, Any]] = {}
    held = ("valid", corpus.valid, recipe.data.valid), ("test", corpus.test, recipe.data.test)
    for name, pairs, files in held:
        if pairs:
            questions = exam.questions_of(pairs, files)
            _, values = answered(recipe, answerer, questions, BEAM)
            found[name] = as_json(recipe.task, len(questions), values)
    fast |= confidence(recipe, answerer, exam.questions)
    events = best_at(step, read(log))
    more = {
        **fast,
        SCORES: as_file(found),
        "curves.svg": curves(events).encode(),
        "CARD.md": card(out.resolve().name, recipe, corpus.report, events, found).encode(),
    }
    put_model(out, recipe, corpus, module, step, more)


def fast_engine(recipe: Recipe, corpus: Corpus, module: nn.Module) -> dict[str, bytes]:
    """The files of the fast engine, where it can run the model: none otherwise."""
    if obstacles(recipe.model) or corpus.vocabulary is None:
        return {}
    weights = {name: weight.numpy() for name, weight in named(module).items()}
    assert isinstance(recipe.model, TransformerSpec)
    files = engine_files(recipe.model, weights, corpus.vocabulary)
    return {f"{FOLDER}/{name}": data for name, data in files.items()}


def confidence(recipe: Recipe, answerer: Answerer, asked: Sequence[Question]) -> dict[str, bytes]:
    """The file that says how good translations are that the model is so and so sure of; none of other tasks."""
    if recipe.task != "translation":
        return {}
    answers = answerer.translator.translate([source for source, _ in asked])
    each = chrf_counts([one.text for one in answers], [wanted for _, wanted in asked])
    pairs = zip(answers, each, strict=True)
    known = [(one.score, chrf_of(counts) / 100) for one, counts in pairs if one.score is not None]
    return {CONFIDENCE: as_file(fitted(*zip(*known, strict=True))._asdict())} if known else {}


def opened(out: Path, recipe: Recipe, corpus: Corpus) -> FastEngine:
    """The fast engine of a folder."""
    assert corpus.vocabulary is not None
    return FastEngine(out / FOLDER, corpus.vocabulary, longest_of(recipe.model) or POSITIONS)


def best_at(step: int, events: Sequence[Event]) -> list[Event]:
    """The events, where the step whose weights are kept counts as the best: the best ones may have been damaged."""
    return [
        {**event, "best": event["step"] == step} if event["event"] == "validation" and event["step"] >= step else event
        for event in events
    ]
