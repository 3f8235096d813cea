"""Each task's answers: by hand where the model is a table, alone as together where it is a network."""

import math
from unicodedata import normalize

import pytest
import torch
from torch import nn

import zoo
from regard.corpus.labels import Rated
from regard.engines.torch import TorchEngine
from regard.errors import InputError
from regard.models.build import build
from regard.models.interface import Labeller
from regard.recipe import ClassifySpec, FillSpec, LanguageSpec, TransformerSpec
from regard.text.symbols import SPECIALS
from regard.text.tokens import Tokens
from regard.translate.answer import Answerer
from regard.translate.gaps import Gaps

SHAPE = {"width": 14, "inner": 31, "heads": 2}


def answerer(task, spec, *sizes, vocabulary=None, labels=None):
    torch.manual_seed(2)
    return Answerer(task, TorchEngine(build(spec, *sizes)), vocabulary, labels, "en", "en")


@pytest.fixture
def every(vocabulary):
    """An answerer for each task, and three questions to it."""
    size = len(vocabulary.source)
    texts = ["the cat sat on the mat", "a dog", "the man saw a hill"]
    pair = TransformerSpec(**SHAPE, encoder_layers=1, decoder_layers=1)
    rated = Rated(users=["ann", "bob"], items=["up", "heat", "jaws"], low=1.0, high=5.0)
    language, fill = LanguageSpec(**SHAPE, layers=1, longest=101), FillSpec(**SHAPE, layers=1)
    classify = ClassifySpec(**SHAPE, layers=1)
    names = ["bad", "good", "so so"]
    return {
        "translation": (answerer("translation", pair, size, size, vocabulary=vocabulary), texts),
        "g2p": (answerer("g2p", pair, size, size, vocabulary=vocabulary), texts),
        "language": (answerer("language", language, size, vocabulary=vocabulary), texts),
        "fill": (answerer("fill", fill, size, vocabulary=vocabulary), ["the ___ sat", "a dog____", "___ man ___."]),
        "classify": (answerer("classify", classify, size, 3, vocabulary=vocabulary, labels=names), texts),
        "ratings": (
            answerer("ratings", zoo.EVERY["factorization"][0], 2, 3, labels=rated),
            ["ann\theat", "bob\tjaws", "zoe\tup"],
        ),
    }


@pytest.mark.parametrize("task", ["translation", "g2p", "language", "fill", "classify", "ratings"])
def test_alone_and_together_are_the_same_and_white_space_stays(every, task):
    one, texts = every[task]
    together = one.predict([texts[0], " \t", *texts[1:]], beam=2)
    assert together.pop(1) == " \t"
    assert together == [one.predict([text], beam=2)[0] for text in texts]
    assert one.predict([]) == []


@pytest.mark.parametrize("task", ["translation", "g2p", "language", "fill", "classify", "ratings"])
def test_texts_are_asked_as_they_were_learnt(every, task):
    one, _ = every[task]
    asked = {"fill": "ein schöner ___", "ratings": "bob\theat"}.get(task, "ein schöner Hügel")
    (wanted,) = one.predict([asked])
    assert one.predict([f" {normalize('NFD', asked)}\r"]) == [f" {wanted}\r"]


def test_texts_are_measured_as_they_were_learnt(every):
    for task in ("language", "fill"):
        one, _ = every[task]
        assert one.measure([" scho\u0308n\r", "the cat"]) == one.measure(["schön", "the cat"])
    pair = "schön", "süß"
    one, _ = every["translation"]
    assert one.score([tuple(normalize("NFD", f"{text}\r") for text in pair)]) == one.score([pair])


def test_g2p_and_labels_are_those_of_the_vocabulary(every):
    one, texts = every["classify"]
    assert set(one.predict(texts)) <= {"bad", "good", "so so"}
    one.engine.module.label.bias.data = torch.tensor([0.0, 99.0, 0.0])
    assert one.predict(texts) == ["good"] * 3


def test_a_language_model_goes_on_with_the_text(every):
    one, texts = every["language"]
    for text, answer in zip([*texts, "the cat  "], one.predict([*texts, "the cat  "]), strict=True):
        assert answer.startswith(text.rstrip())
    with pytest.raises(InputError, match="no text to measure"):
        one.measure(["", " "])


class Uniform(nn.Module):
    """A language model to which all tokens are alike."""

    reads = False

    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, source, lengths, target):
        return torch.zeros(*target.shape, self.size)


def test_language_is_measured_by_the_piece_and_by_the_character(vocabulary):
    size = len(vocabulary.target)
    one = Answerer("language", TorchEngine(Uniform(size)), vocabulary, None, "en", "en")
    texts = ["the cat sat", "a man", " "]
    pieces = sum(len(vocabulary.target.encode(text)) + 1 for text in texts[:2])
    measured = one.measure(texts)
    assert measured["perplexity"].value == pytest.approx(size, rel=1e-5)
    # each piece takes log2(size) bits; eleven characters and five, and two ends
    assert measured["bits_per_character"].value == pytest.approx(pieces * math.log2(size) / 18, rel=1e-5)


