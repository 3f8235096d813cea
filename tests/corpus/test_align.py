"""Word alignment on a language made for it, whose links are known."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.corpus import align
from regard.corpus.align import Aligner, Block, digamma, grow, in_blocks, lattice, middle, number, spans, words
from regard.errors import InputError


def test_words_by_hand():
    assert words("L'homme d’ici n'a qu'un chat.") == ["l'", "homme", "d’", "ici", "n'", "a", "qu'", "un", "chat", "."]
    assert words("Tom's dog doesn't bark at 10:30, 1,000.5 times!") == [
        "tom", "'s", "dog", "doesn", "'t", "bark", "at", "10:30", ",", "1,000.5", "times", "!",
    ]  # fmt: skip
    assert words("Ωμέγα 孩子們 e-mail_x") == ["ωμέγα", "孩", "子", "們", "e", "-", "mail_x"]
    assert words("") == []


@given(st.text() | st.text("aàl'’ -.,1_漢ア²"))
def test_spans_hold_all_but_white_space(text):
    found = spans(text)
    assert all(start < end for start, end in found)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
    inside = "".join(text[start:end] for start, end in found)
    assert inside == "".join(text.split())
    assert words(text) == [text[start:end].lower() for start, end in found]


# A language: 210 words, some of them seldom, each with its translation; and what the target does with them.

SIZE = 211
GHOSTS = ("do", "of")  # words of the target that translate none
DOUBLE = 7  # every so many-th word is two in the target


def made_pair(rng):
    """A pair and its links: neighbours change places, some words become two, some have no translation."""
    drawn = (int(SIZE ** rng.random()) for _ in range(rng.randint(3, 19)))  # Zipf: the k-th comes 1/k as often
    source = list(dict.fromkeys(drawn))  # of two equal words nobody could say which is which
    order = list(range(len(source)))
    for i in range(len(order) - 1):
        if rng.random() < 0.2:
            order[i], order[i + 1] = order[i + 1], order[i]
    target: list[str] = []
    links = []
    for i in order:
        if rng.random() < 0.1:
            target.append(rng.choice(GHOSTS))
        for part in ("a", "b") if source[i] % DOUBLE == 3 else ("a",):
            links.append((i, len(target)))
            target.append(f"t{source[i]}{part}")
    return [f"s{word}" for word in source], target, sorted(links)


@pytest.fixture(scope="module")
def made():
    rng = random.Random(1)
    return [made_pair(rng) for _ in range(2003)]


@pytest.fixture(scope="module")
def aligner(made):
    return Aligner.train([(source, target) for source, target, _ in made])


def errors(found, wanted):
    """1 less F1 of links: the alignment error rate where all are sure (Och and Ney 2003)."""
    both = sum(len(set(a) & set(b)) for a, b in zip(found, wanted, strict=True))
    return 1 - 2 * both / (sum(map(len, found)) + sum(map(len, wanted)))


def test_a_known_language_is_aligned(made, aligner):
    found = [aligner.align(source, target) for source, target, _ in made[:500]]
    wanted = [links for _, _, links in made[:500]]
    diagonal = [[(i, i) for i in range(min(len(s), len(t)))] for s, t, _ in made[:500]]
    assert errors(found, wanted) < 0.03
    assert errors(diagonal, wanted) > 0.4


def test_pairs_that_were_not_learnt_from(aligner):
    rng = random.Random(2)
    fresh = [made_pair(rng) for _ in range(300)]
    assert errors([aligner.align(s, t) for s, t, _ in fresh], [links for *_, links in fresh]) < 0.04


def test_the_other_way_round_has_the_same_links(made):
    turned = Aligner.train([(target, source) for source, target, _ in made])
    found = [sorted((i, j) for j, i in turned.align(target, source)) for source, target, _ in made[:300]]
    assert errors(found, [links for *_, links in made[:300]]) < 0.03


def test_words_that_were_never_met(aligner):
    assert aligner.align(["s0", "Zürich"], ["t0a", "Zürich"]) == [(0, 0), (1, 1)]
    assert (0, 1) in aligner.align(["2009", "s1"], ["t1a", "2009"])
    assert aligner.align([], ["t1a"]) == aligner.align(["s1"], []) == []
    found = aligner.align(["no"] * 5, ["nie"] * 3)
    assert all(0 <= i < 5 and 0 <= j < 3 for i, j in found)


def test_the_same_pairs_give_the_same_aligner(made):
    pairs = [(source, target) for source, target, _ in made[:101]]
    one, other = Aligner.train(pairs), Aligner.train(pairs)
    np.testing.assert_array_equal(one.forward.cells, other.forward.cells)


def test_blocks_change_nothing(made, monkeypatch):
    pairs = [(source, target) for source, target, _ in made[:101]]
    whole = Aligner.train(pairs)
    monkeypatch.setattr(align, "BLOCK", 500)
    parts = Aligner.train(pairs)
    np.testing.assert_array_equal(whole.codes, parts.codes)
    np.testing.assert_allclose(whole.forward.cells, parts.forward.cells)
    np.testing.assert_allclose(whole.backward.null, parts.backward.null)


def test_probabilities_add_up_to_about_one(aligner):
    given = np.divmod(aligner.codes, len(aligner.target_ids))
    for way, word in zip((aligner.forward, aligner.backward), given, strict=True):
        sums = np.bincount(word, way.cells)
        assert (sums > 0).all()
        assert (sums < 1.0001).all()  # variational: a little is left for words never met
        assert sums.max() > 0.95


def test_a_round_raises_what_the_pairs_are_worth():
    # one round by hand: two pairs, "a" with "x" in both
    made = Aligner.train([(["a", "b"], ["x", "y"]), (["a"], ["x"])], rounds=1)
    cell = dict(zip(made.codes.tolist(), made.forward.cells.tolist(), strict=True))  # a=0 b=1, x=0 y=1; code 2 s + t
    assert cell[0] > cell[1]
    assert cell[3] > cell[1]


def test_what_cannot_be_learnt_from():
    with pytest.raises(InputError, match="no pair to align words with; give pairs of 1 to 100 words a side"):
        Aligner.train([])
    with pytest.raises(InputError, match="no pair to align words with"):
        Aligner.train([(["a"] * 101, ["b"]), ([], ["b"]), (["a"], [])])


# The parts.


def test_all_links_of_a_block_by_hand():
    block = next(in_blocks([(["a", "b"], ["x"]), (["b"], ["y", "x"])], {"a": 0, "b": 1}, {"x": 0, "y": 1}))
    assert isinstance(block, Block)
    assert block.source.tolist() == [0, 1, 1]
    assert block.target.tolist() == [0, 1, 0]
    links = lattice(block.sizes)
    assert list(zip(links.source_at.tolist(), links.target_at.tolist(), strict=True)) == [
        (0, 0),
        (1, 0),
        (2, 1),
        (2, 2),
    ]
    np.testing.assert_allclose(links.distance, [0.25] * 4)  # 1/4 and 3/4 from the middle
    assert middle(4).tolist() == [0.125, 0.375, 0.625, 0.875]


@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 5)), min_size=1, max_size=11))
def test_the_lattice_is_every_word_with_every_word(sizes):
    links = lattice(np.array(sizes))
    wanted, source, target = [], 0, 0
    for columns, rows in sizes:
        wanted += [(source + i, target + j) for j in range(rows) for i in range(columns)]
        source, target = source + columns, target + rows
    assert list(zip(links.source_at.tolist(), links.target_at.tolist(), strict=True)) == wanted


def test_numbers_in_the_order_they_come():
    assert number(iter([["b", "a"], ["b", "c"]])) == {"b": 0, "a": 1, "c": 2}


def test_growing_by_hand():
    # (0, 1) and (1, 1) are beside (0, 0), each with a word that has no link yet; (3, 3) is beside none
    assert grow({(0, 0)}, {(0, 0), (1, 1), (0, 1), (3, 3)}) == {(0, 0), (0, 1), (1, 1)}
    assert grow({(0, 0), (1, 1)}, {(0, 0), (1, 1), (0, 1)}) == {(0, 0), (1, 1)}  # both words have one
    assert grow(set(), {(0, 0)}) == set()


places = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)))


@given(places, places)
def test_growing_adds_possible_links_alone(sure, more):
    possible = sure | more
    links = grow(sure, possible)
    assert sure <= links <= possible


def test_digamma():
    euler = 0.5772156649015329
    known = {1.0: -euler, 2.0: 1 - euler, 0.5: -euler - 2 * np.log(2), 10.0: 2.251752589066721, 1e6: 13.815510057964191}
    np.testing.assert_allclose(digamma(np.array(list(known))), list(known.values()), rtol=1e-9)
    x = np.linspace(0.01, 7, 101)
    np.testing.assert_allclose(digamma(x + 1) - digamma(x), 1 / x, rtol=1e-8)
