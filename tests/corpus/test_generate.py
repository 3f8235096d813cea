import re
from datetime import date
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.corpus.generate import KINDS, english, french, generate, strings
from regard.corpus.generate.dates import MONTHS, WEEKDAYS, with_ending
from regard.errors import InputError


def some(kind, count=400, seed=1):
    return list(islice(generate(kind, seed), count))


def test_strings_and_their_reversals():
    pairs = list(islice(strings("reverse", "abc", 2, 5, seed=1), 200))
    assert all(other == one[::-1] for one, other in pairs)
    assert {len(one) for one, _ in pairs} == {2, 3, 4, 5}
    assert {letter for one, _ in pairs for letter in one} == set("abc")


def test_copies():
    assert all(one == other for one, other in islice(strings("copy", "abc", 1, 5, seed=1), 50))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_pairs(kind):
    assert some(kind, 20, 1) == some(kind, 20, 1) != some(kind, 20, 2)


def test_an_unknown_kind():
    with pytest.raises(InputError, match=r"nothing generates 'date' \(did you mean 'dates'\?\); there are copy, rev"):
        generate("date", 1)


# Numbers. The tiny parser below shares nothing with the grammars; the hand cases hold it and them.

HAND = {
    0: ("zero", "zéro"),
    16: ("sixteen", "seize"),
    17: ("seventeen", "dix-sept"),
    21: ("twenty-one", "vingt et un"),
    61: ("sixty-one", "soixante et un"),
    70: ("seventy", "soixante-dix"),
    71: ("seventy-one", "soixante et onze"),
    77: ("seventy-seven", "soixante-dix-sept"),
    80: ("eighty", "quatre-vingts"),
    81: ("eighty-one", "quatre-vingt-un"),
    90: ("ninety", "quatre-vingt-dix"),
    91: ("ninety-one", "quatre-vingt-onze"),
    99: ("ninety-nine", "quatre-vingt-dix-neuf"),
    100: ("one hundred", "cent"),
    101: ("one hundred and one", "cent un"),
    180: ("one hundred and eighty", "cent quatre-vingts"),
    200: ("two hundred", "deux cents"),
    201: ("two hundred and one", "deux cent un"),
    1000: ("one thousand", "mille"),
    1001: ("one thousand and one", "mille un"),
    1100: ("one thousand one hundred", "mille cent"),
    2000: ("two thousand", "deux mille"),
    71_000: ("seventy-one thousand", "soixante et onze mille"),
    80_000: ("eighty thousand", "quatre-vingt mille"),
    80_080: ("eighty thousand and eighty", "quatre-vingt mille quatre-vingts"),
    200_000: ("two hundred thousand", "deux cent mille"),
    300_300: ("three hundred thousand three hundred", "trois cent mille trois cents"),
    1_000_000: ("one million", "un million"),
    1_000_001: ("one million and one", "un million un"),
    2_000_000: ("two million", "deux millions"),
    80_000_000: ("eighty million", "quatre-vingts millions"),
    200_001_000: ("two hundred million one thousand", "deux cents millions mille"),
    987_654_321: (
        "nine hundred and eighty-seven million six hundred and fifty-four thousand three hundred and twenty-one",
        "neuf cent quatre-vingt-sept millions six cent cinquante-quatre mille trois cent vingt et un",
    ),
}


@pytest.mark.parametrize("number", HAND)
def test_numbers_by_hand(number):
    assert (english.cardinal(number), french.cardinal(number)) == HAND[number]


def test_the_spelling_of_1990_and_other_words():
    assert french.cardinal(71, joined=True) == "soixante-et-onze"
    assert french.cardinal(2_000_201, joined=True) == "deux-millions-deux-cent-un"
    assert [french.cardinal(n, region="belgium") for n in (71, 80, 92)] == [
        "septante et un", "quatre-vingts", "nonante-deux",
    ]  # fmt: skip
    assert french.cardinal(88, region="switzerland") == "huitante-huit"
    assert english.cardinal(100_121, british=False, hyphens=False) == "one hundred thousand one hundred twenty one"


VALUES = {
    word: value
    for words, values in [
        ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen",
         range(16)),
        ("sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety",
         [16, 17, 18, 19, *range(20, 100, 10)]),
        ("zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize", range(17)),
        ("vingt vingts trente quarante cinquante soixante septante huitante nonante",
         [20, 20, 30, 40, 50, 60, 70, 80, 90]),
    ]
    for word, value in zip(words.split(), values, strict=True)
}  # fmt: skip
SCALES = {"hundred": 100, "cent": 100, "cents": 100, "thousand": 1000, "mille": 1000,
          "million": 10**6, "millions": 10**6}  # fmt: skip


