import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.errors import InputError
from regard.models.interface import no_source
from regard.search.beam import BeamOptions, beam
from regard.search.greedy import GreedyOptions, greedy
from regard.search.steps import Hypothesis, finish

PAD, START, END, VOCABULARY = 0, 1, 2, 23

# By hand, with two beams, ranked by summed log-probability, at most three tokens. The tokens are s, a, b and the end e.
#
#   after s: a .5, b .4, e .1        after a: a .4, b .35, e .25        after b: a .05, b .05, e .9
#
# Step 0: a .5, b .4, e .1. The end stands third, behind two beams: it does not count. The beams are a and b.
# Step 1: b e .36, a a .2, a b .175, a e .125, b a .02, b b .02. The four best are candidates; b e stands first and is
#         complete, a e stands fourth and is not counted; the first two that don't end, a a and a b, go on.
# Step 2: a b e .1575, a a a .08, a a b .07, a a e .05, ... The limit is reached: of the two best a b e is complete,
#         a a a is cut.
# The best two of three are b e (.36) and a b e (.1575). Greedy search takes a, a, a and ends at .08.
S, A, B, E = 0, 1, 2, 3
BY_HAND = [[0, 0.5, 0.4, 0.1], [0, 0.4, 0.35, 0.25], [0, 0.05, 0.05, 0.9], [0, 0.5, 0.4, 0.1]]


def by_hand(**changes):
    return BeamOptions(**{"start": S, "end": E, "limit": 3, "beams": 2, "n_best": 2, "length_penalty": 0.0, **changes})


def everything(probabilities, length, penalty):
    """All hypotheses of a Markov table, best first."""
    logs, tokens = torch.tensor(probabilities).log().tolist(), range(len(probabilities))
    out = []
    for size in range(1, length + 1):
        for ids in itertools.product(tokens, repeat=size):
            ended = ids[-1] == E
            if E in ids[:-1] or not (ended or size == length):
                continue
            log_probs = tuple(logs[i][j] for i, j in itertools.pairwise((S, *ids)))
            total = sum(log_probs)
            out.append(Hypothesis(ids[:-1] if ended else ids, total, log_probs, total / size**penalty, ended))
    return sorted(out, key=lambda h: -h.score)


def test_by_hand(table):
    steps = list(beam(table(BY_HAND), *no_source(1), by_hand()))
    assert [step.candidates.ids.tolist() for step in steps[1:]] == [[[E, A, B, E]], [[E, A, B, E]]]
    assert steps[0].candidates.ids[0, :3].tolist() == [A, B, E]
    assert steps[0].candidates.scores[0, 3] == -torch.inf  # nothing else could follow s
    assert [step.survivors.ids[0].tolist() for step in steps] == [[A, B], [A, B], [A, B]]
    assert [step.survivors.parents[0].tolist() for step in steps[1:]] == [[0, 0], [0, 0]]
    assert steps[1].candidates.parents[0].tolist() == [1, 0, 0, 0]
    assert steps[1].candidates.scores[0].exp().tolist() == pytest.approx([0.36, 0.2, 0.175, 0.125])
    assert steps[2].survivors.log_probs[0].exp().tolist() == pytest.approx([0.4, 0.35])
    assert [[(e.parent, e.hypothesis.ids, e.hypothesis.ended) for e in step.ended] for step in steps] == [
        [],
        [(1, (B,), True)],
        [(1, (A, B), True), (0, (A, A, A), False)],
    ]
    (first, second) = finish(beam(table(BY_HAND), *no_source(1), by_hand()))[0]
    assert (first.ids, second.ids) == ((B,), (A, B))
    assert math.exp(first.log_prob) == pytest.approx(0.36)
    assert [math.exp(x) for x in second.log_probs] == pytest.approx([0.5, 0.35, 0.9])
    alone = finish(greedy(table(BY_HAND), *no_source(1), GreedyOptions(start=S, end=E, limit=3)))[0]
    assert [(h.ids, h.ended) for h in alone] == [((A, A, A), False)]


