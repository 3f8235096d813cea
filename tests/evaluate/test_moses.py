import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.evaluate.moses import moses

CASES = {
    "en": {
        "Don't touch the dog's ball, please.": "Don 't touch the dog 's ball , please .",
        "It cost $1,500 (in the 1990's)!": "It cost $ 1,500 ( in the 1990 's ) !",
        'A well-known "U.S. player", J. Smith ...': 'A well-known " U.S. player " , J. Smith ...',
        "He said: 'No.' Twice?!": "He said : ' No . ' Twice ? !",
        "At 3.30 it was snake_case": "At 3.30 it was snake _ case",
        "  tabs\tand\xa0no-break spaces ": "tabs and no-break spaces",
    },
    "fr": {
        "L'eau n'est pas chaude, d'accord ?": "L' eau n' est pas chaude , d' accord ?",
        "Aujourd’hui «oui».": "Aujourd ’ hui « oui » .",
    },
    "de": {"Wie geht's? Z.B. gut.": "Wie geht ' s ? Z.B. gut ."},
}


@pytest.mark.parametrize(("language", "text"), [(code, text) for code, some in CASES.items() for text in some])
def test_by_hand(language, text):
    assert moses(text, language) == CASES[language][text]


@pytest.mark.parametrize("language", ["en", "fr", "de"])
@given(text=st.text() | st.text("ab'., -1s"))
def test_it_only_puts_spaces(language, text):
    got = moses(text, language)
    seen = "".join(c for c in text if c.isprintable() and not c.isspace())
    assert got.replace(" ", "") == seen
    assert got == " ".join(got.split())
