"""English numbers in words, from nought to a thousand million."""

ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = ["-", "-", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

IRREGULAR = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip


def cardinal(number: int, *, british: bool = True, hyphens: bool = True) -> str:
    """A number in words: one hundred and one, or one hundred one where it is not British."""
    assert 0 <= number < 10**9
    parts: list[str] = []
    for size, name in ((10**6, " million"), (10**3, " thousand"), (1, "")):
        group, number = divmod(number, size)
        if group:
            # "and" also joins what is below a hundred to the thousands before it: one thousand and one
            joined = "and " if british and parts and size == 1 and group < 100 else ""
            parts.append(joined + below_thousand(group, british) + name)
    words = " ".join(parts) or ONES[0]
    return words if hyphens else words.replace("-", " ")


def below_thousand(number: int, british: bool) -> str:
    hundreds, rest = divmod(number, 100)
    parts = [f"{ONES[hundreds]} hundred"] if hundreds else []
    if rest:
        parts.append(below_hundred(rest))
    return (" and " if british else " ").join(parts)


def below_hundred(number: int) -> str:
    tens, ones = divmod(number, 10)
    if number < 20:
        return ONES[number]
    return f"{TENS[tens]}-{ONES[ones]}" if ones else TENS[tens]


def ordinal(number: int) -> str:
    """Which one, below a hundred, in words: third, twentieth, thirty-first."""
    words = below_hundred(number)
    start, last = words[: words.rfind("-") + 1], words[words.rfind("-") + 1 :]
    if last in IRREGULAR:
        return start + IRREGULAR[last]
    return start + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def year(number: int, *, thousands: bool = False) -> str:
    """A year from 1000 to 9999 as it is said: nineteen ninety-two; by thousands: two thousand and ten."""
    century, rest = divmod(number, 100)
    if century % 10 == 0 and (rest < 10 or thousands):  # two thousand and nine, never twenty oh nine
        return cardinal(number)
    if rest == 0:
        return f"{below_hundred(century)} hundred"
    return f"{below_hundred(century)} {f'oh {ONES[rest]}' if rest < 10 else below_hundred(rest)}"
