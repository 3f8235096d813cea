"""A recipe as TOML, every field written out: what lies in a model's folder and made it."""

import json
from typing import Any

from regard.recipe.read import dump
from regard.recipe.specs import Recipe


def to_toml(recipe: Recipe) -> str:
    """The text that `parse` reads as the same recipe; fields that are None are left out."""
    return "\n".join(section(dump(recipe), "")) + "\n"


def section(table: dict[str, Any], path: str) -> list[str]:
    """A table's lines: its plain keys first, as TOML wants it, then the tables in it."""
    plain = [f"{key} = {literal(value)}" for key, value in table.items() if value is not None and not nests(value)]
    for key, value in table.items():
        name = f"{path}{key}"
        for one, head in (
            [(value, f"[{name}]")] if isinstance(value, dict) else [(v, f"[[{name}]]") for v in rows(value)]
        ):
            plain += ["", head, *section(one, f"{name}.")]
    return plain


def nests(value: Any) -> bool:
    return isinstance(value, dict) or bool(rows(value))


def rows(value: Any) -> list[dict[str, Any]]:
    """The tables of a list of tables."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list | tuple) else []


def literal(value: Any) -> str:
    """TOML's strings, numbers, booleans and lists of them look like JSON's, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def difference(old: Recipe, new: Recipe) -> str:
    """The first key in which two recipes differ, with both values; nothing where they are the same."""
    before, after = flat(dump(old), ""), flat(dump(new), "")
    for key in before | after:
        if before.get(key) != after.get(key):
            return f"{key} was {before.get(key)!r} and is {after.get(key)!r}"
    return ""


def flat(table: dict[str, Any], path: str) -> dict[str, Any]:
    """Every value by its key, such as training.rate."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        found |= flat(value, f"{path}{key}.") if isinstance(value, dict) else {path + key: value}
    return found
