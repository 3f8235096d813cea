"""A hook of mkdocs: in a page, `::: recipe CLASS` becomes the table of that struct's fields, out of its source."""

import re
from pathlib import Path

RECIPE = Path(__file__).parents[1] / "src" / "regard" / "recipe"
CLASS = re.compile(r"^class (\w+)\(.*?\):\n(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^    (\w+): (.+?)(?: = (.+?))?(?:  # (.+))?$", re.MULTILINE)
NAMED = re.compile(r"^(\w+) = Literal\[(.+)\]$", re.MULTILINE)
MARK = re.compile(r"^::: recipe (\w+)$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: object) -> str:
    source = "\n".join(path.read_text(encoding="utf-8") for path in sorted(RECIPE.glob("*.py")))
    classes, named = dict(CLASS.findall(source)), dict(NAMED.findall(source))
    return MARK.sub(lambda found: table(classes[found[1]], named), markdown)


def table(body: str, named: dict[str, str]) -> str:
    """A struct's fields, their defaults, and what the source says beside them; properties and methods are none."""
    fields = re.split(r"\n    (?:def |@)", body)[0]
    rows = []
    for key, kind, default, said in FIELD.findall(fields):
        words = named.get(kind) or kind.partition("Literal[")[2].partition("]")[0]
        choice = f"one of {', '.join(f'`{word.strip()}`' for word in words.split(','))}" if words else ""
        rows.append(f"| `{key}` | `{default or 'needed'}` | {'; '.join(filter(None, (said, choice)))} |")
    return "\n".join(["| key | default | what it is |", "| --- | --- | --- |", *rows])
