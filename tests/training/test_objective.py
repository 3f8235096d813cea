"""Each task's loss by hand and beside torch's plain one, and the batches it is made of."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import zoo
from lessons import corpus_of, lesson
from regard.look.record import record
from regard.models.build import build
from regard.models.interface import Seq2Seq
from regard.recipe import TrainingSpec, from_plain
from regard.text.symbols import EOS, PAD
from regard.training import objective
from regard.training.guide import Guide
from regard.training.objective import Filling, Naming, Rating, Speaking, make_objective

SPEC = TrainingSpec(smoothing=0.3)
ROWS = np.array([4, 0, 3, 1])
MASK = 10  # the last of zoo.SOURCE
SPEAKING = [name for name in zoo.SEQ2SEQ if not name.endswith("vectors")]


class Some:
    """Pairs in memory."""

    def __init__(self, pairs, values=None):
        self.pairs = pairs
        self.values = None if values is None else np.array(values, np.float32)

    def ids(self, row):
        return self.pairs[row]

    def links(self, row):
        return np.empty((0, 2), np.int64)

    def sampled(self, rows, alpha, seed):
        return [([*source, 4 + seed], target) for source, target in map(self.ids, rows)]


def sentences():
    """Five pairs, each side 1 to 7 tokens."""
    rng = np.random.default_rng(1)
    sides = [[rng.integers(4, size, rng.integers(1, 8)).tolist() for _ in range(5)] for size in (MASK, zoo.TARGET)]
    return Some(list(zip(*sides, strict=True)))


def texts():
    """Their sources without a target beside them."""
    return Some([([], source) for source, _ in sentences().pairs])


RATED = Some([([i], [4 - i]) for i in range(5)], values=[1, 2, 3, 4, 5])
TASKS = {  # a task's model and pairs
    "translation": ("transformer", sentences()),
    "g2p": ("lstm-dot", sentences()),
    "language": ("language", texts()),
    "fill": ("fill", texts()),
    "classify": ("classify-mean", Some([(source, [i * 3]) for i, (source, _) in enumerate(sentences().pairs)])),
    "ratings": ("factorization", RATED),
}


def gradients(loss, model):
    model.zero_grad()
    loss.backward()
    return {name: weight.grad.clone() for name, weight in model.named_parameters() if weight.grad is not None}


def assert_same(ours, theirs):
    """Losses and their gradients."""
    torch.testing.assert_close(ours[0], theirs[0], atol=1e-4, rtol=1e-5)
    assert ours[1].keys() == theirs[1].keys()
    for name, one in ours[1].items():
        torch.testing.assert_close(one, theirs[1][name], atol=2e-5, rtol=1e-4, msg=name)


# Speaking.


class Certain(Seq2Seq):
    """Says of eight pieces always the same: ln 1, ln 2, ..., ln 8, which add up to 36."""

    def __init__(self):
        super().__init__()
        self.logits = nn.Linear(1, 8, bias=False)
        self.logits.weight.data = torch.arange(1.0, 9)[:, None].log()

    encode = start = step = None

    def features(self, source, lengths, target):
        return torch.ones(*target.shape, 1)


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_speaking_by_hand(smoothing):
    # Wanted are 6, 4 and the end, 3; and 5 and the end: with weights 7, 5, 4, 6, 4 of 36.
    plain = sum(-math.log(weight / 36) for weight in (7, 5, 4, 6, 4))
    even = 5 * sum(-math.log(weight / 36) for weight in range(1, 9)) / 8
    speaking = Speaking(TrainingSpec(smoothing=smoothing), torch.float32)
    lesson = speaking.batch(Some([([4], [6, 4]), ([4, 5], [5])]), np.array([0, 1]), 1)
    total, things = speaking.loss(Certain(), lesson)
    assert total.item() == pytest.approx((1 - smoothing) * plain + smoothing * even, abs=1e-5)
    assert things == 5
    assert speaking.loss(Certain(), lesson, learning=False).total.item() == pytest.approx(plain, abs=1e-5)


def plainly(model, lesson, smoothing):
    """The cross-entropy of the logits that the model itself gives."""
    source, lengths, given, wanted = map(torch.from_numpy, lesson.batch)
    if not model.reads:
        source, lengths = source[:, :0], lengths * 0
    logits = model(source, lengths, given)
    return F.cross_entropy(
        logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD, label_smoothing=smoothing, reduction="sum"
    )


@pytest.mark.parametrize("name", SPEAKING)
def test_speaking_is_the_plain_cross_entropy_of_every_model(name):
    model, speaking, pairs = zoo.make(name), Speaking(SPEC, torch.float32), sentences()
    lesson = speaking.batch(pairs, ROWS, 1)
    total, things = speaking.loss(model, lesson)
    assert things == sum(len(pairs.ids(row)[1]) + 1 for row in ROWS)
    theirs = plainly(model, lesson, 0.3)
    assert_same((total, gradients(total, model)), (theirs, gradients(theirs, model)))


def test_in_bfloat16_it_is_nearly_the_same():
    model, pairs = zoo.make("transformer"), sentences()
    wide, narrow = (Speaking(SPEC, dtype) for dtype in (torch.float32, torch.bfloat16))
    lesson = wide.batch(pairs, ROWS, 1)
    one, other = wide.loss(model, lesson).total, narrow.loss(model, lesson).total
    assert one.item() != other.item()
    assert other.item() == pytest.approx(one.item(), rel=0.01)
    ours, theirs = (torch.cat([g.flatten() for g in gradients(loss, model).values()]) for loss in (one, other))
    assert F.cosine_similarity(ours, theirs, dim=0) > 0.99


@pytest.mark.parametrize("name", ["transformer", "lstm-additive", "language"])
def test_while_not_learning_nothing_is_smoothed_nor_said_twice(name):
    spec = TrainingSpec(smoothing=0.3, r_drop=1.7)
    model, speaking = zoo.make(name), Speaking(spec, torch.float32)
    lesson = speaking.batch(sentences(), ROWS, 1)
    total, _ = speaking.loss(model, lesson, learning=False)
    torch.testing.assert_close(total, plainly(model, lesson, 0.0), atol=1e-4, rtol=1e-5)
    # without dropout both say the same: R-Drop is then the loss it was
    torch.testing.assert_close(speaking.loss(model, lesson).total, plainly(model, lesson, 0.3), atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("name", ["transformer", "language"])
def test_r_drop_hears_two_dropouts(name):
    model, speaking = zoo.make(name).train(), Speaking(TrainingSpec(smoothing=0.3, r_drop=1.7), torch.float32)
    lesson = speaking.batch(sentences(), ROWS, 1)
    torch.manual_seed(5)
    total, things = speaking.loss(model, lesson)
    ours = total, gradients(total, model)

    source, lengths, given, wanted = (torch.from_numpy(one) for one in lesson.batch)
    counted = wanted != PAD
    source, lengths = (source, lengths) if model.reads else (source[:, :0], lengths * 0)
    torch.manual_seed(5)
    logits = model(torch.cat((source, source)), torch.cat((lengths, lengths)), torch.cat((given, given)))
    p, q = (half[counted] for half in logits.chunk(2))
    theirs = (smoothed(p, wanted[counted]) + smoothed(q, wanted[counted])) / 2 + 1.7 / 4 * apart(p, q)
    assert apart(p, q) > 0.01
    assert things == counted.sum()
    assert_same(ours, (theirs, gradients(theirs, model)))


def smoothed(logits, wanted):
    return F.cross_entropy(logits, wanted, label_smoothing=0.3, reduction="sum")


def apart(p, q):
    """KL(p || q) + KL(q || p)"""
    p, q = p.log_softmax(-1), q.log_softmax(-1)
    return ((p.exp() - q.exp()) * (p - q)).sum()


# Filling.


def test_hidden_are_some_tokens_at_least_one_and_never_the_end():
    filling, pairs = Filling(SPEC, torch.float32, MASK), Some([([], list(range(4, 4 + n))) for n in (1, 2, 5, 6, 3)])
    seen = set()
    for seed in range(200):
        ids, lengths, wanted = filling.batch(pairs, ROWS, seed)
        for row, given, length, answers in zip(ROWS, ids, lengths, wanted, strict=True):
            whole = [*pairs.ids(row)[1], EOS]
            assert length == len(whole)
            hidden = given[:length] == MASK
            assert hidden.any()
            assert not hidden[-1]
            assert np.where(hidden, answers[:length], given[:length]).tolist() == whole
            assert (answers[:length][~hidden] == PAD).all()
            assert (given[length:] == PAD).all()
            assert (answers[length:] == PAD).all()
            seen.add((row, *hidden))
    assert len({one for one in seen if one[0] == 3}) > 20  # of the six tokens always others


def test_about_so_many_are_hidden():
    pairs = Some([([], [4 + i % 5 for i in range(101)])])
    filling = Filling(SPEC, torch.float32, MASK)
    shares = [(filling.batch(pairs, np.array([0]), seed)[2] != PAD).sum() / 101 for seed in range(100)]
    assert np.mean(shares) == pytest.approx(objective.HIDDEN, abs=0.015)


def test_hidden_tokens_alone_are_counted():
    model, filling = zoo.make("fill"), Filling(SPEC, torch.float32, MASK)
    batch = filling.batch(texts(), ROWS, 3)
    ids, lengths, wanted = map(torch.from_numpy, batch)
    for learning, smoothing in ((True, 0.3), (False, 0.0)):
        total, things = filling.loss(model, batch, learning)
        logits = model(ids, lengths).flatten(0, 1)
        theirs = F.cross_entropy(logits, wanted.flatten(), ignore_index=PAD, label_smoothing=smoothing, reduction="sum")
        assert_same((total, gradients(total, model)), (theirs, gradients(theirs, model)))
        assert things == (wanted != PAD).sum() == (ids == MASK).sum()


# Naming and rating.


@pytest.mark.parametrize("name", ["classify-mean", "classify-first"])
def test_a_label_is_guessed(name):
    model, naming = zoo.make(name), Naming(SPEC, torch.float32)
    pairs = TASKS["classify"][1]
    batch = naming.batch(pairs, ROWS, 1)
    ids, lengths, wanted = map(torch.from_numpy, batch)
    assert wanted.tolist() == [12, 0, 9, 3]
    for row, given, length in zip(ROWS, ids.tolist(), lengths.tolist(), strict=True):
        assert given[:length] == [*pairs.ids(row)[0], EOS]
    for learning, smoothing in ((True, 0.3), (False, 0.0)):
        total, things = naming.loss(model, batch, learning)
        theirs = F.cross_entropy(model(ids, lengths), wanted, label_smoothing=smoothing, reduction="sum")
        assert_same((total, gradients(total, model)), (theirs, gradients(theirs, model)))
        assert things == 4


@pytest.mark.parametrize("kind", ["fill", "classify-mean"])
def test_r_drop_of_labels(kind):
    spec, (name, pairs) = TrainingSpec(smoothing=0.3, r_drop=1.7), TASKS[kind.partition("-")[0]]
    judge = Filling(spec, torch.float32, MASK) if kind == "fill" else Naming(spec, torch.float32)
    model, batch = zoo.make(name).train(), judge.batch(pairs, ROWS, 3)
    torch.manual_seed(5)
    total, things = judge.loss(model, batch)
    ours = total, gradients(total, model)

    ids, lengths, wanted = map(torch.from_numpy, batch)
    counted = wanted != PAD if kind == "fill" else torch.ones(4, dtype=torch.bool)
    torch.manual_seed(5)
    p, q = (half[counted] for half in model(torch.cat((ids, ids)), torch.cat((lengths, lengths))).chunk(2))
    theirs = (smoothed(p, wanted[counted]) + smoothed(q, wanted[counted])) / 2 + 1.7 / 4 * apart(p, q)
    assert apart(p, q) > 0.001
    assert things == counted.sum()
    assert_same(ours, (theirs, gradients(theirs, model)))
    model.eval()
    plain = F.cross_entropy(model(ids, lengths)[counted], wanted[counted], reduction="sum")
    torch.testing.assert_close(judge.loss(model, batch, learning=False).total, plain)


class Even(nn.Module):
    """Rates user u and item i with u + i / 2."""

    def __init__(self):
        super().__init__()
        self.nothing = nn.Parameter(torch.zeros(()))

    def forward(self, users, items):
        return users + items / 2 + self.nothing


def test_rating_by_hand():
    # u 1, i 3: 2.5, rated 2 -> 0.25;  u 4, i 0: 4, rated 5 -> 1;  u 0, i 2: 1, rated 3.5 -> 6.25
    pairs = Some([([1], [3]), ([9], [9]), ([4], [0]), ([0], [2])], values=[2, 9, 5, 3.5])
    rating = Rating(SPEC)
    batch = rating.batch(pairs, np.array([0, 2, 3]), 1)
    assert [one.tolist() for one in batch] == [[1, 4, 0], [3, 0, 2], [2, 5, 3.5]]
    for learning in (True, False):
        total, things = rating.loss(Even(), batch, learning)
        assert (total.item(), things) == (7.5, 3)


# All of them.


@pytest.mark.parametrize("kind", ["translation", "language", "classify", "ratings"])
def test_the_pieces_of_a_step_add_up_to_the_whole_step(kind):
    name, pairs = TASKS[kind]
    model, judge = zoo.make(name), make_objective(from_plain({"task": kind}), zoo.make(name), torch.float32)
    whole, things = judge.loss(model, judge.batch(pairs, ROWS, 1))
    parts = [judge.loss(model, judge.batch(pairs, rows, 1)) for rows in (ROWS[:1], ROWS[1:])]
    assert sum(part.things for part in parts) == things
    total = parts[0].total + parts[1].total
    assert_same((total, gradients(total, model)), (whole, gradients(whole, model)))


def test_hidden_pieces_add_up_too():
    model, filling = zoo.make("fill"), Filling(SPEC, torch.float32, MASK)
    batch = filling.batch(texts(), ROWS, 3)
    whole = filling.loss(model, batch)
    parts = [filling.loss(model, tuple(one[rows] for one in batch)) for rows in (slice(1), slice(1, None))]
    assert sum(part.things for part in parts) == whole.things
    total = parts[0].total + parts[1].total
    assert_same((total, gradients(total, model)), (whole.total, gradients(whole.total, model)))


def arrays(kind, batch):
    return [array.tolist() for array in (batch.batch if kind in ("translation", "g2p", "language") else batch)]


@pytest.mark.parametrize("kind", TASKS)
def test_a_batch_is_a_function_of_rows_and_seed(kind):
    name, pairs = TASKS[kind]
    judge = make_objective(from_plain({"task": kind, "tokens": {"sampling": 0.5}}), zoo.make(name), torch.float32, MASK)
    once, again, other = (arrays(kind, judge.batch(pairs, ROWS, seed)) for seed in (1, 1, 2))
    assert once == again
    assert (once == other) == (kind == "ratings")  # nothing is drawn for them


# Sentences split anew.

SIDES = {"translation": (0, 1), "g2p": (0,), "language": (1,), "fill": (1,), "classify": (0,)}  # which have pieces


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """A corpus of sentences for each task."""
    made = {}
    for task in SIDES:
        folder = tmp_path_factory.mktemp(task)
        guided = {"guided": 0.1} if task == "translation" else {}
        made[task] = corpus_of(lesson(task, folder, training=guided, tokens={"kind": "unigram"}), folder)
    return made


@pytest.mark.parametrize("task", SIDES)
def test_with_sampling_the_same_sentences_are_split_in_other_ways(corpora, task):
    corpus = corpora[task]
    judge = make_objective(from_plain({"task": task, "tokens": {"sampling": 0.2}}), nn.Module(), torch.float32, 0)
    rows = np.arange(60, 90)
    splits = set()
    for seed in range(5):
        batch = judge.batch(corpus.train, rows, seed)
        if task in ("classify", "fill"):
            held = [np.where(batch[2] == PAD, batch[0], batch[2]) if task == "fill" else batch[0]]
        else:
            held = [batch.batch.source, batch.batch.wanted]
        for side in SIDES[task]:
            tokens, ids = corpus.vocabulary[side], held[min(side, len(held) - 1)]
            said = [tokens.decode(row) for row in ids]
            assert said == [tokens.decode(corpus.train.ids(row)[side]) for row in rows]
            splits.add((side, ids.shape, ids.tobytes()))
    assert len(splits) == 5 * len(SIDES[task])


def test_no_sentence_is_split_longer_than_the_longest_there_is(corpora):
    # the model may know so many positions only, and a link of two words is two bytes
    train = corpora["translation"].train
    most = train.lengths.max(0)
    for seed in range(3):
        pairs = train.sampled(range(len(train)), 0.01, seed)
        assert (np.array([[len(side) for side in pair] for pair in pairs]) <= most).all()
        assert sum(len(pair[0]) > len(train.ids(row)[0]) for row, pair in enumerate(pairs)) > len(train) / 2


def words(tokens, ids):
    """Which word of its sentence each token is of."""
    return np.cumsum([piece.startswith("▁") for piece in tokens.pieces(ids)]) - 1


@pytest.mark.parametrize("sampling", [0.0, 0.2])
def test_links_are_of_the_tokens_that_are_learnt(corpora, sampling):
    corpus, rows = corpora["translation"], np.arange(40, 80)
    judge = Speaking(SPEC, torch.float32, sampling, Guide(zoo.make("transformer"), 0.1))
    batch, links = judge.batch(corpus.train, rows, 3)
    assert len(links) > 40
    right = 0
    for sentence, source, target in links.tolist():
        own = batch.lengths[sentence] - 1
        length = (batch.wanted[sentence] != PAD).sum() - 1
        assert source < own
        assert target < length
        places = [
            words(tokens, ids.tolist())[place]
            for tokens, ids, place in (
                (corpus.vocabulary.source, batch.source[sentence][:own], source),
                (corpus.vocabulary.target, batch.wanted[sentence][:length], target),
            )
        ]
        right += places[0] == places[1]
    assert right > 0.9 * len(links)  # each word is that of its own place
    assert len(links[:, [0, 2]].unique(dim=0)) > 0.9 * (batch.wanted > EOS).sum()  # and every token is of a word


def test_layer_dropout_may_leave_the_guided_head_out(corpora):
    spec, _ = zoo.transformer(layer_dropout=0.5)
    model = build(spec, *map(len, corpora["translation"].vocabulary)).train()
    judge = Speaking(SPEC, torch.float32, 0.0, Guide(model, 5.0))
    lesson = judge.batch(corpora["translation"].train, np.arange(7), 1)
    for seed in range(12):
        torch.manual_seed(seed)
        assert judge.loss(model, lesson).total.isfinite()


@pytest.mark.parametrize("name", ["lstm-additive", "gru-additive", "lstm-dot"])
def test_an_attention_that_looks_step_by_step_is_guided_as_well(name):
    model = zoo.make(name)
    judge = Speaking(SPEC, torch.float32, 0.0, Guide(model, 0.7))
    lesson = judge.batch(sentences(), ROWS, 1)
    longest = lesson.batch.wanted.shape[1]
    links = torch.tensor([[sentence, 0, target] for sentence in range(4) for target in range(longest)])
    source, lengths, given, _ = map(torch.from_numpy, lesson.batch)
    with record(model) as seen:
        model(source, lengths, given)
    weights = torch.cat(seen["decoder.cross"]["weights"], 2)
    wanted = -0.7 * weights[:, 0, :, 0].log().sum()
    found = judge.loss(model, lesson._replace(links=links)).total - judge.loss(model, lesson._replace(links=None)).total
    torch.testing.assert_close(found, wanted, atol=1e-3, rtol=1e-4)