def test_patience_counts_hypotheses(table):
    for patience, steps in ((0.5, 2), (1.0, 3), (math.inf, 3)):
        options = by_hand(patience=patience, n_best=1)
        assert len(list(beam(table(BY_HAND), *no_source(1), options))) == steps


def test_without_patience_stops_when_nothing_can_be_better(table):
    """Nearly all the probability is on ending at once, so two complete hypotheses soon cannot be beaten."""
    sharp = [[0.0, 0.9, 0.1, 0.0], [0.0, 0.01, 0.09, 0.9], [0.0, 0.01, 0.01, 0.98], [0.0, 0.5, 0.4, 0.1]]
    assert len(list(beam(table(sharp), *no_source(1), by_hand(limit=50)))) == 2


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0])
def test_wide_enough_it_is_exhaustive(table, penalty):
    generator = torch.Generator().manual_seed(3)
    for _ in range(5):
        probabilities = (torch.randn(4, 4, generator=generator) * 2).softmax(-1).tolist()
        options = by_hand(beams=4**3, n_best=40, length_penalty=penalty)
        found = finish(beam(table(probabilities), *no_source(1), options))[0]
        expected = everything(probabilities, 3, penalty)
        assert len(expected) == 40
        assert {h.ids for h in found} == {h.ids for h in expected}
        assert [h.score for h in found] == pytest.approx([h.score for h in expected], abs=1e-5)
        assert found[0].ids == expected[0].ids


def test_one_beam_is_greedy(transformer, batch, same):
    common = {"start": START, "end": END, "limit": 17, "banned": [PAD, START]}
    one = finish(beam(transformer, *batch, BeamOptions(**common, beams=1)))
    other = finish(greedy(transformer, *batch, GreedyOptions(**common)))
    assert {h.ended for (h,) in one} == {True, False}
    for ours, theirs in zip(one, other, strict=True):
        same(ours, theirs)


LIMITS = torch.arange(5, 18)
PREFIXES = [list(range(5, 5 + i % 4)) for i in range(13)]
PHRASES = [[(7, 8), (9,)], [], [(4, 4, 6)], [(3,), (3,)]] * 3 + [[]]


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"patience": 1.0, "length_penalty": 0.6},
        {"patience": 2.0, "no_repeat": 2},
        {"prefix": PREFIXES, "limit": LIMITS},
        {"phrases": PHRASES},
        {"phrases": PHRASES, "prefix": PREFIXES, "limit": LIMITS + 3, "no_repeat": 2},
    ],
)
def test_alone_or_in_a_batch(transformer, batch, same, more):
    def options(rows):
        mine = {
            name: [value[i] for i in rows] for name, value in more.items() if name in ("prefix", "phrases", "limit")
        }
        fixed = {"start": START, "end": END, "limit": 17, "banned": [PAD, START], "beams": 5, "n_best": 3}
        return BeamOptions(**{**fixed, **more, **mine})

    source, lengths = batch
    together = finish(beam(transformer, source, lengths, options(range(13))))
    for i in range(13):
        alone = source[i : i + 1, : lengths[i]], lengths[i : i + 1]
        same(together[i], finish(beam(transformer, *alone, options([i])))[0])


def test_finished_sentences_leave_the_batch(transformer, batch):
    seen = []
    transformer.decoder.register_forward_hook(lambda _, given, __: seen.append(len(given[0])))
    options = BeamOptions(start=START, end=END, limit=LIMITS, beams=3)
    rows = [step.sentences.tolist() for step in beam(transformer, *batch, options)]
    assert [3 * len(row) for row in rows] == seen
    assert all(set(later) <= set(earlier) for earlier, later in itertools.pairwise(rows))
    assert all(time < LIMITS[i] for time, row in enumerate(rows) for i in row)
    assert len(rows[-1]) < len(rows[0]) == 13


def test_prefix_is_said_and_counted(transformer, batch):
    options = BeamOptions(start=START, end=END, limit=9, beams=4, n_best=4, prefix=PREFIXES, banned=[5], no_repeat=1)
    found = finish(beam(transformer, *batch, options))
    for prefix, hypotheses in zip(PREFIXES, found, strict=True):
        assert len(hypotheses) == 4
        assert all(list(h.ids[: len(prefix)]) == prefix for h in hypotheses)
        assert all(5 not in h.ids[len(prefix) :] for h in hypotheses)  # banned, but where the prefix wants it
        assert all(len(set(h.ids)) == len(h.ids) for h in hypotheses)


