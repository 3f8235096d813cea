"""Pairs that teach to obey: whatever is drawn, both sides say the same, and taken off again it is the pair."""

import random
import re
from collections import Counter

import pytest

from regard.corpus.align import Aligner, words
from regard.corpus.augment import augment, edited, tagged
from regard.text.protect import protect
from regard.text.symbols import CLOSING, OPENING, PLACEHOLDERS, TERM, TERM_END, WANTED, is_symbol

NAMES = ["Tom", "Mary", "Paris", "Oslo", "2009", "Zoe"]
NOUNS = {"chat": "cats", "cheval": "horse", "maison": "house", "souris": "mouse", "livre": "books", "oie": "goose"}
VERBS = {"regarde": "watches", "cherche": "searches", "touche": "touches", "dessine": "sketches"}
HOW = {"noir": "black", "petit": "small", "vieux": "ancient"}


def made_pair(rng):
    """Tom regarde le chat noir.    Tom watches the black cat."""
    name, verb, noun, how = (rng.choice(some) for some in (NAMES, list(VERBS), list(NOUNS), list(HOW)))
    source, target = f"{name} {verb} le {noun} {how}", f"{name} {VERBS[verb]} the {HOW[how]} {NOUNS[noun]}"
    if rng.random() < 0.3:
        source, target = f"Chaque {noun}, {verb} {name}", f"Every {NOUNS[noun]}, {VERBS[verb]} {name}"
    return f"{source}.", f"{target}."


@pytest.fixture(scope="module")
def pairs():
    rng = random.Random(1)
    return [made_pair(rng) for _ in range(1009)]


@pytest.fixture(scope="module")
def aligner(pairs):
    return Aligner.train([(words(source), words(target)) for source, target in pairs])


@pytest.fixture(scope="module")
def made(pairs, aligner):
    """Of each kind its pairs."""
    return {kind: list(augment(pairs, aligner, 1.0, 7, [kind])) for kind in ("terms", "placeholders", "tags")}


def symbols(text):
    return [character for character in text if is_symbol(character)]


def test_both_sides_have_the_same_symbols(made):
    for kind in ("placeholders", "tags"):
        assert made[kind]
        for source, target in made[kind]:
            assert Counter(symbols(source)) == Counter(symbols(target))
            assert max(Counter(symbols(source)).values()) == 1
    assert {symbol for source, _ in made["placeholders"] for symbol in symbols(source)} >= {*PLACEHOLDERS, *OPENING}
    assert {symbol for source, _ in made["tags"] for symbol in symbols(source)} == {*OPENING, *CLOSING}


def balanced(text):
    waiting = []
    for symbol in symbols(text):
        if symbol in OPENING:
            waiting.append(symbol)
        elif symbol in CLOSING and (not waiting or OPENING[CLOSING.index(symbol)] != waiting.pop()):
            return False
    return not waiting


def test_tags_are_balanced_and_the_pair_is_else_as_it_was(pairs, made):
    known = set(pairs)
    nested = 0
    for pair in made["tags"]:
        assert all(map(balanced, pair))
        assert tuple("".join(c for c in side if not is_symbol(c)) for side in pair) in known
        nested += bool(re.search(f"[{OPENING[0]}-{OPENING[-1]}][^{CLOSING[0]}-{CLOSING[-1]}]*[{OPENING[0]}-{OPENING[-1]}]", pair[0]))  # fmt: skip  # noqa: E501
    assert 20 < nested < len(made["tags"]) / 2
    assert all(map(balanced, sum(made["placeholders"], ())))


MEANS = {**NOUNS, **VERBS, **HOW, **{name: name for name in NAMES}, "le": "the", "Chaque": "Every"}


def test_what_is_in_tags_translates_what_is_in_tags(made):
    wrong = 0
    for source, target in made["tags"]:
        for opening, closing in zip(OPENING, CLOSING, strict=True):
            if opening in source:
                ours, theirs = (text[text.index(opening) : text.index(closing)] for text in (source, target))
                wanted = {MEANS[word] for word in re.findall(r"\w+", ours)}
                wrong += wanted != set(re.findall(r"\w+", theirs))
    assert wrong < 0.01 * len(made["tags"])


P = f"[{PLACEHOLDERS[0]}-{PLACEHOLDERS[-1]}]"


