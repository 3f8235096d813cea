import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.models.interface import no_source
from regard.search.beam import BeamOptions, beam
from regard.search.constraints import Phrases, deal
from regard.search.steps import finish

PAD, START, END = 0, 1, 2
A, B, C = 3, 4, 5


def text(ids):
    """Tokens as characters, so that Python can count phrases."""
    return "".join(map(chr, ids))


def test_an_interrupted_phrase_begins_where_it_can():
    """Of a a b: after a a, another a still leaves a a; after a, c leaves nothing."""
    phrase = Phrases([(A, A, B)])
    for ids, matched in (([A, A], 2), ([A, A, A], 2), ([A, C], 0), ([A, A, C, A], 1), ([A, C, A, A, A], 2)):
        assert phrase.read(ids).matched == (matched,)
    assert phrase.read([A, A, A, B]).left == (0,)
    other = Phrases([(A, B, A, C)])
    assert other.read([A, B, A, B]).matched == (2,)
    assert other.read([A, B, A, B, A, C]).left == (0,)


def test_phrases_may_share_tokens_but_not_with_themselves():
    both = Phrases([(A, B), (B, C)])
    assert both.total == 4
    assert both.missing(both.read([A, B])) == 1  # the b is the beginning of b c, too
    assert both.missing(both.read([A, B, C])) == 0
    twice = Phrases([(A, A), (A, A)])
    assert twice.missing(twice.read([A, A, A])) == 1
    assert twice.missing(twice.read([A, A, A, A])) == 0


@given(
    phrases=st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=5), min_size=1, max_size=3),
    ids=st.lists(st.integers(1, 3), max_size=30),
)
def test_phrases_are_found_as_in_a_text(phrases, ids):
    known = Phrases(phrases)
    progress = known.read(ids)
    for phrase, left in zip(known.phrases, progress.left, strict=True):
        assert left == max(0, phrase.count - text(ids).count(text(phrase.ids)))
    assert (known.missing(progress) == 0) == (not any(progress.left))


def test_places_are_dealt_around_the_banks():
    """Five candidates of two beams, of which none, one or two of two tokens are met; c meets none."""
    known = Phrases([(A,), (B,)])
    stages = [known.read([]), known.read([A])]
    pool = {(0, C): -1.0, (0, A): -4.0, (0, B): -3.0, (1, C): -2.0, (1, B): -5.0}
    assert deal(known, stages, pool, 9) == [(1, B), (1, C), (0, C), (0, B), (0, A)]
    assert deal(known, stages, pool, 1) == [(1, B), (1, C), (0, B), (0, A)]  # c of the first cannot be made good
    assert deal(known, stages, pool, 0) == [(1, B)]


def test_a_phrase_costs_no_more_than_it_must(table):
    """The table likes b best; a must come once, and is cheapest in the middle: b a e."""
    rows = [[0, 0.1, 0.8, 0.1], [0, 0.05, 0.15, 0.8], [0, 0.3, 0.3, 0.4], [0.25] * 4]
    options = BeamOptions(start=0, end=3, limit=5, beams=4, length_penalty=0.0, phrases=[[(1,)]])
    (best,) = finish(beam(table(rows), *no_source(1), options))[0]
    assert (best.ids, best.ended) == ((2, 1), True)


def test_every_output_has_its_phrases(transformer, batch):
    phrases = [[(7, 8), (9,)], [], [(4, 4, 6)], [(3,), (3,)], [(11, 12, 13), (13, 14)]] * 2 + [[], [(5,)], [(6, 6)]]
    common = {"start": START, "end": END, "limit": 13, "beams": 5, "n_best": 5, "banned": [5], "no_repeat": 2}
    found = finish(beam(transformer, *batch, BeamOptions(**common, phrases=phrases)))
    plain = finish(beam(transformer, *batch, BeamOptions(**common)))
    missed = 0
    for wanted, with_phrases, without in zip(phrases, found, plain, strict=True):
        assert len(with_phrases) == 5
        for phrase in wanted:
            assert all(text(h.ids).count(text(phrase)) >= wanted.count(phrase) for h in with_phrases)
            missed += text(phrase) not in text(without[0].ids)
        if not wanted:
            assert [h.ids for h in with_phrases] == [h.ids for h in without]
    assert missed >= 8  # by itself the model would not have said them


def test_at_the_tightest_limit(transformer, batch):
    """The limit leaves room for the phrases and nothing else."""
    wanted = [(7, 8, 7), (9, 9)]
    options = BeamOptions(start=START, end=END, limit=5, beams=3, phrases=[wanted] * 13)
    for hypotheses in finish(beam(transformer, *batch, options)):
        assert all(text(phrase) in text(hypotheses[0].ids) for phrase in wanted)


@settings(max_examples=80, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_whatever_is_wanted(table, data, seed):
    """Phrases over few tokens, so that they overlap; prefixes that meet them in part; limits from tight to wide."""
    size = data.draw(st.integers(3, 6))
    words = st.integers(2, size - 1)
    phrase = st.lists(words, min_size=1, max_size=4).map(tuple)
    batch = data.draw(st.integers(1, 3))
    phrases = [data.draw(st.lists(phrase, max_size=3)) for _ in range(batch)]
    prefix = [data.draw(st.lists(words, max_size=4)) for _ in range(batch)]
    needed = [Phrases(p).missing(Phrases(p).read(ids)) for p, ids in zip(phrases, prefix, strict=True)]
    limit = [max(1, len(ids) + n + data.draw(st.integers(0, 4))) for ids, n in zip(prefix, needed, strict=True)]
    beams = data.draw(st.integers(1, 6))
    options = BeamOptions(
        start=0,
        end=1,
        limit=limit,
        banned=data.draw(st.lists(st.integers(0, size - 1), max_size=2)),
        no_repeat=data.draw(st.integers(0, 3)),
        prefix=prefix,
        beams=beams,
        n_best=beams,
        patience=data.draw(st.sampled_from([None, 1.0, 2.0])),
        phrases=phrases,
    )
    model = table((torch.randn(size, size, generator=torch.Generator().manual_seed(seed)) * 3).softmax(-1))
    for i, found in enumerate(finish(beam(model, *no_source(batch), options))):
        assert found
        for h in found:
            assert list(h.ids[: len(prefix[i])]) == prefix[i]
            assert len(h.log_probs) <= limit[i]
            assert all(text(h.ids).count(text(p)) >= phrases[i].count(p) for p in phrases[i])
        assert [h.score for h in found] == sorted((h.score for h in found), reverse=True)
