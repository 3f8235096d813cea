"""Tokens that are no text: the four that every vocabulary begins with, and characters that stand for something else.

The characters are of Unicode's private use area: no keyboard types them, SentencePiece never splits them, and what a
user's text holds of them is not ours (`is_symbol` finds it).
"""

UNK, PAD, BOS, EOS = 0, 1, 2, 3  # an unknown token, filling behind the end, the begin, the end
SPECIALS = 4

MOST = 10  # placeholders, and pairs of tags, that one sentence may hold
PLACEHOLDERS = [chr(0xE000 + i) for i in range(MOST)]  # the first %s, {name} or URL of a sentence, the second, ...
OPENING = [chr(0xE010 + i) for i in range(MOST)]  # the first <b> of a sentence, ...
CLOSING = [chr(0xE020 + i) for i in range(MOST)]  # its </b>
TERM, WANTED, TERM_END = "\ue030", "\ue031", "\ue032"  # TERM a source word WANTED its translation TERM_END
BREAK = "\ue033"  # between a sentence and the one before it, given as context
MASK = "\ue034"  # a missing word that is to be filled in

ALL = [*PLACEHOLDERS, *OPENING, *CLOSING, TERM, WANTED, TERM_END, BREAK, MASK]


def is_symbol(character: str) -> bool:
    """Whether the character is one of ours, or may become one: the private use area's first row."""
    return "\ue000" <= character <= "\ue0ff"
