"""Settings over a recipe: single keys (`--set training.rate=1e-3`), another model, other data.

What is set is checked like a recipe's own text.
"""

import tomllib
from collections.abc import Iterable
from typing import Any, cast

import msgspec

from regard.errors import RecipeError, nearest
from regard.recipe.fields import Spec, checked, hints
from regard.recipe.read import dump, from_plain, kind_of, load, shipped
from regard.recipe.specs import Recipe, StackSpec, TransformerSpec
from regard.recipe.tasks import KINDS, check_task, columns_for

PRESETS = ("tiny", "small", "base", "big")
SIZE = ("width", "inner", "heads", "dropout")
TASK, KIND = "task", "model.kind"


def overridden(recipe: Recipe, settings: Iterable[str]) -> Recipe:
    """The recipe with the settings, each "key=value": the value as TOML writes it, or a bare word.

    Another task brings the kind of model that it wants, and another model.kind keeps of the model's keys those that it
    has too. A warm-up that would be longer than the steps that are set shrinks with them.
    """
    given = dict(map(parted, settings))
    plain = dump(recipe)
    if TASK in given:
        plain = of_task(plain, check_task(value(given.pop(TASK), str)))
    if KIND in given:
        plain = of_kind(plain, value(given.pop(KIND), str))
    known = types(plain)
    for key, text in given.items():
        if key not in known:
            raise RecipeError(f"--set {key}: there is no such key{meant(key, known)}")
        part, _, name = key.rpartition(".")
        (plain[part] if part else plain)[name] = value(text, known[key])
    if "training.steps" in given and "training.warmup" not in given:
        shrink_warmup(plain["training"], recipe.training.steps)
    return from_plain(plain)


def parted(setting: str) -> tuple[str, str]:
    key, sign, text = setting.partition("=")
    if not sign:
        raise RecipeError(f"--set {setting!r} has no value; say key=value, such as training.rate=1e-3")
    return key.strip(), text.strip()


def value(text: str, kind: Any) -> Any:
    """What the text stands for: a text where one is wanted, else TOML's literal, else a word."""
    try:
        read = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    if len(read) > 1 or (kind is str and not isinstance(read["value"], str)):
        return text
    return read["value"]


def types(plain: dict[str, Any]) -> dict[str, Any]:
    """Each key that can be set, and the type of its field."""
    parts: dict[str, type[Spec]] = {key: one for key, one in hints(Recipe).items() if is_part(one)}
    parts["model"] = kind_of(plain["model"]["kind"])
    inner = {f"{part}.{key}": kind for part, spec in parts.items() for key, kind in hints(spec).items()}
    return inner | {key: kind for key, kind in hints(Recipe).items() if key not in parts} | {KIND: str}


def is_part(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Spec)


def meant(key: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown key: the one of the same name elsewhere, or the nearest."""
    if inside := [one for one in known if one.startswith(f"{key}.")]:
        return f"; set one in it, such as {inside[0]}"
    name = key.rpartition(".")[2]
    same = [one for one in known if one.rpartition(".")[2] == name]
    return f" (did you mean {same[0]!r}?)" if same else nearest(key, known) or "; see the recipes for what there is"


def of_task(plain: dict[str, Any], task: str) -> dict[str, Any]:
    """A recipe for another task; columns that nobody chose become those of the task."""
    old, data = columns_for(plain["task"]), dict(plain["data"])
    for name in ("train", "valid", "test"):
        data[name] = [
            {**files, "columns": columns_for(task)} if files["columns"] == old else files for files in data[name]
        ]
    kind = plain["model"]["kind"]
    return of_kind({**plain, "task": task, "data": data}, kind if kind in KINDS[task] else KINDS[task][0])


def of_kind(plain: dict[str, Any], kind: object) -> dict[str, Any]:
    """A recipe with a model of another kind: its own defaults, but for the old one's keys that it has too.

    A stack of attention blocks that is alone is as high as the encoder was.
    """
    spec, old = kind_of(kind), plain["model"]
    if old["kind"] == kind:
        return plain
    if issubclass(spec, StackSpec) and "encoder_layers" in old:
        old = {**old, "layers": old["encoder_layers"]}
    kept = {key: one for key, one in old.items() if key in spec.__struct_fields__ and fits(spec, key, one)}
    return {**plain, "model": {"kind": kind, **kept}}


def fits(spec: type[Spec], key: str, one: Any) -> bool:
    """Whether a value is one that the field of that name may have; a Transformer ties several, others one."""
    try:
        checked(spec, key, one)
    except RecipeError:
        return False
    return True


def shrink_warmup(training: dict[str, Any], steps: int) -> None:
    """The same share of the steps as before, where it was more than all of them are now."""
    fewer = training["steps"]
    if isinstance(fewer, int) and 0 < fewer < training["warmup"]:
        training["warmup"] = max(1, training["warmup"] * fewer // steps)


def with_preset(recipe: Recipe, preset: str) -> Recipe:
    """The recipe with the model of a shipped one; a stack of another kind has only the size of it.

    Where source and target have tokens of their own, so have the embeddings.
    """
    if preset not in PRESETS:
        raise RecipeError(f"preset is {preset!r}; it must be one of {', '.join(PRESETS)}{nearest(preset, PRESETS)}")
    model = load(shipped(preset)).model
    if isinstance(recipe.model, StackSpec) and not isinstance(recipe.model, TransformerSpec):
        stack = cast(TransformerSpec, model)
        size = {name: getattr(stack, name) for name in SIZE}
        model = msgspec.structs.replace(recipe.model, **size, layers=stack.encoder_layers)
    elif not isinstance(recipe.model, TransformerSpec):
        kind = recipe.model.__struct_config__.tag
        raise RecipeError(f"preset {preset!r} is a Transformer, and model.kind is {kind!r}; set model.width instead")
    elif not recipe.tokens.joint:
        model = msgspec.structs.replace(model, tied=("target", "output"))
    return msgspec.structs.replace(recipe, model=model)
