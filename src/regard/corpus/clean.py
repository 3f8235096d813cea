"""What makes a pair unfit to learn from: the rules, each with a name, and the report of what they dropped."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any, Literal, NamedTuple

from regard.errors import InputError
from regard.recipe.data import DataSpec
from regard.text.languages import CODE, can_tell, is_other, language_of, own_words

RULES = (
    "broken encoding", "empty", "control characters", "too long", "length ratio", "copy of the source",
    "wrong language", "duplicate",
)  # fmt: skip
Sides = Literal["both", "source", "alone", "none"]  # what is text: both; not the target (a label); no target; neither

# Category Cc but for the tab, what stands for broken characters, and the characters that are ours (symbols.is_symbol).
_CONTROL = re.compile("[\0-\x08\x0a-\x1f\x7f-\x9f\ufffd\ue000-\ue0ff]")
_PUNCTUATION = "".join(c for c in map(chr, range(0x10000)) if unicodedata.category(c)[0] == "P") + " "
ENOUGH = 0.4  # the share of a sentence's words from which on they are taken for its language
MOST_BROKEN = 0.01  # of a file's rows
SHOWN = 60  # characters of an example


def normal(text: str) -> str:
    """What makes two texts the same: NFKC, no case, single spaces, no punctuation around."""
    text = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return text.strip(_PUNCTUATION) or text


class Rules(NamedTuple):
    """The rules with all they need to know; small enough to be sent to each process."""

    spec: DataSpec
    languages: tuple[str, str] = ("", "")
    words: tuple[frozenset[str] | None, frozenset[str] | None] = (None, None)  # None: that side's language is not asked
    sides: Sides = "both"

    def check(self, source: str, target: str, broken: bool = False) -> str | None:
        """The name of the first rule that drops the pair, tidied before; None for a pair to keep."""
        if broken:
            return "broken encoding"
        if not source or not (target or self.sides == "alone"):
            return "empty"
        return self._of_text(source, target) if self.spec.clean and self.sides != "none" else None

    def sound(self, source: str) -> bool:
        """Whether a source is fit to be another's context."""
        return bool(source) and not _CONTROL.search(source) and len(source) <= self.spec.longest

    def _of_text(self, source: str, target: str) -> str | None:
        both = self.sides == "both"
        if _CONTROL.search(source) or (both and _CONTROL.search(target)):
            return "control characters"
        longer, shorter = max(len(source), len(target)), min(len(source), len(target))
        if (longer if both else len(source)) > self.spec.longest:
            return "too long"
        if both and longer > self.spec.ratio * shorter + 20:
            return "length ratio"
        if both and longer - shorter < 10 and self._copied(source, target):
            return "copy of the source"
        foreign = self._foreign(source, 0) or (both and self._foreign(target, 1))
        return "wrong language" if foreign else None

    def _copied(self, source: str, target: str) -> bool:
        """Short ones may be equal (names, labels of buttons, placeholders), and all where the language is the same."""
        if self.languages[0] == self.languages[1] != "":
            return False
        return len(CODE.sub(" ", source).split()) > 3 and normal(source) == normal(target)

    def _foreign(self, text: str, side: int) -> bool:
        own = self.words[side]
        if own is None or len(text) < 10:
            return False
        words = text.lower().split()
        known = sum([word in own for word in words])
        return known < ENOUGH * len(words) and is_other(text, self.languages[side])


def learnt(
    sample: Sequence[tuple[str, str]], spec: DataSpec, languages: tuple[str, str], sides: Sides = "both"
) -> Rules:
    """The rules, with the words of each language as a sample of the corpus has them."""
    words: list[frozenset[str] | None] = [None, None]
    texts = [[pair[side] for pair in sample] for side in (0, 1)]
    for side in {"both": (0, 1), "source": (0,), "alone": (0,), "none": ()}[sides]:
        if spec.clean and spec.languages and can_tell(languages[side]):
            others = texts[1 - side] if sides == "both" and languages[0] != languages[1] else []
            words[side] = own_words(texts[side], others, languages[side])
    return Rules(spec, languages, (words[0], words[1]), sides)