def test_log_probs_are_the_models(transformer, batch):
    options = BeamOptions(start=START, end=END, limit=11, beams=5, n_best=5, prefix=PREFIXES, length_penalty=0.7)
    source, lengths = batch
    for i, hypotheses in enumerate(finish(beam(transformer, source, lengths, options))):
        assert [h.score for h in hypotheses] == sorted((h.score for h in hypotheses), reverse=True)
        assert len({h.ids for h in hypotheses}) == 5
        for h in hypotheses:
            said = [*h.ids, END] if h.ended else [*h.ids]
            target = torch.tensor([[START, *said[:-1]]])
            logits = transformer(source[i : i + 1], lengths[i : i + 1], target)[0]
            expected = logits.log_softmax(-1)[torch.arange(len(said)), said].tolist()
            assert h.log_probs == pytest.approx(expected, abs=1e-4)
            assert h.log_prob == pytest.approx(sum(expected), abs=1e-4)
            assert h.score == pytest.approx(sum(expected) / len(said) ** 0.7, abs=1e-4)


def test_no_repeat_counts_the_start(table):
    """Two tokens that would go on in turns, s a s a ..., may do so once."""
    turns = [[0.1, 0.8, 0.06, 0.04], [0.8, 0.1, 0.06, 0.04], [0.25] * 4, [0.25] * 4]
    options = by_hand(beams=1, n_best=1, limit=9, no_repeat=2)
    (found,) = finish(beam(table(turns), *no_source(1), options))[0]
    said = (S, *found.ids)
    assert said[:3] == (S, A, S)
    pairs = list(itertools.pairwise(said))
    assert len(set(pairs)) == len(pairs)


def test_more_beams_than_tokens(table):
    found = finish(beam(table(BY_HAND), *no_source(2), by_hand(beams=7, n_best=7)))
    assert [len(hypotheses) for hypotheses in found] == [7, 7]


def test_where_nothing_may_follow_it_is_cut(table):
    options = by_hand(banned=[S, A, B, E])
    (step,) = beam(table(BY_HAND), *no_source(1), options)
    assert [e.hypothesis for e in step.ended] == [Hypothesis((), 0.0, (), 0.0, False)]
    found = finish(beam(table(BY_HAND), *no_source(1), by_hand(banned=[S, A, B, E], prefix=[[A]])))[0]
    assert [(h.ids, h.ended) for h in found] == [((A,), False)]


def test_a_language_model(language, same):
    options = BeamOptions(start=START, end=END, limit=13, beams=3, prefix=[[5], [], [7, 8]])
    found = finish(beam(language, *no_source(3), options))
    for i, prefix in enumerate(options.prefix):
        alone = BeamOptions(start=START, end=END, limit=13, beams=3, prefix=[prefix])
        same(found[i], finish(beam(language, *no_source(1), alone))[0])


def test_the_survivors_are_a_tree(transformer, batch):
    """Whoever climbs from a complete hypothesis down the parents reads its tokens backwards."""
    grown, checked = [], 0
    for step in beam(transformer, *batch, BeamOptions(start=START, end=END, limit=9, beams=3)):
        for one in step.ended:
            place, ids = one.parent, list(one.hypothesis.ids)
            if not one.hypothesis.ended:
                ids.pop()
            for earlier in reversed(grown):
                row = earlier.sentences.tolist().index(one.sentence)
                assert earlier.survivors.ids[row, place] == ids.pop()
                place = int(earlier.survivors.parents[row, place])
            assert not ids
            checked += 1
        grown.append(step)
    assert checked >= 39


