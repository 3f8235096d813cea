from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.corpus import chunks as chunking
from regard.corpus.chunks import Chunk, all_cleaned, chunked, cleaned, hashed, keys_of, sides_of
from regard.corpus.clean import Example, Rules, normal
from regard.corpus.read import Row
from regard.corpus.workers import FEW
from regard.recipe.data import DataSpec
from regard.text.context import in_context

PLAIN = Rules(DataSpec(languages=False))


def row(line, *fields, broken=False, file="a.tsv"):
    return Row(file, line, fields, broken)


def chunk_of(*pairs, before=(), broken=()):
    sources, targets = map(list, zip(*pairs, strict=True))
    numbers = list(range(1, len(pairs) + 1))
    return Chunk(3, "a.tsv", numbers, sources, targets, [n in broken for n in numbers], list(before))


def pairs_of(kept):
    text, ends, keys = kept.parts
    starts = [0, *ends.tolist()]
    sides = [text[a:b].decode() for a, b in zip(starts, ends.tolist(), strict=False)]
    assert len(keys) == 8 * len(ends)
    return list(zip(sides[::2], sides[1::2], strict=True))


def test_sides_of_a_row():
    assert sides_of(row(1, "a", "b")) == ("a", "b")
    assert sides_of(row(1, "a")) == ("a", "")
    assert sides_of(row(1, "user", "item", "3.5")) == ("user", "item\t3.5")
    assert sides_of(row(1, "user", " ", "3.5")) == ("user", "")  # a field that is missing makes the pair empty


def test_a_chunk_ends_by_rows_or_by_letters(monkeypatch):
    monkeypatch.setattr(chunking, "ROWS", 3)
    rows = [row(n, str(n), "x") for n in range(1, 9)]
    assert [chunk.numbers for chunk in chunked(iter(rows), 0, 0)] == [[1, 2, 3], [4, 5, 6], [7, 8]]
    monkeypatch.setattr(chunking, "LETTERS", 10)
    rows = [row(n, "x" * n, "y" * n) for n in range(1, 7)]
    assert [chunk.numbers for chunk in chunked(iter(rows), 0, 0)] == [[1, 2, 3], [4, 5], [6]]
    assert list(chunked(iter([]), 0, 0)) == []


def test_a_chunk_knows_what_stood_before_it(monkeypatch):
    monkeypatch.setattr(chunking, "ROWS", 2)
    rows = [row(n, str(n), "x") for n in range(1, 8)]
    assert [chunk.before for chunk in chunked(iter(rows), 0, 3)] == [[], ["1", "2"], ["2", "3", "4"], ["4", "5", "6"]]
    assert [chunk.before for chunk in chunked(iter(rows), 0, 0)] == [[]] * 4


def test_what_is_left_by_hand():
    kept = cleaned(chunk_of((" Un. ", "One.\r"), ("", "Two."), ("T\x85rois", "Three."), ("Quatre.", "Four.")), PLAIN)
    assert pairs_of(kept) == [("Un.", "One."), ("Quatre.", "Four.")]
    assert kept.chunk == (3, "a.tsv")
    assert kept.read == 4
    assert kept.dropped == {
        "empty": [Example("a.tsv", 2, "", "Two.")],
        "control characters": [Example("a.tsv", 3, "T\\x85rois", "Three.")],
    }


def test_three_examples_of_each_rule_are_kept():
    kept = cleaned(chunk_of(*[("a", "")] * 5, broken=[2]), PLAIN)
    assert [one and one.line for one in kept.dropped["empty"]] == [1, 3, 4, None]
    assert [one and one.line for one in kept.dropped["broken encoding"]] == [2]
    assert kept.parts[0] == b""
    assert len(kept.parts[1]) == 0


