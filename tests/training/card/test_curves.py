"""The picture of a training: its curves lie where the events say, and it is whole whatever they say."""

import math
import re
from xml.etree import ElementTree

import pytest

from regard.training.card.curves import curves
from regard.training.card.plot import WIDTH
from runs import START, end, run, step, validation

SVG = "{http://www.w3.org/2000/svg}"


def drawn(events):
    return ElementTree.fromstring(curves(events))


def path(root, kind):
    """The places of each line of a kind."""
    lines = [one.get("d") for one in root.iter(f"{SVG}path") if one.get("class") == kind]
    return [[tuple(map(float, place.split(","))) for place in line[1:].split(" ")] for line in lines]


def texts(root, kind=None):
    return ["".join(one.itertext()) for one in root.iter(f"{SVG}text") if kind in (None, one.get("class"))]


def test_places_by_hand():
    # 568 pixels from 64 on are 700 steps; 168 pixels from 218 up are losses from 2 to 10, from 436 up BLEU from 5 to 25
    root = drawn(run())
    ((*_, last),) = lines = path(root, "training")
    assert lines[0][0] == (72.1, 73.1)  # step 10, loss 8.9: 64 + 568 * 10/700, 218 - 168 * 6.9/8
    assert last == (632, 50 + 168)  # step 700, loss 2
    loss, score = path(root, "validation")
    assert loss[0] == (145.1, 194.4)  # step 100, loss 3.125: 64 + 568/7, 218 - 168 * 1.125/8
    assert score[0] == (145.1, 436)  # step 100, BLEU 5
    assert score[-1] == (632, 272.2)  # step 700, BLEU 24.5: 436 - 168 * 19.5/20
    assert len(loss) == len(score) == 7


def test_the_best_is_marked_in_both_panels():
    root = drawn(run())
    rings = [(one.get("cx"), one.get("cy")) for one in root.iter(f"{SVG}circle") if "ring" in one.get("class")]
    assert rings == [("469.7", "194.4"), ("469.7", "268.0")]  # step 500: 64 + 568 * 5/7
    assert [line[0][0] for line in path(root, "note mark")] == [469.7, 469.7]
    assert "best weights: 25.00 at step 500" in texts(root)


def test_what_is_written():
    root = drawn(run())
    assert texts(root, "name") == ["Lossnats a token", "BLEUat each validation"]
    assert texts(root, "training") == ["training 2.00"]
    assert texts(root, "validation") == ["", "validation 3.12", "best weights: 25.00 at step 500", "24.50"]
    assert {"steps", "700", "10", "25"} <= set(texts(root, "note"))
    assert root.find(f"{SVG}title").text == "How it learnt: English to German"
    assert root.find(f"{SVG}desc").text == (
        "Loss of training: 8.90 at step 10, 2.00 at step 700; Loss of validation: 3.12 at step 100, 3.12 at step 700; "
        "BLEU of validation: 5.00 at step 100, 24.5 at step 700; best weights: 25.00 at step 500"
    )


@pytest.mark.parametrize(
    ("task", "judge", "name"),
    [
        ("g2p", "wer", "WERat each validation; less is better"),
        ("language", "perplexity", "Perplexityat each validation; less is better; logarithmic"),
        ("fill", "accuracy", "Accuracyat each validation"),
        ("classify", "accuracy", "Accuracyat each validation"),
        ("ratings", "rmse", "RMSEat each validation; less is better"),
    ],
)
def test_every_task(task, judge, name):
    found = [validation(number, 0, scores={judge: value}) for number, value in ((10, 90.0), (20, 4.5))]
    root = drawn([{**START, "task": task}, step(10), step(20), *found, end(20)])
    assert texts(root, "name")[1] == name
    assert texts(root, "name")[0] == {"ratings": "Losssquared error", "classify": "Lossnats a sentence"}.get(
        task, "Lossnats a token"
    )
    assert texts(root, "validation")[-1] == {"rmse": "4.5000", "perplexity": "4.50"}.get(judge, "4.50 %")


def test_losses_over_several_magnitudes():
    root = drawn([START, step(10, 10), step(20, 1), step(30, 0.1)])
    assert [y for _, y in path(root, "training")[0]] == [50, 134, 218]
    assert "nats a token; logarithmic" in texts(root, "name")[0]


def test_labels_keep_their_distance():
    root = drawn([START, step(10, 4), step(20, 2), validation(20, 1.0, loss=2.01)])
    ends = [float(one.get("y")) for one in root.iter(f"{SVG}text") if one.text in ("training 2.00", "validation 2.01")]
    assert len(ends) == 2
    assert abs(ends[0] - ends[1]) >= 15


@pytest.mark.parametrize(
    "events",
    [
        [],
        [{"event": "note", "text": "no start"}, step(10), validation(10, 1.0)],
        [START],
        [START, step(1, of=1), validation(1, 0.0), end(1)],
        [START, step(10), step(20)],
        [START, validation(20, 3.0, best=False)],
        [START, *(one for number in (10, 20, 30) for one in (step(number, 2.0), validation(number, 0.0, loss=2.0)))],
        [START, step(10, 0.0), step(20, 4.0)],
        [START, step(10, None), step(20, math.inf), validation(20, 0, loss=math.nan, scores={"bleu": None})],
        [START, step(10, 1e300), step(20, 1e-300)],
    ],
    ids=[
        "empty",
        "no start",
        "start",
        "one",
        "no validation",
        "not one best",
        "constant",
        "zero",
        "no numbers",
        "wide",
    ],
)
def test_it_stands_whatever_there_is(events):
    picture = curves(events)
    assert not re.search(r"\b(nan|inf|None)\b", picture)
    for line in path(ElementTree.fromstring(picture), "training") + path(ElementTree.fromstring(picture), "validation"):
        assert all(0 <= x <= WIDTH and 0 <= y <= 468 for x, y in line)


def test_one_single_step_is_a_dot():
    root = drawn([START, step(1, of=1)])
    assert [one.get("class") for one in root.iter(f"{SVG}circle")] == ["training"]


def test_a_long_run_is_thinned_out():
    steps = [step(number, 9 - number / 20_000) for number in range(10, 150_001, 10)]
    exams = [validation(number, number / 9999, best=number <= 100_070) for number in range(70, 150_001, 70)]
    picture = curves([START, *steps, *exams])
    assert len(picture) < 40_000
    root = ElementTree.fromstring(picture)
    assert 200 < len(path(root, "training")[0]) <= 300
    assert all(20 < len(line) < 50 for line in path(root, "validation"))
    assert len([one for one in root.iter(f"{SVG}circle") if "ring" in one.get("class")]) == 2


def test_it_is_self_contained_and_obeys_nothing():
    start = {**START, "from": '<script>alert("&")</script>', "to": "\x1b]]>"}
    picture = curves([start, *run()[2:]])
    assert not re.search("<script|<foreignObject|href|url\\(|@import|\x1b", picture)
    assert picture.count("http") == 1  # the name of SVG itself
    root = ElementTree.fromstring(picture)
    assert root.find(f"{SVG}title").text == 'How it learnt: <script>alert("&")</script> to  ]]>'
    assert "prefers-color-scheme: dark" in root.find(f"{SVG}style").text


def test_a_run_that_goes_on_with_another_start_is_one():
    events = run()
    assert curves([*events[:2], START, *events[2:]]) == curves(events)
