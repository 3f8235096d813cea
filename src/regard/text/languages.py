"""Which languages there are by ISO 639-1, how a code that a user typed is read, and whether a text is in another."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from regard.errors import InputError, nearest

_TABLE = """
aa Afar; ab Abkhazian; ae Avestan; af Afrikaans; ak Akan; am Amharic; an Aragonese; ar Arabic; as Assamese; av Avaric;
ay Aymara; az Azerbaijani; ba Bashkir; be Belarusian; bg Bulgarian; bh Bihari; bi Bislama; bm Bambara; bn Bengali;
bo Tibetan; br Breton; bs Bosnian; ca Catalan; ce Chechen; ch Chamorro; co Corsican; cr Cree; cs Czech;
cu Church Slavonic; cv Chuvash; cy Welsh; da Danish; de German; dv Divehi; dz Dzongkha; ee Ewe; el Greek; en English;
eo Esperanto; es Spanish; et Estonian; eu Basque; fa Persian; ff Fulah; fi Finnish; fj Fijian; fo Faroese; fr French;
fy Western Frisian; ga Irish; gd Scottish Gaelic; gl Galician; gn Guarani; gu Gujarati; gv Manx; ha Hausa; he Hebrew;
hi Hindi; ho Hiri Motu; hr Croatian; ht Haitian Creole; hu Hungarian; hy Armenian; hz Herero; ia Interlingua;
id Indonesian; ie Interlingue; ig Igbo; ii Sichuan Yi; ik Inupiaq; io Ido; is Icelandic; it Italian; iu Inuktitut;
ja Japanese; jv Javanese; ka Georgian; kg Kongo; ki Kikuyu; kj Kuanyama; kk Kazakh; kl Greenlandic; km Khmer;
kn Kannada; ko Korean; kr Kanuri; ks Kashmiri; ku Kurdish; kv Komi; kw Cornish; ky Kyrgyz; la Latin; lb Luxembourgish;
lg Ganda; li Limburgish; ln Lingala; lo Lao; lt Lithuanian; lu Luba-Katanga; lv Latvian; mg Malagasy; mh Marshallese;
mi Maori; mk Macedonian; ml Malayalam; mn Mongolian; mr Marathi; ms Malay; mt Maltese; my Burmese; na Nauru;
nb Norwegian Bokmål; nd North Ndebele; ne Nepali; ng Ndonga; nl Dutch; nn Norwegian Nynorsk; no Norwegian;
nr South Ndebele; nv Navajo; ny Chichewa; oc Occitan; oj Ojibwa; om Oromo; or Odia; os Ossetian; pa Punjabi; pi Pali;
pl Polish; ps Pashto; pt Portuguese; qu Quechua; rm Romansh; rn Rundi; ro Romanian; ru Russian; rw Kinyarwanda;
sa Sanskrit; sc Sardinian; sd Sindhi; se Northern Sami; sg Sango; sh Serbo-Croatian; si Sinhala; sk Slovak;
sl Slovenian; sm Samoan; sn Shona; so Somali; sq Albanian; sr Serbian; ss Swati; st Southern Sotho; su Sundanese;
sv Swedish; sw Swahili; ta Tamil; te Telugu; tg Tajik; th Thai; ti Tigrinya; tk Turkmen; tl Tagalog; tn Tswana;
to Tongan; tr Turkish; ts Tsonga; tt Tatar; tw Twi; ty Tahitian; ug Uyghur; uk Ukrainian; ur Urdu; uz Uzbek; ve Venda;
vi Vietnamese; vo Volapük; wa Walloon; wo Wolof; xh Xhosa; yi Yiddish; yo Yoruba; za Zhuang; zh Chinese; zu Zulu
"""

NAMES: dict[str, str] = {entry.strip()[:2]: entry.strip()[3:] for entry in _TABLE.split(";")}

# Codes of countries that are often taken for those of their languages (only such as no language has).
_COUNTRIES = {"cn": "zh", "cz": "cs", "dk": "da", "gb": "en", "gr": "el", "jp": "ja", "ua": "uk", "us": "en"}


def check_language(code: str) -> str:
    """The language's code in small letters, without a region: "EN-GB" is "en"."""
    known = code.strip().lower().replace("_", "-").partition("-")[0]
    if known in NAMES:
        return known
    raise InputError(f"unknown language {code!r}{_meant(known)}; give its code of ISO 639-1, such as en, fr or zh")


def _meant(word: str) -> str:
    """The code that was probably meant: of a country's code, a language's name, a code of three letters, a slip."""
    guesses = [_COUNTRIES[word]] if word in _COUNTRIES else []
    if len(word) > 2:
        guesses += [code for code, name in NAMES.items() if name.lower().startswith(word)]
        guesses += [word[:2]] if len(word) == 3 and word[:2] in NAMES else []
    return f" (did you mean {guesses[0]!r}?)" if guesses else nearest(word, NAMES) or _similar(word)


def _similar(word: str) -> str:
    """The first code that begins with the same letter; two letters are too few for `nearest`."""
    alike = [code for code in NAMES if len(word) == 2 and code[0] == word[0]]
    return f" (did you mean {alike[0]!r}?)" if alike else ""


# Of languages this close, one is never held against the other.
_KIN = [{"da", "nb", "nn", "no"}, {"bs", "hr", "sh", "sr"}, {"id", "ms"}, {"cs", "sk"}, {"gl", "pt"}, {"ca", "oc"}]
CODE = re.compile(r"\S*[\d_@/\\{}%$<>&=#*~^|]\S*")  # placeholders, paths, addresses, figures: of no language
SURE = 10.0  # natural logarithms between the best language and the one expected, from which on it is another


def can_tell(language: str) -> bool:
    """Whether texts in the language are recognised at all."""
    return _alias(language) in _identifier().labels


def is_other(text: str, language: str) -> bool:
    """Whether a text is long enough to tell, and surely in another language; names, codes and titles never are."""
    text = CODE.sub(" ", text)
    words = text.split()
    letters = "".join(filter(str.isalpha, text))
    size = len(letters.encode())
    unspaced = size > 2.5 * len(letters)  # Chinese, Japanese, Thai: three bytes a letter, few spaces
    if size < 30 or not (unspaced or (len(words) >= 6 and sum(not word[0].isupper() for word in words) >= 3)):
        return False
    return language_of(text, language) != language


def language_of(text: str, expected: str) -> str:
    """The language that a text is surely in; the expected one in doubt."""
    identifier, own = _identifier(), _alias(expected)
    best = str(identifier.classify(text)[0])
    if best == own or best == "zxx" or any({best, expected} <= kin for kin in _KIN):
        return expected
    scores = dict(identifier.rank(text))
    return best if scores[best] - scores[own] > SURE else expected


def _alias(language: str) -> str:
    return {"nb": "no", "sh": "sr"}.get(language, language)


@lru_cache(maxsize=1)
def _identifier() -> Any:
    """The classifier of py3langid, over the languages of ISO 639-1; it takes most of a second to load."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages([label for label in identifier.labels if label in NAMES or label == "zxx"])
    return identifier


def own_words(texts: Iterable[str], others: Iterable[str], language: str) -> frozenset[str]:
    """Words of a language out of texts in it: often in these, seldom in the others.

    A sentence with many of them needs no classifier, which is twenty times slower than looking words up.
    """
    here, there = _counted(text for text in texts if not is_other(text, language)), _counted(others)
    return frozenset(word for word, count in here.items() if count >= 5 and count > 5 * there[word])


def _counted(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in text.lower().split())
