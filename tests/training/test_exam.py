"""What a model is asked while it learns, in every task; what counts as better, and when that ends a run."""

import math

import numpy as np
import pytest
import torch

from lessons import MODELS, corpus_of, events, learn, lesson
from regard import folder
from regard.corpus.labels import Rated
from regard.errors import InputError
from regard.evaluate.score import Score
from regard.model import load
from regard.models.build import build
from regard.recipe import FilesSpec
from regard.text.symbols import BREAK
from regard.training.exam import Exam, Held, Result, better
from regard.training.objective import make_objective
from regard.training.sizes import mask_of, sizes_of

SCORES = {
    "translation": {"bleu", "chrf", "bleu_lower", "bleu_moses", "exact"},
    "g2p": {"wer", "per"},
    "language": {"perplexity", "bits_per_character"},
    "fill": {"accuracy", "perplexity"},
    "classify": {"accuracy"},
    "ratings": {"rmse"},
}


def exam_of(recipe, place, seed=3):
    """An exam, and a model that has learnt nothing."""
    corpus = corpus_of(recipe, place)
    torch.manual_seed(seed)
    module = build(recipe.model, *sizes_of(corpus)).train()
    return Exam(recipe, corpus, make_objective(recipe, module, torch.float32, mask_of(corpus)), "cpu"), module


@pytest.fixture(scope="module")
def exams(tmp_path_factory):
    made = {}
    for task in MODELS:
        place = tmp_path_factory.mktemp(task)
        made[task] = exam_of(lesson(task, place, tokens={"sampling": 0.3} if task != "g2p" else {}), place)
    return made


@pytest.mark.parametrize("task", MODELS)
def test_a_model_is_asked_in_every_task(exams, task):
    exam, module = exams[task]
    before = {name: weight.detach().clone() for name, weight in module.named_parameters()}
    result = exam.take(module)
    assert result.scores.keys() == SCORES[task]
    assert math.isfinite(result.loss)
    assert all(math.isfinite(one.value) for one in result.scores.values())
    assert module.training
    for name, weight in module.named_parameters():
        torch.testing.assert_close(weight, before[name], atol=0, rtol=0)
    again = exam.take(module)
    assert again == result  # nothing is drawn: neither dropout, nor another way to split


@pytest.mark.parametrize("task", ["translation", "g2p", "language"])
def test_the_loss_is_what_the_answerer_finds(exams, task):
    exam, module = exams[task]
    pairs, vocabulary = exam.corpus.valid, exam.corpus.vocabulary
    total = sum(exam.answerer(module).score(pairs))
    tokens = sum(len(vocabulary.target.encode(target)) + 1 for _, target in pairs)
    assert exam.loss(module) == pytest.approx(-total / tokens, rel=1e-5)
    if task == "language":
        assert exam.take(module).scores["perplexity"].value == pytest.approx(math.exp(-total / tokens), rel=1e-5)


def test_the_loss_of_labels_and_of_ratings(exams):
    exam, module = exams["classify"]
    logits = exam.answerer(module).engine.label([exam.corpus.vocabulary.source.encode(s) for s, _ in exam.corpus.valid])
    log_probs = torch.from_numpy(np.stack(logits)).log_softmax(-1)
    wanted = [exam.corpus.labels.index(label) for _, label in exam.corpus.valid]
    assert exam.loss(module) == pytest.approx(-log_probs[range(len(wanted)), wanted].mean().item(), rel=1e-5)
    exam, module = exams["ratings"]
    users, items = ([ids for (ids,) in side] for side in zip(*exam.held.pairs, strict=True))
    said = exam.answerer(module).engine.rate(users, items)
    errors = [(one - value) ** 2 for one, value in zip(said, exam.held.values, strict=True)]
    assert exam.loss(module) == pytest.approx(np.mean(errors), rel=1e-5)


def test_a_pair_is_asked_as_pairs_are_learnt(tmp_path):
    """Placeholders stand as symbols in what is learnt, so also in what is measured."""
    recipe = lesson("translation", tmp_path)
    with (tmp_path / "translation.tsv").open("a") as file:
        file.writelines(
            f"the {word} %s <b>runs</b>\tTHE {word.upper()} %s <b>RUNS</b>\n" for word in "abcdefghijkl" * 5
        )
    exam, module = exam_of(recipe, tmp_path)
    corpus = exam.corpus._replace(valid=[("the owl %s <b>runs</b>", "THE OWL %s <b>RUNS</b>"), ("a dog", "A DOG")])
    held = Held(recipe, corpus)
    assert [corpus.vocabulary.target.decode(ids) for ids in held.ids(0)] == [
        "the owl \ue000 \ue010runs\ue020", "THE OWL \ue000 \ue010RUNS\ue020",
    ]  # fmt: skip
    exam = Exam(recipe, corpus, exam.objective, "cpu")
    tokens = sum(len(target) + 1 for _, target in held.pairs)
    assert exam.loss(module) == pytest.approx(-sum(exam.answerer(module).score(corpus.valid)) / tokens, rel=1e-5)


