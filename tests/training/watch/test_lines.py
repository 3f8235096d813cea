"""A run as plain lines."""

import io

from regard.training.watch.lines import Lines
from runs import START, end, run, step, validation


def told(*events):
    stream = io.StringIO()
    lines = Lines(stream)
    for event in events:
        lines.see(event)
    lines.close()
    return stream.getvalue().splitlines()


def test_the_start():
    assert told(START) == [
        "English to German: 28,991 pairs, 2.6 million numbers to learn, 9,973 tokens, bfloat16 on cpu"
    ]
    ratings = {**START, "task": "ratings", "from": "", "to": "", "vocabulary": [], "parameters": 44_000}
    assert told({**ratings, "resumed_at": 1200}) == [
        "ratings: 28,991 ratings, 44,000 numbers to learn, bfloat16 on cpu",
        "goes on after step 1,200",
    ]


def test_a_step_each_ten_seconds():
    steps = [step(number, seconds=seconds) for number, seconds in ((10, 4), (20, 13.9), (30, 14), (40, 20), (50, 24.1))]
    lines = told(START, *steps)[1:]
    assert [line.split()[1] for line in lines] == ["10", "30", "50"]
    assert lines[1] == "step 30 of 700, 4 %: loss 4.250, 5,851 tokens/s, 14 s, about 5 min left"


def test_time_that_was_planned():
    lines = told({**START, "seconds_planned": 1200}, step(10, seconds=4))
    assert lines[1].endswith("4 s, about 20 min left")


def test_a_validation_and_its_sample():
    assert told(START, validation(100, 12.5))[1:] == [
        "step 100, validation: loss 3.125, perplexity 22.76, BLEU 12.50, chrF 31.50, the best so far",
        "    source  A dog runs.",
        "    wanted  Ein Hund rennt.",
        "    says    Ein Mann rennt.",
    ]
    rated = validation(100, 0, best=False, scores={"rmse": 0.93456}, perplexity=None, sample={})
    assert told(START, rated)[1:] == ["step 100, validation: loss 3.125, RMSE 0.9346"]


def test_texts_stay_on_their_lines():
    sample = {"source": "a\nb\x1b[31m", "target": "", "said": "\r"}
    assert told(START, validation(100, 12.5, sample=sample))[2:] == ["    source  a b [31m", "    says     "]
    assert told({"event": "note", "text": "read 29,000\nkept\x07 28,991"}) == ["read 29,000", "kept  28,991"]


def test_ends():
    assert told(START, end(700))[-1] == (
        "end at step 700 after 8 min: all steps are done; the best weights are those of step 500"
    )
    assert told(START, end(90, "interrupted"))[-1].startswith(
        "end at step 90 after 63 s: interrupted; the same command goes on from here"
    )


def test_a_whole_run():
    lines = told(*run())
    assert len(lines) == 2 + 1 + 7 * 4 + 35 + 1  # notes, start, validations, a step each 14 s of 490, end
