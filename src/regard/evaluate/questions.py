"""What is asked, and which answers are right: one rule for a model that learns and one that is evaluated."""

from collections.abc import Iterable

Question = tuple[str, list[str]]  # a source, and the answers that are right


def questions(task: str, rows: Iterable[Question], lined: bool) -> list[Question]:
    """What is asked of the rows: where several answers can be right, each source once.

    `lined` translations are of sentences that follow each other, as in two texts: those are asked one by one.
    """
    again = task == "g2p" or (task == "translation" and not lined)
    return grouped(rows) if again else list(rows)


def grouped(rows: Iterable[Question]) -> list[Question]:
    """Each source once, with all of its answers, none of them twice."""
    known: dict[str, list[str]] = {}
    for source, some in rows:
        answers = known.setdefault(source, [])
        answers += [one for one in some if one not in answers]
    return list(known.items())