def test_symbols_that_were_not_learnt_are_not_used(tmp_path):
    """Characters hold a break, and with it all other symbols; but nobody has taught them."""
    recipe = lesson("translation", tmp_path, data={"context": 1}, tokens={"kind": "characters"})
    exam, module = exam_of(recipe, tmp_path)
    assert exam.corpus.vocabulary.source.knows(BREAK)
    assert not exam.answerer(module).translator.protects


def test_with_context_the_sentence_before_is_asked_with_it(tmp_path):
    exam, module = exam_of(lesson("translation", tmp_path, data={"context": 1}), tmp_path)
    source, asked = exam.corpus.vocabulary.source, []
    answerer = exam.answerer(module)
    search = answerer.engine.search
    answerer.engine.search = lambda ids, **options: asked.append(ids) or search(ids, **options)
    answerer.predict([text for text, _ in exam.questions], beam=1)
    assert asked[0] == [source.encode(text) for text, _ in exam.questions] == [ids for ids, _ in exam.held.pairs]
    assert [source.pieces(ids).count(BREAK) for ids in asked[0]] == [1] * len(exam.questions)
    total = sum(answerer.score(exam.corpus.valid))
    assert exam.loss(module) == pytest.approx(-total / sum(len(ids) + 1 for _, ids in exam.held.pairs), rel=1e-5)


def test_a_model_with_context_learns(tmp_path):
    recipe = lesson(
        "translation", tmp_path, data={"context": 1}, training={"steps": 60, "rate": 1e-2, "validate_every": 60}
    )
    learn(recipe, tmp_path / "out")
    losses = [event["loss"] for event in events(tmp_path / "out", "step")]
    assert losses[-1] < 0.9 * losses[0]
    model, asked = load(tmp_path / "out"), []
    spied = model.answerer.translator.translate
    model.answerer.translator.translate = lambda texts, beam: asked.extend(texts) or spied(texts, beam)
    one, other = model.translate(["the dog", " a cat "], before=["it rains"])
    assert asked == ["it rains\ue033 the dog", "the dog\ue033 a cat"]
    assert (one.source, other.source, other.text[0], other.text[-1]) == ("the dog", " a cat ", " ", " ")


def test_each_source_is_asked_once_where_several_answers_are_right(exams):
    exam, _ = exams["g2p"]
    pairs = [("ab", "A B"), ("c", "C"), ("ab", "A P"), ("ab", "B")]
    assert exam.questions_of(pairs) == [("ab", ["A B", "A P", "B"]), ("c", ["C"])]
    asked = exams["classify"][0].questions_of([("ab", "dog"), ("ab", "none")])
    assert asked == [("ab", ["dog"]), ("ab", ["none"])]


@pytest.mark.parametrize(("count", "numbers"), [(4, [0, 1, 2, 3]), (5, [0, 2, 4]), (11, [0, 3, 6, 9]), (0, [])])
def test_what_is_asked_is_spread_over_all_that_is_held_out(exams, monkeypatch, count, numbers):
    monkeypatch.setattr("regard.training.exam.ASKED", 4)
    exam, _ = exams["classify"]
    corpus = exam.corpus._replace(valid=[(f"dog {number}", "dog") for number in range(count)])
    asked = Exam(exam.recipe, corpus, exam.objective, "cpu").questions
    assert asked == [(f"dog {number}", ["dog"]) for number in numbers]


def test_lines_of_two_texts_are_asked_one_by_one(exams):
    exam, pairs = exams["translation"][0], [("a dog", "DOG"), ("a dog", "HOUND"), ("a dog", "DOG")]
    table, texts = FilesSpec(files=("a.tsv",)), FilesSpec(files=("a.en", "a.de"))
    assert exam.questions_of(pairs) == exam.questions_of(pairs, [table]) == [("a dog", ["DOG", "HOUND"])]
    assert exam.questions_of(pairs, [texts]) == [(source, [target]) for source, target in pairs]
    assert len(exams["g2p"][0].questions_of(pairs, [texts])) == 1


def test_the_sample_is_a_sentence_of_middling_length(exams):
    exam, _ = exams["translation"]
    said = [source.title() for source, _ in exam.questions]
    sample = exam.sample(said)
    assert sample["target"] == sample["source"].upper()
    assert sample["said"] == sample["source"].title()
    shorter = sum(len(source) <= len(sample["source"]) for source, _ in exam.questions) / len(exam.questions)
    assert 0.5 < shorter < 0.9
    assert exam.sample([]) == {}


def rated(*valid):
    """A corpus of ratings in which ann and bob rated up and heat."""
    labels = Rated(users=["ann", "bob"], items=["heat", "up"], low=1.0, high=5.0)
    return type("Corpus", (), {"labels": labels, "valid": list(valid), "vocabulary": None})


