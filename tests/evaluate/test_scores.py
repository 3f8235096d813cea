import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import InputError
from regard.evaluate.score import Score, as_json
from regard.evaluate.scores import scores

WORDS = st.lists(st.text("abcd", min_size=1, max_size=3), min_size=4, max_size=7).map(" ".join)
CORPUS = st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=3)), min_size=1, max_size=5)

TRANSLATION = ("bleu", "chrf", "bleu_lower", "bleu_moses", "exact")


def values(task, corpus):
    hypotheses, references = [h for h, _ in corpus], [r for _, r in corpus]
    return {name: score.value for name, score in scores(task, hypotheses, references).items()}


def test_what_each_task_is_judged_by():
    assert list(scores("translation", ["a b c d"], [["a b c d"]])) == list(TRANSLATION)
    assert list(scores("g2p", ["K AE T"], [["K AE T"]])) == ["wer", "per"]
    assert list(scores("classify", ["good"], [["good"]])) == ["accuracy"]
    assert list(scores("ratings", ["3.5"], [["4"]])) == ["rmse"]


def test_accuracy_by_hand():
    got = scores("classify", ["good", "bad ", "bad"], [["good"], ["bad"], ["good"]])["accuracy"]
    assert got == Score(pytest.approx(200 / 3))


def test_rmse_by_hand():
    # off by 1, 0 and, rated twice, by 2 and 1: the root of (1 + 0 + 4 + 1) / 4
    got = scores("ratings", ["3", "4", "3"], [["4"], ["4.0"], ["5", "2"]])["rmse"]
    assert got.value == pytest.approx(1.5**0.5)


@pytest.mark.parametrize("task", ["translation", "g2p"])
@given(corpus=CORPUS, seed=st.randoms(use_true_random=False))
def test_the_order_of_sentences_and_references_plays_no_part(task, corpus, seed):
    shuffled = [(h, seed.sample(r, len(r))) for h, r in seed.sample(corpus, len(corpus))]
    assert values(task, shuffled) == pytest.approx(values(task, corpus))


@given(corpus=CORPUS)
def test_one_that_says_what_a_reference_says_is_perfect(corpus):
    perfect = [(r[-1], r) for _, r in corpus]
    assert values("translation", perfect) == pytest.approx(dict.fromkeys(TRANSLATION, 100))
    assert values("g2p", perfect) == {"wer": 0, "per": 0}
    assert values("classify", perfect) == {"accuracy": 100}


@given(corpus=CORPUS, more=WORDS)
def test_a_further_reference_makes_no_word_wrong(corpus, more):
    (h, r), *rest = corpus
    assert values("g2p", [(h, [*r, more]), *rest])["wer"] <= values("g2p", corpus)["wer"]


def test_empty_hypotheses_score_nothing():
    assert {s.value for s in scores("translation", ["", ""], [["a b c d"], ["e f g h"]]).values()} == {0}
    assert values("g2p", [("", ["K AE T"])]) == {"wer": 100, "per": 100}


@pytest.mark.parametrize("task", ["translation", "g2p", "classify", "ratings"])
def test_what_cannot_be_scored(task):
    with pytest.raises(InputError, match="3 hypotheses, but references for 2 sentences"):
        scores(task, ["1", "2", "3"], [["1"], ["2"]])
    with pytest.raises(InputError, match="no sentences to score"):
        scores(task, [], [])
    with pytest.raises(InputError, match="sentence 2 has no reference"):
        scores(task, ["1", "2"], [["1"], []])


def test_another_task_is_refused():
    with pytest.raises(InputError, match="task is 'language'; scored here are translation, g2p"):
        scores("language", ["a"], [["a"]])


@pytest.mark.parametrize("wrong", ["four", "", "nan", "inf"])
def test_a_rating_is_a_number(wrong):
    with pytest.raises(InputError, match=f"rating 2 is '{wrong}'"):
        scores("ratings", ["1", "2"], [["1"], [wrong]])


def test_as_json():
    got = as_json("translation", 7, {"bleu": Score(38.5149, "tok:13a"), "rmse": Score(0.93456)})
    assert got == {
        "task": "translation",
        "n": 7,
        "scores": {"bleu": {"value": 38.51, "signature": "tok:13a"}, "rmse": {"value": 0.9346}},
    }