def test_leaves_no_trace(transformer, batch):
    """Between steps torch is as the caller has it; training goes on after a search past the table of positions."""
    steps = beam(transformer, *batch, BeamOptions(start=START, end=END, limit=70, banned=[END], beams=2))
    next(steps)
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()
    finish(steps)
    assert not transformer.training
    source, lengths = batch
    transformer(source, lengths, torch.full((13, 67), 3)).sum().backward()
    assert all(p.grad is not None for p in transformer.parameters())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"limit": 0}, "limit is 0; it must be 1 token or more"),
        ({"limit": [3, 0]}, r"limit is \[3, 0\]"),
        ({"limit": [3, 4]}, "limit for 2 sentences; the batch has 1"),
        ({"beams": 0}, "beams is 0; it must be at least 1"),
        ({"n_best": 3}, "n_best is 3; this search gives 1 to 2 hypotheses"),
        ({"n_best": 2, "patience": 0.5}, "n_best is 2; this search gives 1 to 1 hypotheses"),
        ({"patience": 0.0}, "patience is 0.0; it must be above 0"),
        ({"patience": 0.2, "n_best": 1}, "patience is 0.2; with 2 beams"),
        ({"length_penalty": -1.0}, "length_penalty is -1.0"),
        ({"length_penalty": math.nan}, "length_penalty is nan"),
        ({"no_repeat": -1}, "no_repeat is -1"),
        ({"banned": [-1]}, "token -1; tokens are numbered from 0"),
        ({"banned": [4]}, "token 4; this model's target tokens are 0 to 3"),
        ({"prefix": [[A], [B]]}, "prefix for 2 sentences; the batch has 1"),
        ({"prefix": [[A, A, A, A]]}, "sentence 0: a prefix of 4 tokens; its limit is 3"),
        ({"prefix": [[A, E]]}, "a prefix contains the end token 3"),
        ({"phrases": [[], []]}, "phrases for 2 sentences; the batch has 1"),
        ({"phrases": [[(A, E)]]}, r"phrase \[1, 3\]; it must have a token, and none may be the end \(3\)"),
        ({"phrases": [[()]]}, r"phrase \[\]"),
        ({"phrases": [[(A, A), (B, B)]]}, "sentence 0: its phrases need 4 tokens more; its limit leaves 3"),
        (
            {"phrases": [[(A, A, B)]], "prefix": [[B, A]]},
            "sentence 0: its phrases need 2 tokens more; its limit leaves 1",
        ),
    ],
)
def test_mistakes_are_one_line(table, wrong, message):
    with pytest.raises(InputError, match=message) as caught:
        finish(beam(table(BY_HAND), *no_source(1), by_hand(**wrong)))
    assert "\n" not in str(caught.value)


def test_an_empty_batch(table):
    with pytest.raises(InputError, match="an empty batch"):
        beam(table(BY_HAND), *no_source(0), by_hand())


@settings(max_examples=60, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_whatever_is_asked(table, data, seed):
    """Any options that are accepted give hypotheses that obey them."""
    size = data.draw(st.integers(3, 7))
    beams = data.draw(st.integers(1, 5))
    limit = data.draw(st.integers(1, 9))
    words = st.integers(2, size - 1)
    options = BeamOptions(
        start=0,
        end=1,
        limit=limit,
        banned=data.draw(st.lists(st.integers(0, size - 1), max_size=size)),
        no_repeat=data.draw(st.integers(0, 3)),
        prefix=[data.draw(st.lists(words, max_size=limit))],
        beams=beams,
        patience=data.draw(st.sampled_from([None, 1.0, 2.5, math.inf])),
        n_best=data.draw(st.integers(1, beams)),
        length_penalty=data.draw(st.floats(0, 3)),
    )
    model = table((torch.randn(size, size, generator=torch.Generator().manual_seed(seed)) * 3).softmax(-1))
    (found,) = finish(beam(model, *no_source(1), options))
    assert 1 <= len(found) <= options.n_best
    for h in found:
        prefix = tuple(options.prefix[0])
        assert len(h.ids) + h.ended <= limit
        assert len(h.log_probs) == len(h.ids) + h.ended
        assert h.ids[: len(prefix)] == prefix
        assert not set(h.ids[len(prefix) :]) & set(options.banned)
        assert not (h.ended and 1 in options.banned)
        assert h.score == pytest.approx(h.log_prob / max(1, len(h.log_probs)) ** options.length_penalty)
    assert len({(h.ids, h.ended) for h in found}) == len(found)