def test_the_context_is_what_stood_before_dropped_or_not():
    rules = Rules(DataSpec(languages=False, context=2))
    chunk = chunk_of(
        ("un", "1"), ("deux", ""), ("tr\x80is", "3"), ("quatre", "4"), ("cinq", "5"), before=["moins un", "zéro"]
    )
    assert pairs_of(cleaned(chunk, rules)) == [
        ("moins un\ue033 zéro\ue033 un", "1"),
        ("deux\ue033 quatre", "4"),  # what is no text is no context
        ("quatre\ue033 cinq", "5"),
    ]


def test_a_blank_row_is_no_sentence_before():
    rules = Rules(DataSpec(languages=False, context=1))
    kept = cleaned(chunk_of(("un", "1"), (" ", ""), ("deux", "2"), ("", "3"), ("trois", "4"), before=["zéro"]), rules)
    assert pairs_of(kept) == [("zéro\ue033 un", "1"), ("un\ue033 deux", "2"), ("deux\ue033 trois", "4")]
    asked = list(in_context(["un", " ", "deux", "", "trois"], 1, ["zéro"]))
    assert [source for source, _ in pairs_of(kept)] == [one for one in asked if one.strip()]


sources = st.lists(st.sampled_from(["a", "b c", "", "d\x00", "é"]), min_size=1, max_size=23)


@given(sources, st.integers(0, 3), st.integers(1, 5))
def test_chunks_change_nothing(sources, context, rows):
    rules = Rules(DataSpec(languages=False, context=context))
    given_rows = [row(n, source, "x") for n, source in enumerate(sources, 1)]
    with pytest.MonkeyPatch.context() as patch:
        whole = [pair for chunk in chunked(iter(given_rows), 0, context) for pair in pairs_of(cleaned(chunk, rules))]
        patch.setattr(chunking, "ROWS", rows)
        parts = [pair for chunk in chunked(iter(given_rows), 0, context) for pair in pairs_of(cleaned(chunk, rules))]
    assert parts == whole


def test_keys_by_hand():
    assert hashed("a") == blake2b(b"a", digest_size=8).digest()
    assert keys_of("Un chat !", "A cat.", "both") == (hashed("un chat"), hashed("a cat"))
    assert keys_of("Un chat", "good", "source") == (hashed("un chat"), hashed("un chat\tgood"))
    assert keys_of("Un chat", "", "alone") == (hashed("un chat"), hashed("un chat\t"))
    assert keys_of("7", "Heat\t3.5", "none") == (hashed("7\tHeat\t3.5"), hashed("7\tHeat\t3.5"))
    assert keys_of("-7", "heat\t3.5", "none") != keys_of("7", "heat\t3.5", "none") != keys_of("7", "Heat\t3.5", "none")


@given(st.text(), st.text())
def test_equal_keys_are_equal_normal_texts(one, other):
    same = [keys_of(one, "", "both")[0] == keys_of(other, "", "both")[0]]
    assert same == [normal(one) == normal(other)]
    assert keys_of(f" {one.upper().lower()} ", "", "both")[0] == keys_of(one.upper().lower(), "", "both")[0]


def test_processes_clean_as_one_does(monkeypatch):
    rules = Rules(DataSpec(languages=False))
    rows = [row(n, f"source {n % 11}" * (n % 3), f"target {n}", broken=n % 13 == 0) for n in range(1, 201)]
    monkeypatch.setattr(chunking, "ROWS", 7)
    alone = [cleaned(chunk, rules) for chunk in chunked(iter(rows), 0, 0)]
    monkeypatch.setattr("regard.corpus.workers.cores", lambda: 2)
    assert len(alone) > FEW
    for one, other in zip(alone, all_cleaned(chunked(iter(rows), 0, 0), rules), strict=True):
        np.testing.assert_array_equal(one.parts[1], other.parts[1])
        assert (one.chunk, one.read, one.parts[0], one.parts[2], one.dropped) == (
            other.chunk, other.read, other.parts[0], other.parts[2], other.dropped,
        )  # fmt: skip
