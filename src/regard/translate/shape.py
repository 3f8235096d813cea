"""What of a translation is the source's own: white space around, the end of a sentence, the case of a single word.

And which texts are none: figures, signs, emoji, addresses and placeholders go through as they are.
"""

from collections.abc import Iterable

from regard.text.protect import Span

ENDS = frozenset(".!?…。！？")
NOUNS = ("de", "lb")  # languages that write nouns with a capital
CLOSED = "\"'”’»)]"  # what may stand behind an end


def speaks(text: str, kept: Iterable[Span] = ()) -> bool:
    """Whether there are letters in a text, besides what is kept as it is."""
    at = 0
    for start, end in sorted(kept):
        if any(map(str.isalpha, text[at:start])):
            return True
        at = max(at, end)
    return any(map(str.isalpha, text[at:]))


def shaped(text: str, source: str, language: str = "") -> str:
    """A translation into a language in the shape of its source, neither with white space around."""
    return cased(ended(text, source), source, language)


def ended(text: str, source: str) -> str:
    """With the end of a sentence where the source has one, and without one where it has none."""
    wanted, has = end_of(source), end_of(text)
    if wanted and not has and text[-1:].isalnum():
        return text + wanted
    if has and not wanted and source[-1:].isalnum() and text[-1] in ENDS:
        bare = text.rstrip("".join(ENDS)).rstrip()
        return bare or text
    return text


def end_of(text: str) -> str:
    """The mark that ends a sentence, if there is one."""
    last = text.rstrip(CLOSED)[-1:]
    return last if last in ENDS else ""


def cased(text: str, source: str, language: str) -> str:
    """A single word's translation in its case: all capitals, or small where nouns are, or one capital."""
    if len(source.split()) != 1 or not text or not text[0].isalpha():
        return text
    if source.isupper() and sum(map(str.isalpha, source)) > 1:
        return text.upper()
    if source.islower() and text[0].isupper() and text[1:].islower() and language not in NOUNS:
        return text[0].lower() + text[1:]
    if source[0].isupper() and text[0].islower():
        return text[0].upper() + text[1:]
    return text


def spaced(text: str, source: str) -> str:
    """The text with the white space that stands around the source."""
    start = len(source) - len(source.lstrip())
    return source[:start] + text.strip() + source[len(source.rstrip()) :]
