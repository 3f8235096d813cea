"""Edit distance, and the error rates of pronunciations: phones with white space between them."""

from collections.abc import Sequence

from regard.errors import InputError
from regard.evaluate.score import References


def edit_distance(a: Sequence[object], b: Sequence[object]) -> int:
    """How many insertions, deletions and substitutions make b of a (Levenshtein)."""
    above = list(range(len(b) + 1))  # from nothing of a to the first j of b
    for i, x in enumerate(a, start=1):
        row = [i]
        left = i
        for j, y in enumerate(b, start=1):
            left = above[j - 1] if x == y else 1 + min(above[j - 1], above[j], left)
            row.append(left)
        above = row
    return above[-1]


def word_error_rate(hypotheses: list[str], references: References) -> float:
    """The share of words whose pronunciation equals none of their references, in percent."""
    wrong = sum(
        hypothesis.split() not in [one.split() for one in some]
        for hypothesis, some in zip(hypotheses, references, strict=True)
    )
    return 100 * wrong / len(hypotheses)


def phone_error_rate(hypotheses: list[str], references: References) -> float:
    """Edits to the nearest references over the number of phones in those, in percent.

    The nearest is the one with the fewest edits; of several such the shortest, so that their order plays no part.
    A further reference never adds edits, but a nearer one that is shorter can raise the rate.
    """
    edits = phones = 0
    for i, (hypothesis, some) in enumerate(zip(hypotheses, references, strict=True), start=1):
        said = hypothesis.split()
        wanted = [one.split() for one in some]
        if not all(wanted):
            raise InputError(f"a reference of word {i} has no phones; leave it out or fill it in")
        fewest, length = min((edit_distance(said, one), len(one)) for one in wanted)
        edits += fewest
        phones += length
    return 100 * edits / phones