def value(words):
    """The number that words say, French or English."""
    done = group = 0
    for word in re.split("[ -]", words):
        if word in ("and", "et"):
            continue
        if word in ("vingt", "vingts") and group % 100 == 4:
            group += 76
        elif word in VALUES:
            group += VALUES[word]
        elif SCALES[word] == 100:
            group += 99 * (group % 100) if group % 100 else 100
        else:
            done, group = done + max(group, 1) * SCALES[word], 0
    return done + group


numbers = st.integers(0, 20_000) | st.integers(0, 10**9 - 1)


@given(numbers, st.booleans(), st.sampled_from(["france", "belgium", "switzerland"]))
def test_words_say_their_number(number, flag, region):
    assert value(english.cardinal(number, british=flag, hyphens=not flag)) == number
    assert value(french.cardinal(number, joined=flag, region=region)) == number


def test_no_two_numbers_have_the_same_words():
    for cardinal in (english.cardinal, french.cardinal):
        assert len({cardinal(number) for number in range(20_001)}) == 20_001


def test_number_pairs():
    digits, to_english, to_french = (some(f"numbers{kind}") for kind in ("", "-fr-en", "-en-fr"))
    assert all(str(value(source)) == target for source, target in digits)
    assert {source.split()[0] for source, _ in digits} >= {"one", "mille"}
    for pairs, cardinal in [(to_english, english.cardinal), (to_french, french.cardinal)]:
        meant = [int(source) if source.isdigit() else value(source) for source, _ in pairs]
        assert [target for _, target in pairs] == [cardinal(number) for number in meant]
        assert 20 < sum(source.isdigit() for source, _ in pairs) < 80
        assert {len(str(number)) for number in meant} == set(range(1, 10))
    assert any("nonante" in source for source, _ in to_english)


# Dates.


def test_ordinals_and_years_by_hand():
    assert [english.ordinal(n) for n in (1, 2, 3, 5, 8, 9, 12, 13, 20, 21, 30)] == [
        "first", "second", "third", "fifth", "eighth", "ninth", "twelfth", "thirteenth", "twentieth", "twenty-first",
        "thirtieth",
    ]  # fmt: skip
    assert [with_ending(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 31)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "23rd", "31st",
    ]  # fmt: skip
    said = {1992: "nineteen ninety-two", 1900: "nineteen hundred", 1905: "nineteen oh five", 2000: "two thousand",
            2009: "two thousand and nine", 2018: "twenty eighteen", 1066: "ten sixty-six", 1000: "one thousand",
            2100: "twenty-one hundred"}  # fmt: skip
    assert {number: english.year(number) for number in said} == said
    assert english.year(2018, thousands=True) == "two thousand and eighteen"


def test_dates_exist_and_say_what_they_say():
    pairs = some("dates", 3000)
    for text, target in pairs:
        day = date.fromisoformat(target)
        months = [name for name in MONTHS if re.search(rf"(?i)\b{name[:3]}", text)]
        assert months in ([], [MONTHS[day.month - 1]])
        if not months:  # figures: read again by the custom that the file states
            first, second, third = map(int, re.split("[./-]", text))
            if "." in text:
                assert (third, second, first) == (day.year, day.month, day.day)
            elif first > 31:
                assert (first, second, third) == (day.year, day.month, day.day)
            else:
                assert {first, second} == {day.month, day.day}
                assert max(first, second) == day.day > 12
                assert third == day.year
        if named := re.match(r"(?i)(mon|tue|wed|thu|fri|sat|sun)", text):
            assert WEEKDAYS[day.weekday()][:3].lower() == named[1].lower()
    assert {"19", "20"} < {target[:2] for _, target in pairs}
    years = [int(target[:4]) for _, target in pairs]
    assert min(years) < 1300
    assert max(years) > 2700


@pytest.mark.parametrize(
    "shape",
    [
        r"^\d+ May \d{4}$", r"^third of \w+,? \d{4}$", r"^the 3rd of May", r"^May 3rd, \d{4}$",
        r"^Sunday, \d+ May \d{4}$", r"nineteen ninety-two$", r"^\d\d\.\d\d\.\d{4}$", r"^\d{4} Dec\.? \d+$",
        r"^\d+-May-\d{4}$",
    ],
)  # fmt: skip
def test_every_shape_comes(shape):
    assert any(re.search(shape, text) for text, _ in islice(generate("dates", 7), 30_000))
