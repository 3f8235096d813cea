"""French numbers in words, from zéro to a thousand million, in both spellings and as said in Belgium and Switzerland.

Traditional: hyphens below a hundred, but "et" stands free (vingt et un). Since 1990 all is joined (deux-cent-un).
"""

from typing import Literal

Region = Literal["france", "belgium", "switzerland"]

ONES = [
    "zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze",
    "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf",
]  # fmt: skip
TENS = {2: "vingt", 3: "trente", 4: "quarante", 5: "cinquante", 6: "soixante"}
OWN_TENS: dict[Region, dict[int, str]] = {
    "france": {},
    "belgium": {7: "septante", 9: "nonante"},
    "switzerland": {7: "septante", 8: "huitante", 9: "nonante"},
}


def cardinal(number: int, *, joined: bool = False, region: Region = "france") -> str:
    """A number in words, in the traditional spelling or, joined, in that of 1990."""
    assert 0 <= number < 10**9
    millions, rest = divmod(number, 10**6)
    thousands, last = divmod(rest, 10**3)
    parts = []
    if millions:  # a noun: it takes an s, and leaves what stands before it its own (deux cents millions)
        parts.append(f"{below_thousand(millions, True, region)} million{'s' if millions > 1 else ''}")
    if thousands:  # neither: quatre-vingt mille, deux cent mille; and never "un mille"
        parts.append(f"{below_thousand(thousands, False, region)} mille" if thousands > 1 else "mille")
    if last:
        parts.append(below_thousand(last, True, region))
    words = " ".join(parts) or ONES[0]
    return words.replace(" ", "-") if joined else words


def below_thousand(number: int, plural: bool, region: Region) -> str:
    """`plural`: whether cent and vingt take their s where nothing follows them."""
    hundreds, rest = divmod(number, 100)
    parts = []
    if hundreds:
        parts.append("cent" if hundreds == 1 else f"{ONES[hundreds]} cent{'s' if plural and not rest else ''}")
    if rest:
        parts.append(below_hundred(rest, plural, region))
    return " ".join(parts)


def below_hundred(number: int, plural: bool, region: Region) -> str:
    tens, ones = divmod(number, 10)
    own = {**TENS, **OWN_TENS[region]}
    if number < 20:
        return ONES[number]
    if tens >= 8 and tens not in own:  # quatre-vingts, quatre-vingt-un, quatre-vingt-onze: no "et"
        rest = number - 80
        return f"quatre-vingt-{ONES[rest]}" if rest else f"quatre-vingt{'s' if plural else ''}"
    if tens not in own:
        tens, ones = 6, ones + 10  # soixante-dix, soixante et onze
    if not ones:
        return own[tens]
    return f"{own[tens]} et {ONES[ones]}" if ones in (1, 11) else f"{own[tens]}-{ONES[ones]}"