def test_what_is_longer_than_the_positions_is_measured_in_parts(vocabulary, sentences):
    torch.manual_seed(5)
    spec = LanguageSpec(**SHAPE, layers=1, longest=11)
    one = answerer("language", spec, len(vocabulary.target), vocabulary=vocabulary)
    ids = vocabulary.target.encode(" ".join(sentences))
    assert len(ids) > 30
    assert [token for part in one.writer.parts(ids) for token in part] == ids
    assert max(len(part) for part in one.writer.parts(ids)) == 10
    forced = one.engine.score([[]] * len(one.writer.parts(ids)), one.writer.parts(ids))
    total = sum(sum(part.log_probs[:-1]) for part in forced[:-1]) + sum(forced[-1].log_probs)
    measured = one.measure([" ".join(sentences)])["perplexity"].value
    assert measured == pytest.approx(math.exp(-total / (len(ids) + 1)), rel=1e-5)
    (answer,) = one.predict([" ".join(sentences)])
    assert answer.startswith(" ".join(sentences))


class Certain(Labeller):
    """Whatever is asked, the likeliest piece is `first`, and `second` by half as much; the rest hardly."""

    def __init__(self, size, first, second):
        super().__init__()
        self.logits = torch.full((size,), -9.0)
        self.logits[first], self.logits[second] = 0.0, -math.log(2)

    def forward(self, ids, lengths):
        return self.logits.expand(*ids.shape, -1)


@pytest.fixture
def gaps(vocabulary):
    """The likeliest piece is the end of a word, the next one a word, which alone may stand behind a space."""
    pieces = vocabulary.target.pieces(range(len(vocabulary.target)))
    word = pieces.index("▁the")
    part = next(i for i, piece in enumerate(pieces) if i >= SPECIALS and piece.isalpha())
    engine = TorchEngine(Certain(len(pieces), part, word))
    return Gaps(engine, vocabulary.target), pieces[part]


def test_a_gap_is_closed_by_a_piece_that_fits(gaps):
    one, part = gaps
    texts = ["in ___ end", "___ end of ___.", "un___able", "_____"]
    assert one.close(texts) == ["in the end", "the end of the.", f"un{part}able", "the"]
    with pytest.raises(InputError, match="'the cat' has no gap; put ___ in the place"):
        one.close(["in ___ end", "the cat"])


@pytest.mark.parametrize("kind", ["unigram", "bpe", "words", "characters"])
def test_gaps_stand_as_in_training_where_a_piece_is_hidden(sentences, kind):
    tokens = Tokens.train(sentences * 7, kind, 0, symbols=True)
    size = len(tokens)
    one = Gaps(TorchEngine(Certain(size, 4, 5)), tokens)
    if kind == "characters":
        ids, place, text = tokens.encode("the cat"), 4, "the ___at"
    else:
        ids = tokens.encode("the cat sat")
        place = next(i for i, piece in enumerate(tokens.pieces(ids)) if i and piece.startswith("▁"))
        behind = tokens.decode(ids[: place + 1])
        text = f"the ___{'the cat sat'[len(behind) :]}"
    assert one.encode(text) == [*ids[:place], one.mask, *ids[place + 1 :]]


def test_how_well_gaps_are_closed(gaps, vocabulary, sentences):
    one, _ = gaps
    exams = [list(one.exam(sentences)) for _ in range(2)]
    assert exams[0] == exams[1]
    ((hidden, places, wanted),) = exams[0]
    for text, ids, some, were in zip(sentences, hidden, places, wanted, strict=True):
        whole = vocabulary.target.encode(text)
        assert len(some) == max(1, round(0.15 * len(whole)))
        assert [whole[place] for place in some] == were
        assert [i for i, token in enumerate(ids) if token == one.mask] == some
    log_probs = one.engine.module.logits.log_softmax(-1)
    flat = [token for some in wanted for token in some]
    measured = one.measure(sentences)
    assert measured["perplexity"].value == pytest.approx(math.exp(-log_probs[flat].mean().item()), rel=1e-4)
    first = int(log_probs.argmax())
    assert measured["accuracy"].value == pytest.approx(100 * flat.count(first) / len(flat))


def test_ratings_by_hand():
    rated = Rated(users=["ann", "bob"], items=["up", "heat", "jaws"], low=1.0, high=5.0)
    one = answerer("ratings", zoo.EVERY["factorization"][0], 2, 3, labels=rated)
    weights = {
        "user.weight": [[1.0, 0, 0], [0, 1.0, 0]],
        "item.weight": [[0.5, 0.25, 0], [0, 0.5, 0], [2.0, -1.0, 0]],
        "user_bias": [0.25, -0.25],
        "item_bias": [0.0, 0.5, 0.0],
        "mean": 3.0,
    }
    one.engine.module.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})
    asked = ["ann\tup", "bob\theat", "ann\tjaws", "bob\tup", "zoe\tup", "ann\tnews", "zoe\tnews", " ann \t up "]
    #         3.75        3.75         5.25         3.0
    # zoe: (3.75 + 3) / 2; ann's mean: (3.75 + 3.75 + 5.25) / 3; neither: ann-up, bob-heat, ann-jaws
    wanted = ["3.7500", "3.7500", "5.0000", "3.0000", "3.3750", "4.2500", "4.2500", " 3.7500 "]
    assert one.predict(asked) == wanted
    with pytest.raises(InputError, match="'ann up' names no item; give a user, a tab, and an item"):
        one.predict(["ann up"])


def test_what_is_not_measured_says_so(every):
    one, texts = every["classify"]
    with pytest.raises(InputError, match="a model for classify is not measured on texts alone"):
        one.measure(texts)
