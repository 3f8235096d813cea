"""A run as plain lines, for standard error where it is no terminal: a file, a log of a service, a notebook."""

from typing import TextIO

from regard.training.watch import Event
from regard.training.watch.words import SAMPLE, UNITS, WHY, clean, duration, figure, left, scored, size, subject, values

OTHER_BLEU = ("bleu_lower", "bleu_moses")
EVERY = 10.0  # seconds between lines about steps


class Lines:
    """One line each about the start, some of the steps, every validation and its sample, and the end."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.planned = 0.0  # seconds of the whole training, where they are
        self.told: float | None = None  # at how many seconds a step was last told of

    def see(self, event: Event) -> None:
        for line in getattr(self, event["event"])(event):
            print(line, file=self.stream, flush=True)

    def close(self) -> None:
        """Nothing is left open."""

    def note(self, event: Event) -> list[str]:
        return [clean(line) for line in event["text"].split("\n")]

    def start(self, event: Event) -> list[str]:
        self.planned = event["seconds_planned"]
        settings = event["settings"]
        vocabulary = " and ".join(f"{one:,}" for one in dict.fromkeys(event["vocabulary"]))
        facts = [
            f"{event['pairs']:,} {UNITS.get(event['task'], 'pairs')}",
            f"{size(event['parameters'])} numbers to learn",
        ]
        facts += [f"{vocabulary} tokens"] if vocabulary else []
        lines = [f"{subject(event)}: {', '.join(facts)}, {settings['precision']} on {settings['device']}"]
        return [*lines, f"goes on after step {event['resumed_at']:,}"] if event.get("resumed_at") else lines

    def step(self, event: Event) -> list[str]:
        if self.told is not None and event["seconds"] - self.told < EVERY:
            return []
        self.told = event["seconds"]
        share = f"step {event['step']:,} of {event['of']:,}, {100 * event['step'] / event['of']:.0f} %"
        time = f"{duration(event['seconds'])}, about {duration(left(event, self.planned))} left"
        return [f"{share}: loss {event['loss']:.3f}, {event['tokens_per_second']:,.0f} tokens/s, {time}"]

    def validation(self, event: Event) -> list[str]:
        figures = [f"loss {event['loss']:.3f}"]
        figures += [f"{scored(name)} {figure(name, value)}" for name, value in shown(event).items()]
        best = ", the best so far" if event["best"] else ""
        sample = event.get("sample") or {}
        texts = [f"    {SAMPLE[part]:<8}{clean(sample[part])}" for part in SAMPLE if sample.get(part)]
        return [f"step {event['step']:,}, validation: {', '.join(figures)}{best}", *texts]

    def end(self, event: Event) -> list[str]:
        best = f"; the best weights are those of step {event['best_step']:,}" if event.get("best_step") else ""
        return [f"end at step {event['step']:,} after {duration(event['seconds'])}: {WHY[event['why']]}{best}"]


def shown(event: Event) -> dict[str, float]:
    """A validation's perplexity, where it has one, and its scores but for BLEU's other kinds."""
    perplexity = {"perplexity": event["perplexity"]} if event.get("perplexity") else {}
    return {name: one for name, one in {**perplexity, **values(event["scores"])}.items() if name not in OTHER_BLEU}
