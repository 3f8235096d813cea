"""Dates as people write them, in English, and as ISO 8601 has them: third of May 2009 -> 2009-05-03.

Only what can be read in one way: 03.05.2009 is day first, as everywhere that dots are written; with slashes, where
customs differ, the day is above 12, or the year comes first. Weekdays are true, by the calendar of today.
"""

import random
from collections.abc import Callable, Iterator
from datetime import date, timedelta

import regard.corpus.generate.english as english
from regard.corpus.generate.strings import Pair

# Not strftime's names: those follow the locale.
MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
]  # fmt: skip
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

Shape = Callable[[date, random.Random], str]


def dates(seed: int) -> Iterator[Pair]:
    """Written dates and ISO dates."""
    rng = random.Random(seed)
    while True:
        day = a_day(rng)
        shapes = SHAPES if rng.random() < 0.8 else FIGURES
        text = rng.choice(shapes)(day, rng)
        yield text.lower() if rng.random() < 0.1 else text, iso(day)


def iso(day: date) -> str:
    return f"{day.year:04}-{day.month:02}-{day.day:02}"


def a_day(rng: random.Random) -> date:
    """Nine in ten between 1900 and 2100, the others between 1000 and 2999."""
    first, last = (
        (date(1900, 1, 1), date(2100, 12, 31)) if rng.random() < 0.9 else (date(1000, 1, 1), date(2999, 12, 31))
    )
    return first + timedelta(days=rng.randint(0, (last - first).days))


def the_year(day: date, rng: random.Random) -> str:
    """In figures mostly, else in words."""
    if rng.random() < 0.8:
        return str(day.year)
    return english.year(day.year, thousands=rng.random() < 0.5)


def the_month(day: date, rng: random.Random) -> str:
    """In full mostly, else its first three letters, with or without a full stop."""
    name = MONTHS[day.month - 1]
    if rng.random() < 0.75 or len(name) < 4:
        return name
    return name[:3] + rng.choice(["", "."])


def with_ending(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def which(day: date, rng: random.Random) -> str:
    """The day of the month as an ordinal, in letters or figures."""
    return rng.choice([english.ordinal, with_ending])(day.day)


def day_first(day: date, rng: random.Random) -> str:
    """3 May 2009, third of May 2009, the 3rd of May, 2009."""
    start = rng.choice([str(day.day), which(day, rng), f"{which(day, rng)} of", f"the {which(day, rng)} of"])
    return f"{start} {the_month(day, rng)}{rng.choice(['', '', ','])} {the_year(day, rng)}"


def month_first(day: date, rng: random.Random) -> str:
    """May 3, 2009; May third 2009; May the 3rd, 2009."""
    number = rng.choice([str(day.day), which(day, rng), f"the {which(day, rng)}"])
    return f"{the_month(day, rng)} {number}{rng.choice([',', ',', ''])} {the_year(day, rng)}"


def with_weekday(day: date, rng: random.Random) -> str:
    """Sunday, 3 May 2009; Sun May 3rd, 2009."""
    name = WEEKDAYS[day.weekday()]
    name = name if rng.random() < 0.75 else name[:3]
    return f"{name}{rng.choice([',', ''])} {rng.choice([day_first, month_first])(day, rng)}"


def year_first(day: date, rng: random.Random) -> str:
    """2009 May 3; 2009, May 3rd."""
    return f"{day.year}{rng.choice(['', ','])} {the_month(day, rng)} {rng.choice([str(day.day), which(day, rng)])}"


def dotted(day: date, rng: random.Random) -> str:
    """03.05.2009, 3.5.2009: the day comes first."""
    return rng.choice([f"{day.day:02}.{day.month:02}.{day.year}", f"{day.day}.{day.month}.{day.year}"])


def slashed(day: date, rng: random.Random) -> str:
    """25/12/2009 and 12/25/2009; a day that could be a month stands behind the year: 2009/05/03."""
    if day.day <= 12:
        return f"{day.year}/{day.month:02}/{day.day:02}"
    return rng.choice([f"{day.day}/{day.month:02}/{day.year}", f"{day.month:02}/{day.day}/{day.year}"])


def dashed(day: date, rng: random.Random) -> str:
    """3-May-2009, or as it shall be."""
    return rng.choice([f"{day.day}-{MONTHS[day.month - 1][:3]}-{day.year}", iso(day)])


SHAPES: list[Shape] = [day_first, day_first, month_first, month_first, with_weekday, year_first]
FIGURES: list[Shape] = [dotted, slashed, dashed]
