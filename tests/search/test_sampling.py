import pytest
import torch

from regard.errors import InputError
from regard.models.interface import no_source
from regard.search.greedy import GreedyOptions, greedy
from regard.search.sampling import SamplingOptions, sample
from regard.search.steps import finish

PAD, START, END = 0, 1, 2
COMMON = {"start": START, "end": END, "limit": 17, "banned": [PAD]}

FIRST = [0.05, 0.1, 0.02, 0.4, 0.08, 0.3, 0.05]  # what follows any token of a table of seven
DRAWS = 5003


def first_tokens(table, **options):
    """How often each token came first, over many seeds."""
    chosen = SamplingOptions(start=0, end=6, limit=1, seeds=range(DRAWS), **options)
    found = finish(sample(table([FIRST] * 7), *no_source(DRAWS), chosen))
    ids = torch.tensor([h.ids[0] if h.ids else 6 for (h,) in found])
    return ids.bincount(minlength=7)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_draws_as_often_as_is_likely(table, temperature):
    expected = (torch.tensor(FIRST).log() / temperature).softmax(-1) * DRAWS
    off = ((first_tokens(table, temperature=temperature) - expected) ** 2 / expected).sum()
    assert off < 22.46  # chi-square with six degrees of freedom: one in a thousand lies above


def test_top_k_keeps_the_likeliest(table):
    counts = first_tokens(table, top_k=3)
    assert counts.nonzero().flatten().tolist() == [1, 3, 5]
    assert (counts[[1, 3, 5]] / DRAWS).tolist() == pytest.approx([1 / 8, 4 / 8, 3 / 8], abs=0.02)


@pytest.mark.parametrize(
    ("top_p", "kept"), [(0.01, [3]), (0.39, [3]), (0.41, [3, 5]), (0.69, [3, 5]), (0.71, [1, 3, 5])]
)
def test_top_p_keeps_the_smallest_set(table, top_p, kept):
    assert first_tokens(table, top_p=top_p).nonzero().flatten().tolist() == kept


def test_top_k_of_one_is_greedy(transformer, batch, same):
    drawn = finish(sample(transformer, *batch, SamplingOptions(**COMMON, top_k=1, seeds=range(13))))
    likeliest = finish(greedy(transformer, *batch, GreedyOptions(**COMMON)))
    for ours, theirs in zip(drawn, likeliest, strict=True):
        same(ours, theirs)


@pytest.mark.parametrize("more", [{}, {"temperature": 0.7, "top_p": 0.9}, {"top_k": 5, "no_repeat": 2}])
def test_alone_or_in_a_batch(transformer, batch, same, more):
    source, lengths = batch
    seeds, limits = [i * i for i in range(13)], torch.arange(5, 18)
    common = {**COMMON, **more}
    together = finish(sample(transformer, source, lengths, SamplingOptions(**{**common, "limit": limits}, seeds=seeds)))
    for i in range(13):
        options = SamplingOptions(**{**common, "limit": int(limits[i])}, seeds=[seeds[i]])
        same(together[i], finish(sample(transformer, source[i : i + 1, : lengths[i]], lengths[i : i + 1], options))[0])


def test_seeds_differ_and_return(transformer, batch):
    def run(seeds):
        return [h.ids for (h,) in finish(sample(transformer, *batch, SamplingOptions(**COMMON, seeds=seeds)))]

    assert run(range(13)) == run(range(13))
    assert sum(a != b for a, b in zip(run(range(13)), run(range(13, 26)), strict=True)) >= 12


def test_each_step_shows_the_one_drawn(transformer, batch):
    for step in sample(transformer, *batch, SamplingOptions(**COMMON, seeds=range(13))):
        assert step.candidates.ids.shape == (len(step.sentences), 1)
        assert (step.survivors.ids == step.candidates.ids).all()


def test_where_nothing_may_follow_it_is_cut(table):
    options = SamplingOptions(start=0, end=6, limit=3, banned=range(7), seeds=[1])
    ((found,),) = finish(sample(table([FIRST] * 7), *no_source(1), options))
    assert (found.ids, found.ended) == ((), False)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"temperature": 0.0}, "temperature is 0.0; it must be a number above 0"),
        ({"temperature": float("nan")}, "temperature is nan"),
        ({"temperature": float("inf")}, "temperature is inf"),
        ({"top_k": -1}, "top_k is -1"),
        ({"top_p": 0.0}, "top_p is 0.0; it is a probability above 0, at most 1"),
        ({"top_p": 1.5}, "top_p is 1.5"),
        ({"seeds": [1, 2]}, "seeds for 2 sentences; the batch has 1: one entry each"),
    ],
)
def test_mistakes_are_one_line(table, wrong, message):
    with pytest.raises(InputError, match=message):
        sample(
            table([FIRST] * 7),
            *no_source(1),
            SamplingOptions(**{"start": 0, "end": 6, "limit": 1, "seeds": [1], **wrong}),
        )
