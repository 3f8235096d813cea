import pytest
import torch

from regard.errors import InputError
from regard.models.interface import no_source
from regard.search.greedy import GreedyOptions, greedy
from regard.search.steps import finish

PAD, START, END = 0, 1, 2


def test_always_the_likeliest(transformer, batch):
    """The same as asking the whole model again for each token."""
    source, lengths = batch
    found = finish(greedy(transformer, source, lengths, GreedyOptions(start=START, end=END, limit=11)))
    for i, (hypothesis,) in enumerate(found):
        ids = [START]
        while len(ids) <= 11 and ids[-1] != END:
            logits = transformer(source[i : i + 1, : lengths[i]], lengths[i : i + 1], torch.tensor([ids]))
            ids.append(int(logits[0, -1].argmax()))
        assert hypothesis.ended == (ids[-1] == END)
        assert list(hypothesis.ids) == [token for token in ids[1:] if token != END]
        assert hypothesis.score == pytest.approx(hypothesis.log_prob / len(hypothesis.log_probs))


def test_alone_or_in_a_batch(transformer, batch, same):
    source, lengths = batch
    limits = torch.arange(3, 16)
    common = {"start": START, "end": END, "banned": [PAD], "no_repeat": 3}
    together = finish(greedy(transformer, source, lengths, GreedyOptions(limit=limits, **common)))
    assert {h.ended for (h,) in together} == {True, False}
    for i in range(13):
        options = GreedyOptions(limit=int(limits[i]), **common)
        same(together[i], finish(greedy(transformer, source[i : i + 1, : lengths[i]], lengths[i : i + 1], options))[0])


def test_a_language_model(language):
    options = GreedyOptions(start=START, end=END, limit=13, prefix=[[5, 6], []])
    (first,), (second,) = finish(greedy(language, *no_source(2), options))
    assert first.ids[:2] == (5, 6)
    target = torch.tensor([[START, *second.ids]])
    assert language(*no_source(1), target).argmax(-1)[0, : len(second.ids)].tolist() == list(second.ids)


def test_mistakes_are_seen_at_once(transformer, batch):
    with pytest.raises(InputError, match="limit for 2 sentences; the batch has 13"):
        greedy(transformer, *batch, GreedyOptions(start=START, end=END, limit=[3, 4]))