def test_ratings_of_whom_nobody_knows_are_no_part_of_the_loss(tmp_path):
    recipe = lesson("ratings", tmp_path)
    held = Held(recipe, rated(("bob\tup", "4"), ("zoe\tup", "1"), ("ann\tjaws", "2"), ("ann\theat", "3.5")))
    assert held.pairs == [([1], [1]), ([0], [0])]
    assert held.values.tolist() == [4, 3.5]
    assert held.lengths.tolist() == [[1, 1], [1, 1]]
    message = "none of 2 ratings for validation is of a user and an item that are learnt from"
    with pytest.raises(InputError, match=message):
        Held(recipe, rated(("zoe\tup", "1"), ("ann\tjaws", "2")))


# What is better.


@pytest.mark.parametrize(
    ("scores", "score"),
    [
        ({"bleu": 31.5, "chrf": 60, "bleu_lower": 33}, 31.5),
        ({"wer": 20.5, "per": 5}, -20.5),
        ({"perplexity": 12.5, "bits_per_character": 2}, -12.5),
        ({"accuracy": 40.5, "perplexity": 9}, 40.5),
        ({"accuracy": 80.5}, 80.5),
        ({"rmse": 0.94}, -0.94),
    ],
)
def test_what_must_grow(scores, score):
    result = Result(2.25, {name: Score(value) for name, value in scores.items()}, {})
    assert better("score", result) == score
    assert better("loss", result) == -2.25


STILL = {"rate": 1e-30, "warmup": 1, "validate_every": 1}  # nothing is learnt: no validation is better than the first


@pytest.mark.parametrize(
    ("task", "stop_on"), [*((task, "score") for task in MODELS), ("g2p", "loss"), ("fill", "loss")]
)
def test_patience_ends_a_run_that_gets_no_better(tmp_path, task, stop_on):
    recipe = lesson(task, tmp_path, training={**STILL, "patience": 2, "stop_on": stop_on})
    learn(recipe, tmp_path / "out")
    assert [event["best"] for event in events(tmp_path / "out", "validation")] == [True, False, False]
    (end,) = events(tmp_path / "out", "end")
    assert (end["why"], end["step"], end["best_step"]) == ("patience", 3, 1)
    assert folder.read_manifest(tmp_path / "out")["step"] == 1


def test_without_patience_it_goes_on_to_its_steps(tmp_path):
    recipe = lesson("classify", tmp_path, training={**STILL, "steps": 7})
    learn(recipe, tmp_path / "out")
    (end,) = events(tmp_path / "out", "end")
    assert (end["why"], end["step"]) == ("steps", 7)
    assert len(events(tmp_path / "out", "validation")) == 7


def test_the_loss_may_get_better_while_the_score_does_not(tmp_path):
    """So few steps teach no whole word: all are wrong, and the loss falls, which counts where the score is the same."""
    for stop_on in ("score", "loss"):
        training = {"steps": 6, "warmup": 1, "validate_every": 1, "patience": 2, "stop_on": stop_on, "rate": 1e-4}
        learn(lesson("g2p", tmp_path, training=training, model={"dropout": 0.0}), tmp_path / stop_on)
        validations = events(tmp_path / stop_on, "validation")
        (end,) = events(tmp_path / stop_on, "end")
        losses = [event["loss"] for event in validations]
        assert losses == sorted(losses, reverse=True)
        assert {event["scores"]["wer"] for event in validations} == {100.0}
        assert (end["why"], end["best_step"]) == ("steps", 6)


def test_a_better_score_counts_before_the_loss_and_the_loss_where_scores_are_equal(tmp_path, monkeypatch):
    found = [(30.0, 2.0), (30.0, 1.5), (30.0, 1.5), (30.0, 1.75), (31.0, 3.0), (31.0, math.nan), (30.5, 1.0)]
    results = iter(Result(loss, {"bleu": Score(value)}, {}) for value, loss in found)
    monkeypatch.setattr(Exam, "take", lambda *_: next(results))
    recipe = lesson("translation", tmp_path, training={"validate_every": 1, "patience": 3, "steps": 7})
    learn(recipe, tmp_path / "out")
    best = [event["best"] for event in events(tmp_path / "out", "validation")]
    assert best == [True, True, False, False, True, False, False]


def test_the_best_weights_are_kept_not_the_last(tmp_path):
    """A rate that is far too high spoils what is learnt: the folder's model is the best one, and is scored."""
    training = {"steps": 12, "warmup": 1, "rate": 0.3, "validate_every": 1, "stop_on": "loss", "clip": 100.0}
    recipe = lesson("language", tmp_path, training=training)
    learn(recipe, tmp_path / "out")
    validations = events(tmp_path / "out", "validation")
    best = min(validations, key=lambda event: event["loss"])
    (end,) = events(tmp_path / "out", "end")
    assert end["best_step"] == best["step"] < 12
    assert folder.read_manifest(tmp_path / "out")["step"] == best["step"]
    corpus = corpus_of(recipe, tmp_path / "out" / "training")
    found = load(tmp_path / "out").measure([text for _, text in corpus.valid])
    assert found["perplexity"].value == pytest.approx(best["scores"]["perplexity"], rel=1e-5)
