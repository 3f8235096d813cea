"""A run as its watchers are shown it, made up."""

START = {
    "event": "start", "time": "2026-11-19T07:00:00+00:00", "task": "translation", "from": "en", "to": "de",
    "pairs": 28_991, "held_out": {"valid": 1014, "test": 1000}, "vocabulary": [9973, 9973], "parameters": 2_612_736,
    "settings": {"device": "cpu", "precision": "bfloat16", "workers": 2, "piece": 1024},
    "steps": 700, "seconds_planned": 0, "resumed_at": 0,
}  # fmt: skip
SAMPLE = {"source": "A dog runs.", "target": "Ein Hund rennt.", "said": "Ein Mann rennt."}


def step(number, loss=4.25, seconds=None, of=700):
    return {
        "event": "step", "step": number, "loss": loss, "norm": 1.5, "rate": 1e-3, "tokens": number * 4096,
        "seconds": number * 0.7 if seconds is None else seconds, "cpu_seconds": number * 1.3,
        "tokens_per_second": 5851.4, "epoch": number // 110, "of": of,
    }  # fmt: skip


def validation(number, bleu, best=True, **more):
    return {
        "event": "validation", "step": number, "loss": 3.125, "perplexity": 22.76,
        "scores": {"bleu": bleu, "chrf": bleu + 19, "bleu_lower": bleu + 1}, "score": bleu, "best": best,
        "sample": SAMPLE, "seconds": number * 0.7, "cpu_seconds": number * 1.3, **more,
    }  # fmt: skip


def end(number, why="steps"):
    return {
        "event": "end", "why": why, "step": number, "seconds": number * 0.7, "cpu_seconds": number * 1.3,
        "best_step": 500,
    }  # fmt: skip


def run():
    """A run of 700 steps, best at 500."""
    events = [{"event": "note", "text": "read 29,000\nkept 28,991"}, START]
    for number in range(10, 701, 10):
        events.append(step(number, 9 - number / 100))
        if number % 100 == 0:
            events.append(validation(number, number / 20 if number < 600 else 24.5, best=number < 600))
    return [*events, end(700)]
