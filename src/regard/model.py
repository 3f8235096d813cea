"""The facade: a model out of its folder, asked in text.

model = regard.load("my-model")
print(model.translate("le chat noir"))
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, overload

import msgspec

from regard.corpus.labels import Labels, Rated, from_json, sizes_of
from regard.engines.interface import POSITIONS, Engine, longest_of
from regard.errors import FolderError, UserError, needs, reading
from regard.evaluate.calibrate import Curve
from regard.evaluate.score import Score
from regard.folder import MANIFEST, open_folder, read_manifest
from regard.recipe import Recipe, shipped
from regard.recipe import load as load_recipe
from regard.text.context import in_context
from regard.text.tokens import Vocabulary
from regard.translate.answer import Answerer
from regard.translate.shape import spaced
from regard.translate.taught import REACH, taught
from regard.translate.translation import Translation
from regard.translate.translator import BEAM

if TYPE_CHECKING:
    from torch import nn

    from regard.engines.torch import TorchEngine

SHIPPED = Path(__file__).parent / "pretrained"
RECIPE, WEIGHTS, TOKENS, LABELS = "recipe.toml", "weights.safetensors", "tokens.model", "labels.json"
ENGINE, CONFIDENCE = "engine/model.bin", "confidence.json"
LABELLED: dict[str, type] = {"classify": list, "ratings": Rated}  # tasks, and what lies in their LABELS


class Model:
    """A trained model with its tokens and labels; where it has a fast engine, torch waits until it is asked for."""

    def __init__(
        self,
        folder: Path,
        recipe: Recipe,
        paths: Mapping[str, Path],
        vocabulary: Vocabulary | None,
        labels: Labels | None,
        device: str = "",
    ) -> None:
        """On a device that is named, torch answers; else the fast engine where there is one."""
        self.folder, self.recipe, self.paths = folder, recipe, paths
        self.vocabulary, self.labels, self.device = vocabulary, labels, device
        self.task, self.source, self.target = recipe.task, recipe.source, recipe.target
        self.context = recipe.data.context
        fast = not device and ENGINE in paths
        self.answerer = Answerer(
            recipe.task,
            self.fast_engine() if fast else self.engine,
            vocabulary,
            labels,
            recipe.source,
            recipe.target,
            taught(recipe, read_manifest(folder).get("longest", REACH)),
            Curve(**msgspec.json.decode(paths[CONFIDENCE].read_bytes())) if CONFIDENCE in paths else None,
        )

    @cached_property
    def module(self) -> "nn.Module":
        """The weights in torch, to look at or to change."""
        with needs("look"):
            from regard.models.build import build, fill_in
        module = build(self.recipe.model, *sizes(self.recipe, self.vocabulary, self.labels)).eval()
        fill_in(module, self.paths[WEIGHTS])
        return module

    @cached_property
    def engine(self) -> "TorchEngine":
        """Who runs any model, in torch."""
        with needs("look"):
            from regard.engines.torch import TorchEngine
        return TorchEngine(self.module, self.device or "cpu")

    def fast_engine(self) -> Engine:
        from regard.engines.ctranslate2 import FastEngine

        assert self.vocabulary is not None
        return FastEngine(self.paths[ENGINE].parent, self.vocabulary, longest_of(self.recipe.model) or POSITIONS)

    def __repr__(self) -> str:
        languages = f" from {self.source} to {self.target}" if self.target else ""
        return f"<{self.task}{languages}: {self.folder}>"

    @overload
    def translate(self, texts: str, beam: int = BEAM, before: Sequence[str] = ()) -> Translation: ...

    @overload
    def translate(self, texts: list[str], beam: int = BEAM, before: Sequence[str] = ()) -> list[Translation]: ...

    def translate(
        self, texts: str | list[str], beam: int = BEAM, before: Sequence[str] = ()
    ) -> Translation | list[Translation]:
        """The translation of a sentence, or of each of several.

        A model that has learnt to look at the sentences before one takes several for such that follow each other, and
        the first of them for one that follows those `before`.
        """
        if self.task != "translation":
            raise UserError(f"{self.folder} is a model for {self.task}, not for translation; ask it by predict")
        several = [texts] if isinstance(texts, str) else texts
        asked = list(in_context(several, self.context, before)) if self.context else several
        answers = self.answerer.translator.translate(asked, beam)
        found = [
            replace(one, source=text, text=spaced(one.text, text)) if text.strip() else one
            for one, text in zip(answers, several, strict=True)
        ]
        return found[0] if isinstance(texts, str) else found

    def predict(self, texts: Sequence[str], beam: int = BEAM, before: Sequence[str] = ()) -> list[str]:
        """An answer to each text, as the model's task has it: see translate/answer.py; `before` is for translation."""
        if self.task == "translation":
            return [one.text for one in self.translate(list(texts), beam, before)]
        return self.answerer.predict(texts, beam)

    def measure(self, texts: Sequence[str]) -> dict[str, Score]:
        """How well a model for language or fill foresees texts."""
        return self.answerer.measure(texts)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The summed log-probability of each target, given its source; a language model has no use for sources."""
        return self.answerer.score(pairs)


def load(name: str | Path, device: str = "") -> Model:
    """The model of a folder, or the shipped one of that name; its files are verified.

    A device ("cpu", "cuda") has torch compute there, in float32; else the fast engine answers where the model has one.
    """
    folder = find(name)
    paths = open_folder(folder)
    for needed in (RECIPE, WEIGHTS):
        if needed not in paths:
            raise FolderError(f"{folder} has no {needed}; copy the model again")
    recipe = load_recipe(paths[RECIPE])
    vocabulary = Vocabulary.open(paths, recipe.tokens) if TOKENS in paths else None
    labels = from_json(paths[LABELS].read_bytes()) if LABELS in paths else None
    sizes(recipe, vocabulary, labels)  # what is missing is said
    return Model(folder, recipe, paths, vocabulary, labels, device)


def train(recipe: str | Path | Recipe, out: str | Path | None = None, device: str = "") -> Model:
    """Trains by a recipe, a file's or a shipped one's, into a folder; or goes on with the training there.

    Without one, the folder is named for the recipe's file, or for what it learns.
    """
    from regard.training.run import train as run

    name = Path(str(recipe)).stem
    if isinstance(recipe, Recipe):
        name = "-".join(filter(None, (recipe.task, recipe.source, recipe.target)))
    else:
        recipe = load_recipe(recipe if is_path(recipe) or Path(recipe).is_file() else shipped(str(recipe)))
    folder = Path(out if out is not None else name)
    run(recipe, folder, device=device)
    return load(folder, device)


def is_path(name: str | Path) -> bool:
    return isinstance(name, Path) or any(mark in name for mark in (os.sep, os.altsep) if mark)


def find(name: str | Path) -> Path:
    """A folder if the name is a path or a model lies there; else a model that ships with Regard."""
    with reading(name, FolderError):
        if is_path(name) or (Path(name) / MANIFEST).is_file():
            return Path(name)
    known = sorted(path.parent.name for path in SHIPPED.glob(f"*/{MANIFEST}"))
    if name in known:
        return SHIPPED / name
    ships = f"there are {', '.join(known)}" if known else "none ships with this Regard"
    raise UserError(f"no model {str(name)!r}: no folder of that name holds one, and {ships}; give a model's folder")


def sizes(recipe: Recipe, vocabulary: Vocabulary | None, labels: Labels | None) -> tuple[int, ...]:
    """How many tokens, labels, users and items there are, as models/build.py takes them."""
    if vocabulary is None and recipe.task != "ratings":
        raise FolderError(f"a model for {recipe.task} without {TOKENS}; copy the model again")
    if not isinstance(labels, LABELLED.get(recipe.task, object)):
        raise FolderError(f"a model for {recipe.task} without its {LABELS}; copy the model again")
    return sizes_of(recipe.task, [len(tokens) for tokens in vocabulary or ()], labels)
