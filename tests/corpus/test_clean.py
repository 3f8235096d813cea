import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.corpus.clean import (
    RULES,
    Report,
    Rules,
    Sides,
    example,
    learnt,
    normal,
    refuse_broken,
    refuse_swapped,
)
from regard.errors import InputError
from regard.recipe.data import DataSpec
from regard.text.symbols import ALL
from regard.text.tidy import tidy

ENGLISH = [
    "The little dog runs over the green field and barks.",
    "My sister says that she will come home on Sunday evening.",
    "We have been waiting for the train for more than an hour.",
    "Where did you put the book that I gave you last week?",
    "They were all very tired when they came back from the mountains.",
    "If it rains tomorrow, we are going to stay in the house.",
    "He has never seen the sea, but he dreams of it every night.",
]
FRENCH = [
    "Le petit chien court dans le champ vert et il aboie.",
    "Ma sœur dit qu'elle va rentrer à la maison dimanche soir.",
    "Nous attendons le train depuis plus d'une heure déjà.",
    "Où est-ce que tu as mis le livre que je t'ai donné la semaine dernière ?",
    "Ils étaient tous très fatigués quand ils sont revenus de la montagne.",
    "S'il pleut demain, nous allons rester dans la maison.",
    "Il n'a jamais vu la mer, mais il en rêve toutes les nuits.",
]
GERMAN = "Der kleine Hund läuft über die grüne Wiese und bellt dabei sehr laut."
PAIRS = list(zip(FRENCH, ENGLISH, strict=True))
SPEC = DataSpec()


@pytest.fixture(scope="module")
def rules() -> Rules:
    return learnt(PAIRS * 7, SPEC, ("fr", "en"))


def test_sound_pairs_are_kept(rules: Rules) -> None:
    assert not any(rules.check(*pair) for pair in PAIRS)


@pytest.mark.parametrize(
    ("source", "target", "rule"),
    [
        ("Oui", "", "empty"),
        ("", "Yes", "empty"),
        ("Oui\x85", "Yes", "control characters"),
        ("Oui", "Y\ves", "control characters"),
        ("Oui", "Y\ufffds", "control characters"),
        ("Oui\tnon", "Yes\tno", None),
        ("a" * 1001, "b" * 900, "too long"),
        ("a" * 1000, "b" * 900, None),
        ("a" * 37, "b" * 4, "length ratio"),  # 4 x 4 + 20
        ("a" * 36, "b" * 4, None),
        ("Tom aime Marie Curie.", "tom aime Marie  Curie", "copy of the source"),
        ("New York Times", "New York Times", None),
        ("{0} / {1} – {2}: %d", "{0} / {1} – {2}: %d", None),
        (FRENCH[0], GERMAN, "wrong language"),
        (GERMAN, ENGLISH[0], "wrong language"),
        (FRENCH[0], FRENCH[2], "wrong language"),
        ("C'est la vie", "C'est la vie", None),
    ],
)
def test_each_rule(rules: Rules, source: str, target: str, rule: str | None) -> None:
    assert rules.check(source, target) == rule


def test_broken_goes_first_and_always(rules: Rules) -> None:
    assert rules.check("", "", broken=True) == "broken encoding"
    unclean = Rules(DataSpec(clean=False))
    assert [unclean.check("a", "b", True), unclean.check("", "b")] == ["broken encoding", "empty"]
    assert unclean.check("a\0" * 5000, "b") is None


@pytest.mark.parametrize("symbol", ALL)
def test_a_symbol_of_ours_is_no_text(symbol: str) -> None:
    assert Rules(SPEC).check(f"a{symbol}", "b") == "control characters"


CONTROLS = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Cc" and chr(code) != "\t"]


def test_all_of_category_cc_but_the_tab() -> None:
    assert len(CONTROLS) == 64
    assert {Rules(SPEC).check(f"a{control}b", "b") for control in CONTROLS} == {"control characters"}


@pytest.mark.parametrize(
    ("sides", "dropped"),
    [
        ("both", ["empty", "length ratio", "too long", None]),
        ("source", ["empty", None, "too long", None]),
        ("alone", [None, None, "too long", None]),
        ("none", ["empty", None, None, None]),
    ],
)
def test_only_what_is_text_is_held_to_the_rules(sides: Sides, dropped: Sequence[str | None]) -> None:
    rules = Rules(SPEC, sides=sides)
    pairs = [("text", ""), ("a long text " * 9, "1"), ("a" * 2000, "1"), ("text", "1")]
    assert [rules.check(*pair) for pair in pairs] == dropped


