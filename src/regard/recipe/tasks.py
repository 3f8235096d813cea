"""What can be learnt, by which kinds of models, and from which columns of a table."""

from typing import Literal, get_args

from regard.errors import RecipeError, nearest

Task = Literal["translation", "g2p", "language", "fill", "classify", "ratings"]

TWO = ("source", "target")
PAIRS = ("transformer", "recurrent", "bytenet")
KINDS: dict[str, tuple[str, ...]] = {  # of models, the usual one first
    "translation": PAIRS,
    "g2p": PAIRS,
    "language": ("language", "wavenet"),
    "fill": ("fill",),
    "classify": ("classify",),
    "ratings": ("factorization",),
}
COLUMNS: dict[str, tuple[str, ...]] = {  # of a table
    "translation": TWO,
    "g2p": ("word", "sounds"),
    "language": ("sentence",),
    "fill": ("sentence",),
    "classify": ("sentence", "label"),
    "ratings": ("user", "item", "rating"),
}


def check_task(task: str) -> str:
    """The task, if there is one of that name."""
    known = get_args(Task)
    if task not in known:
        raise RecipeError(f"task is {task!r}; it must be one of {', '.join(known)}{nearest(task, known)}")
    return task


def check_kind(task: str, kind: str) -> None:
    """An error where that kind of model does not learn that task."""
    if kind not in KINDS[task]:
        tasks = [other for other, kinds in KINDS.items() if kind in kinds]
        raise RecipeError(
            f"task is {task!r}, but model.kind is {kind!r}, which learns {' and '.join(tasks)}; "
            f"say model.kind = {KINDS[task][0]!r}"
        )


def task_for(kind: object) -> str:
    """What a model of that kind learns where nothing else is said."""
    return next((task for task, kinds in KINDS.items() if kind in kinds), "translation")


def columns_for(task: object) -> tuple[int, ...]:
    """The columns that a table of that task is read by where none are named: its first ones."""
    return tuple(range(1, len(COLUMNS.get(str(task), TWO)) + 1))


def check_columns(task: str, columns: tuple[int, ...]) -> None:
    """An error where a task takes more columns than are named, or fewer."""
    names = COLUMNS[task]
    if len(columns) != len(names):
        raise RecipeError(
            f"columns is {list(columns)}; {task} takes {len(names)}: where {' and '.join(names)} "
            f"stand{'' if len(names) > 1 else 's'}, from 1"
        )


def check_options(task: str, guided: float, context: int) -> None:
    """An error where an option is for other tasks."""
    if guided and task != "translation":
        raise RecipeError(
            f"training.guided is {guided}, but task is {task!r}: only translations have words to link; leave it out"
        )
    if context and task in ("language", "fill", "ratings"):
        raise RecipeError(
            f"data.context is {context}, but task is {task!r}: sentences stand in front of a source; leave it out"
        )
