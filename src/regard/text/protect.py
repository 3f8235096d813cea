r"""What a translator must leave alone: placeholders and inline tags, each for the while a symbol of text/symbols.py.

    protect("Hi %s, <b>new</b> mail")       # "Hi \ue000, \ue010new\ue020 mail", and what stands behind each symbol
    restore(text, kept)                     # the same back; in a translation too, wherever the symbols went

The same placeholder twice is the same symbol twice. A tag and its end are a numbered pair; a tag without an end,
and an end without its tag, are placeholders. So is a user's own private-use character: none but ours reaches a model.
A pair is protected for training only if both sides hold the same, so that nothing wrong is learnt of placeholders.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from regard.text.symbols import CLOSING, OPENING, PLACEHOLDERS, is_symbol

# In order: of two that begin at the same place the first one wins. No pattern can look far ahead twice.
PATTERN = re.compile(
    r"""
    (?P<private> [\ue000-\ue0ff]+ )
  | (?P<block> \{ \s* \w+ \s* , \s* (?: plural | select | selectordinal ) \s* , )   # ICU, to the brace that closes it
  | (?P<tag> < (?P<end> /? ) (?P<name> \w[\w:.-]* )
        (?: \s+ [\w:@.-]+ \s* = \s* (?: "[^"<>]*" | '[^'<>]*' | [^\s"'<>]+ ) )* \s* (?P<empty> /? ) > )
  | <!-- .{0,999}? -->
  | (?: (?: https? | ftp | file ) :// | \b www\. ) (?: \{\w*\} | [.,;:!?)\]{}'’…]* [^\s<>"“”«»\\.,;:!?)\]{}'’…] )+
  | (?: \b mailto: )? (?<! [\w.+-] ) [\w.+-]{1,64} @ [\w-]+ (?: \.[\w-]+ )+
  | & (?: [A-Za-z]\w{1,31} | \#\d{1,7} | \#[xX][0-9A-Fa-f]{1,6} ) ;
  | \{\{ [^{}]* \}\} | \{% .{0,199}? %\} | [$\#%] \{ [^{}]* \} | \$ (?: \(\w+\) | \[\w+\] )
  | \{ (?: [^\W\d]\w* | \d+ )? (?: \.\w+ | \[ [^][{}]* \] )* (?: ![rsa] )? (?: : (?: [^{}\s]* | %[^{}]* ) )? \}
  | \{ \s* \w+ \s* , \s* (?: number | date | time | ordinal | spellout | duration | choice ) \b [^{}]* \}
  | %% | %\( [^()%]* \) [-+\#0]* \d* (?: \.\d+ )? [A-Za-z]                                       # %(name)s
  | % [A-Z]{2}[A-Z0-9_]* %? | % [A-Za-z]\w{2,} % (?! [%\w(] )                                    # %PRODUCTNAME, %name%
  | % 0? \d+ (?: \.\d+ )? [diouxXeEfFgGcs] (?! [A-Za-z] )                                       # %5.2f
  | % \d+ \$ [-+\#0]* \d* (?: \.\d+ )? [A-Za-z] | % L? \d{1,2} (?! \d )                          # %1$s; Qt's %1
  | (?<! \d ) % [-+\#0]* (?: \d+ | \* )? (?: \. (?: \d+ | \* ) )? (?: hh? | ll? | [Lzjt] )? [A-Za-z]  # %s, not "5%of"
  | \$ (?: [1-9] (?! [\d.,]*\d ) (?! \s (?: thousand | [mb]illion ) ) | [^\W\d]\w* \$? ) # $1, not $1.50; $name$
    """,
    re.VERBOSE,
)
VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)  # HTML's, which never have an end

WORTH = re.compile(r"[<{%$@&\ue000-\ue0ff]|://|www\.")  # without any of these there is nothing to find


class Protected(NamedTuple):
    text: str
    kept: dict[str, str]  # symbol -> what it stands for


Span = tuple[int, int]


class Item(NamedTuple):
    """Something to be kept: a placeholder, or a tag and its end."""

    originals: tuple[str, ...]  # one, or two
    spans: tuple[Span, ...]  # where they stand


Key = tuple[tuple[str, ...], int]  # an item's originals; which of several equal pairs of tags it is


def protect(text: str) -> Protected:
    """The text with symbols for its placeholders and tags; what is too many for them stays as it is."""
    items = find(text)
    return put(text, items, symbols(keys(items)))


def restore(text: str, kept: Mapping[str, str]) -> str:
    """The text with what its symbols stand for."""
    return "".join(kept.get(character, character) for character in text)


def protect_pair(source: str, target: str) -> tuple[Protected, Protected] | None:
    """Both sides with the same symbols for the same; None where they do not hold the same placeholders and tags."""
    ours, theirs = find(source), find(target)
    if any(map(is_symbol, source + target)) or sorted(i.originals for i in ours) != sorted(i.originals for i in theirs):
        return None
    names = symbols(keys(ours))
    return put(source, ours, names), put(target, theirs, names)


def put(text: str, items: Iterable[Item], names: Mapping[Key, tuple[str, ...]]) -> Protected:
    """The text with the named items' symbols in their places."""
    kept: dict[str, str] = {}
    edits: list[tuple[Span, str]] = []
    for key, item in zip(keys(items), items, strict=True):
        if key in names:
            kept.update(zip(names[key], item.originals, strict=True))
            edits += zip(item.spans, names[key], strict=True)
    pieces, at = [], 0
    for (start, end), symbol in sorted(edits):
        pieces += [text[at:start], symbol]
        at = end
    pieces.append(text[at:])
    if any(is_symbol(character) for stays in pieces[::2] for character in stays):
        return as_one(text)
    return Protected("".join(pieces), kept)


def as_one(text: str) -> Protected:
    """One placeholder from the first to the last private-use character of a text with more of them than symbols."""
    places = [i for i, character in enumerate(text) if is_symbol(character)]
    start, end = places[0], places[-1] + 1
    return Protected(text[:start] + PLACEHOLDERS[0] + text[end:], {PLACEHOLDERS[0]: text[start:end]})


def symbols(wanted: Iterable[Key]) -> dict[Key, tuple[str, ...]]:
    """Symbols for the first MOST placeholders and the first MOST pairs of tags."""
    unique = list(dict.fromkeys(wanted))
    placeholders, tags = ([key for key in unique if len(key[0]) == size] for size in (1, 2))
    return {
        **{key: (symbol,) for key, symbol in zip(placeholders, PLACEHOLDERS, strict=False)},
        **dict(zip(tags, zip(OPENING, CLOSING, strict=True), strict=False)),
    }


def keys(items: Iterable[Item]) -> Iterator[Key]:
    """The items' keys: equal placeholders have the same, equal pairs of tags are counted."""
    seen: Counter[tuple[str, ...]] = Counter()
    for item in items:
        yield item.originals, seen[item.originals]
        seen[item.originals] += len(item.spans) - 1


def find(text: str) -> list[Item]:
    """All placeholders and tags of a text, in the order they begin."""
    if not WORTH.search(text):
        return []
    found = list(scan(text))
    partners = pair_up([match for match, _ in found])
    ends = set(partners.values())
    items = []
    for i, (_, span) in enumerate(found):
        if i not in ends:
            spans = (span, found[partners[i]][1]) if i in partners else (span,)
            items.append(Item(tuple(text[start:end] for start, end in spans), spans))
    return items


def scan(text: str) -> Iterator[tuple[re.Match[str], Span]]:
    """Everything that PATTERN finds, each block up to the brace that closes it."""
    at = 0
    closing: dict[int, int] | None = None
    while match := PATTERN.search(text, at):
        start, end = match.span()
        if match["block"]:
            closing = braces(text) if closing is None else closing
            end = closing.get(start, start)
        if end > start:
            yield match, (start, end)
        at = max(end, start + 1)


def braces(text: str) -> dict[int, int]:
    """Where each opening brace's group ends."""
    ends: dict[int, int] = {}
    open_ones: list[int] = []
    for match in re.finditer("[{}]", text):
        if match[0] == "{":
            open_ones.append(match.start())
        elif open_ones:
            ends[open_ones.pop()] = match.end()
    return ends


def pair_up(matches: list[re.Match[str]]) -> dict[int, int]:
    """Which match is the end of which tag; what crosses or lacks the other one has none."""
    partners: dict[int, int] = {}
    waiting: list[int] = []
    for i, match in enumerate(matches):
        if not match["tag"] or match["empty"] or match["name"].lower() in VOID:
            continue
        if not match["end"]:
            waiting.append(i)
        elif match["name"] in (names := [matches[other]["name"] for other in waiting]):
            last = len(names) - 1 - names[::-1].index(match["name"])
            partners[waiting[last]] = i
            del waiting[last:]
    return partners