def test_languages_are_learnt_for_the_sides_that_are_text() -> None:
    def known(sides: Sides, spec: DataSpec = SPEC) -> list[bool]:
        return [words is not None for words in learnt(PAIRS, spec, ("fr", "en"), sides).words]

    assert [known(sides) for sides in ("both", "source", "alone", "none")] == [
        [True, True],
        [True, False],
        [True, False],
        [False, False],
    ]
    assert known("both", DataSpec(languages=False)) == known("both", DataSpec(clean=False)) == [False, False]
    assert learnt(PAIRS, SPEC, ("ii", "")).words == (None, None)


def test_rewriting_in_one_language_may_copy() -> None:
    rules = learnt([(text, text) for text in ENGLISH] * 7, SPEC, ("en", "en"))
    assert not any(rules.check(text, text) for text in ENGLISH)
    assert rules.check(ENGLISH[0], GERMAN) == "wrong language"


def test_swapped_columns() -> None:
    refuse_swapped(PAIRS, ("fr", "en"), "a.tsv")
    refuse_swapped(PAIRS, ("de", "cs"), "a.tsv")  # wrong, but not for being swapped
    refuse_swapped(PAIRS[:1], ("en", "fr"), "a.tsv")  # too little to tell
    with pytest.raises(InputError, match=r"^a\.tsv: the columns look swapped, the first is in 'fr'.*say --columns 2,1"):
        refuse_swapped(PAIRS, ("en", "fr"), "a.tsv")


def test_tidy_and_normal_by_hand() -> None:
    assert tidy(" \u00a0e\u0301t\u00e9\u00a0!\r") == "été\u00a0!"
    assert normal("« Allez\u202f!  STRASSE ﬁn »") == "allez ! strasse fin"
    assert normal("?!") == "?!"


@given(st.text())
def test_normal_is_settled(text: str) -> None:
    assert normal(tidy(text)).strip() == normal(tidy(text)) == normal(f" {text} ")


def test_the_report() -> None:
    report = Report()
    report.read = 12345
    for line in range(1, 6):
        report.drop("empty", 20, [example("data/a.tsv", line, "x" * 99, "")])
    report.drop("broken encoding", 1, [example("data/a.tsv", 7, "a\x85\n\u202e", "y" * 99)])
    report.drop("duplicate", 0)
    assert report.lines() == [
        "read                        12,345   100.0 %",
        "kept                        12,244    99.2 %",
        "broken encoding                  1     0.0 %",
        f"    a.tsv:7  a\\x85\\n\\u202e | {'y' * 41}...",
        "empty                          100     0.8 %",
        *[f"    a.tsv:{line}  {'x' * 57}..." for line in (1, 2, 3)],
    ]
    assert report.as_dict()["dropped"]["empty"] == {
        "count": 100,
        "examples": [{"file": "data/a.tsv", "line": n, "source": "x" * 57 + "...", "target": ""} for n in (1, 2, 3)],
    }
    assert set(report.as_dict()) == {"read", "kept", "dropped", "notes"}


@given(st.sampled_from(RULES), st.text(), st.text(min_size=1), st.integers(1, 10**9), st.text("ab.c", min_size=1))
def test_the_report_fits_the_terminal(rule: str, source: str, target: str, line: int, file: str) -> None:
    report = Report()
    report.read = 10**11
    report.drop(rule, 10**9, [example(file * 20, line, source * 20, target * 20)])
    assert all(len(one) <= 80 and one.isprintable() for one in report.lines())


@pytest.mark.parametrize(("rows", "broken"), [(100_000, 1001), (1000, 11), (100, 2), (5, 1)])
def test_much_broken_encoding_is_an_error(rows: int, broken: int) -> None:
    with pytest.raises(InputError, match=rf"^a\.tsv, line 3: no UTF-8, as in {broken:,} of {rows:,} rows; save"):
        refuse_broken("a.tsv", rows, broken, 3)


@pytest.mark.parametrize(("rows", "broken"), [(0, 0), (100_000, 1000), (500, 5), (100, 1), (7, 0)])
def test_some_broken_encoding_is_none(rows: int, broken: int) -> None:
    refuse_broken("a.tsv", rows, broken, 3)