def refuse_swapped(sample: Sequence[tuple[str, str]], languages: tuple[str, str], name: str) -> None:
    """An error where the first column is in the target's language and the second in the source's."""
    if languages[0] == languages[1] or not all(map(can_tell, languages)):
        return
    texts = [[language_of(text, language) for text in _joined(pair[side] for pair in sample)]
             for side, language in enumerate(languages)]  # fmt: skip
    swapped = [
        sum(one == other for one in found) > 0.5 * len(found)
        for found, other in zip(texts, languages[::-1], strict=True)
    ]
    if all(swapped) and texts[0]:
        raise InputError(
            f"{name}: the columns look swapped, the first is in {languages[1]!r} and the second in {languages[0]!r}; "
            "say --columns 2,1, or change --from and --to"
        )


def _joined(texts: Iterable[str], letters: int = 200, most: int = 100) -> list[str]:
    """The first texts put together until each is long enough to tell its language."""
    done: list[str] = []
    now = ""
    for text in texts:
        now = f"{now} {text}"
        if len(now) > letters:
            done, now = [*done, now], ""
        if len(done) == most:
            break
    return done


class Example(NamedTuple):
    file: str
    line: int
    source: str
    target: str


class Report:
    """How many rows were read and kept, and what each rule dropped, with three examples."""

    def __init__(self) -> None:
        self.read = 0
        self.dropped: dict[str, int] = {}
        self.examples: dict[str, list[Example]] = {}
        self.notes: list[str] = []

    @property
    def kept(self) -> int:
        return self.read - sum(self.dropped.values())

    def drop(self, rule: str, count: int, examples: Iterable[Example] = ()) -> None:
        if count:
            self.dropped[rule] = self.dropped.get(rule, 0) + count
            self.examples[rule] = [*self.examples.get(rule, []), *examples][:3]

    def lines(self) -> list[str]:
        """The report for a terminal of 80 columns."""
        lines = [_counted("read", self.read, self.read), _counted("kept", self.kept, self.read)]
        for rule in sorted(self.dropped, key=RULES.index):
            lines.append(_counted(rule, self.dropped[rule], self.read))
            lines += [_shown(example) for example in self.examples[rule]]
        return lines + self.notes

    def as_dict(self) -> dict[str, Any]:
        dropped = {
            rule: {"count": count, "examples": [example._asdict() for example in self.examples[rule]]}
            for rule, count in self.dropped.items()
        }
        return {"read": self.read, "kept": self.kept, "dropped": dropped, "notes": self.notes}


def cut(text: str, length: int = SHOWN) -> str:
    """The text on one line, cut; what doesn't print as its escape."""
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[: length + 1])
    return text if len(text) <= length else f"{text[: length - 3]}..."


def example(file: str, line: int, source: str, target: str) -> Example:
    return Example(file, line, cut(source), cut(target))


def _counted(what: str, count: int, of: int) -> str:
    return f"{what:<20}{count:>14,}{100 * count / max(of, 1):>8.1f} %"


def _shown(example: Example) -> str:
    where = cut(f"{PurePath(example.file).name}:{example.line}", 30)
    room = min(SHOWN, 80 - 6 - len(where))
    half = max((room - 3) // 2, room - 3 - len(example.target))
    source = cut(example.source, half)
    both = f"{source} | {cut(example.target, room - 3 - len(source))}" if example.target else cut(example.source, room)
    return f"    {where}  {both}"


def refuse_broken(file: str, rows: int, broken: int, first: int) -> None:
    """An error where so much of a file is no UTF-8 that it is in another encoding."""
    if broken > MOST_BROKEN * rows:
        raise InputError(
            f"{file}, line {first}: no UTF-8, as in {broken:,} of {rows:,} rows; save the file as UTF-8 and start again"
        )