def test_placeholders_stand_for_what_translates_each_other(pairs, made):
    """Each pair is one that there was, but for the places of the symbols; one symbol more may be beside it."""
    for pair in made["placeholders"]:
        bare = ["".join(c for c in side if c not in OPENING and c not in CLOSING) for side in pair]
        before, behind = ([re.sub(one, "", side) for side in bare] for one in (rf"^{P} ", rf" \(?{P}\)?$"))
        assert any(
            all(re.fullmatch(re.sub(P, r"\\w+", side), known) for side, known in zip(sides, one, strict=True))
            for sides in (bare, before, behind)
            for one in pairs
        )


def test_names_and_numbers_are_placeholders_first(made):
    for source, _ in made["placeholders"]:
        named = [name for name in NAMES if name in source]
        assert not named or re.search(rf"^{P} | \(?{P}\)?$", source)  # but where the symbol is beside the sentence


TERMS = re.compile(f"{TERM} ([^{WANTED}]*){WANTED} ([^{TERM_END}]*){TERM_END}")


def test_the_wanted_words_stand_in_the_target(pairs, made):
    sources = {source for source, _ in pairs}
    of = dict(pairs)
    other = 0
    for source, target in made["terms"]:
        found = TERMS.findall(source)
        assert 1 <= len(found) <= 2
        assert len(symbols(source)) == 3 * len(found)
        plain = TERMS.sub(r" \1", source)
        plain = plain if plain in sources else plain.removeprefix(" ")
        assert plain in sources
        assert not symbols(target)
        for _, wanted in found:
            assert re.search(rf"\b{re.escape(wanted)}\b", target)
        other += target != of[plain]
    assert 0.05 < other / len(made["terms"]) < 0.4  # at times another word is wanted than the pair has


def test_a_term_wants_the_translation(made):
    wrong = others = 0
    for source, _ in made["terms"]:
        for word, wanted in TERMS.findall(source):
            right = [MEANS[one] for one in re.findall(r"\w+", word)]
            if wanted.split()[0] not in MEANS.values():
                wrong += 1
            others += sorted(right) != sorted(re.findall(r"\w+", wanted))
    assert wrong == 0
    assert others < 0.45 * len(made["terms"])


def test_a_capital_of_the_begin_of_a_sentence_is_no_part_of_a_term(pairs):
    few = [("chats dorment", "Cats sleep")] * 9
    known = [*few, *[("dorment", "sleep"), ("chats", "cats")] * 9, *pairs]
    aligner = Aligner.train([(words(source), words(target)) for source, target in known])
    made = list(augment(few, aligner, 1.0, 1, ["terms"]))
    found = {found for source, _ in made for found in TERMS.findall(source)}
    assert found == {("chats", "cats"), ("dorment", "sleep"), ("chats dorment", "cats sleep")}


def test_the_same_seed_gives_the_same_pairs_and_the_share_is_kept(pairs, aligner):
    once = list(augment(pairs, aligner, 0.1, 3))
    assert once == list(augment(pairs, aligner, 0.1, 3))
    assert once != list(augment(pairs, aligner, 0.1, 4))
    assert abs(len(once) - 100) <= 10
    kinds = Counter("terms" if TERM in s else "tags" if not set(s) & set(PLACEHOLDERS) else "other" for s, _ in once)
    assert min(kinds[kind] for kind in ("terms", "tags", "other")) > 15


def test_a_pair_that_has_symbols_is_left_alone(aligner):
    pair = protect("Tom regarde %s")[0], protect("Tom watches %s")[0]
    assert list(augment([pair] * 7, aligner, 1.0, 1)) == []


def test_a_pair_of_too_many_words_to_align_is_left_alone(aligner):
    short, long = " ".join(["chat"] * 100), " ".join(["chat"] * 101)
    assert list(augment([(short, short)] * 7, aligner, 1.0, 1, ["placeholders"]))
    for pair in ((long, short), (short, long)):
        assert list(augment([pair] * 7, aligner, 1.0, 1, ["placeholders"])) == []


def test_edits_and_tags_by_hand():
    assert edited("a bc d", [(0, 1, "xx"), (2, 4, "")]) == "xx  d"
    o, c = OPENING, CLOSING
    assert tagged("ab cd", [((0, 5), 3), ((0, 2), 1)]) == f"{o[3]}{o[1]}ab{c[1]} cd{c[3]}"
    assert tagged("abcd", [((0, 2), 0), ((2, 4), 1)]) == f"{o[0]}ab{c[0]}{o[1]}cd{c[1]}"
    assert tagged("ab cd", [((0, 5), 0), ((3, 5), 2)]) == f"{o[0]}ab {o[2]}cd{c[2]}{c[0]}"
