"""A text as models learn it, and so as they are asked: one spelling of each letter, no white space around."""

import unicodedata


def tidy(text: str) -> str:
    """The text in NFC, without white space around it; no-break spaces inside stay."""
    return unicodedata.normalize("NFC", text).strip()
