"""The figures of a task: what it is judged by, from its hypotheses and references alone."""

from math import isfinite, sqrt

from regard.errors import InputError
from regard.evaluate.bleu import bleu, bleu_tokenised, chrf
from regard.evaluate.edits import phone_error_rate, word_error_rate
from regard.evaluate.score import References, Score, check


def scores(task: str, hypotheses: list[str], references: References, language: str = "") -> dict[str, Score]:
    """What a task is judged by, in percent except rmse; `language` is the translations', for BLEU's tokens."""
    check(hypotheses, references)
    if task == "translation":
        return {
            "bleu": bleu(hypotheses, references, language),
            "chrf": chrf(hypotheses, references),
            "bleu_lower": bleu(hypotheses, references, language, lower=True),
            "bleu_moses": bleu_tokenised(hypotheses, references, language),
            "exact": Score(accuracy(hypotheses, references)),
        }
    if task == "g2p":
        return {
            "wer": Score(word_error_rate(hypotheses, references)),
            "per": Score(phone_error_rate(hypotheses, references)),
        }
    if task == "classify":
        return {"accuracy": Score(accuracy(hypotheses, references))}
    if task == "ratings":
        return {"rmse": Score(root_mean_square_error(hypotheses, references))}
    raise InputError(f"task is {task!r}; scored here are translation, g2p, classify and ratings")


def accuracy(hypotheses: list[str], references: References) -> float:
    """The share of answers that equal a reference (any of them), in percent."""
    right = sum(h.strip() in {one.strip() for one in some} for h, some in zip(hypotheses, references, strict=True))
    return 100 * right / len(hypotheses)


def root_mean_square_error(hypotheses: list[str], references: References) -> float:
    """How far the ratings are off; something rated several times counts once for each rating."""
    squares = [
        (number(hypothesis, i) - number(one, i)) ** 2
        for i, (hypothesis, some) in enumerate(zip(hypotheses, references, strict=True), start=1)
        for one in some
    ]
    return sqrt(sum(squares) / len(squares))


def number(text: str, place: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InputError(f"rating {place} is {text!r}; a rating is a number")
    return value
