"""The card of a model: what it learnt, from what, how, how well, and how to make it again. All of it is computed.

card("en-de", recipe, corpus.report, journal.read(path), scores)    # Markdown
"""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from regard import __version__
from regard.recipe import Recipe
from regard.training.card.account import SEARCHED, data_of, training_of
from regard.training.card.curves import newest
from regard.training.card.markdown import block, code, items, plain, table
from regard.training.watch import Event
from regard.training.watch.words import COUNTED, SAMPLE, clean, duration, figure, scored, size, subject
from regard.translate.translator import BEAM

KINDS = {
    "transformer": "Encoder-decoder Transformer", "language": "Decoder-only Transformer",
    "fill": "Encoder-only Transformer", "classify": "Encoder-only Transformer", "recurrent": "Recurrent network",
    "bytenet": "ByteNet", "wavenet": "WaveNet", "factorization": "Matrix factorization",
}  # fmt: skip
SHAPE = (
    "cell", "attention", "width", "state", "inner", "heads", "layers", "encoder_layers", "decoder_layers", "kernel",
    "sets", "encoder_sets", "decoder_sets",
)  # fmt: skip
ASKING = {"language": "How a text begins", "fill": "A text with a ___ in it"}  # of these there is no sample

Scores = Mapping[str, Mapping[str, Any]]  # as scores.json has them


def card(name: str, recipe: Recipe, report: Mapping[str, Any], events: Sequence[Event], scores: Scores) -> str:
    """The whole card of the model in a folder of that name; what the log does not know is left out."""
    start, best = newest(events, "event", "start"), newest(events, "best", True)
    sample = best.get("sample") or {}
    parts = [
        *head(name, recipe, report, start),
        *("## What it learnt from", *data_of(recipe, report)),
        *("## How it was trained", *training_of(recipe, events)),
        *("## Scores", *figures(recipe.task, scores)),
        *(("## A sample", block(shown(sample))) if sample else ()),
        *("## Use it", *used(name, recipe.task, sample.get("source") or ASKING.get(recipe.task, "..."))),
        *("## Make it again", *again(name, recipe, start)),
    ]
    return "\n\n".join(parts) + "\n"


def head(name: str, recipe: Recipe, report: Mapping[str, Any], start: Event) -> list[str]:
    """The title, and a line about the model."""
    model, tokens = recipe.model, recipe.tokens
    learnt = subject({"task": recipe.task, "from": recipe.source, "to": recipe.target})
    learnt += f" ({recipe.data.generate})" if recipe.data.generate != "none" else ""
    shape = [f"{one.replace('_', ' ')} {getattr(model, one)}" for one in SHAPE if hasattr(model, one)]
    facts = [f"{KINDS[str(model.__struct_config__.tag)]} ({', '.join(shape)})"]
    facts += [f"{size(start['parameters'])} parameters"] if start else []
    if sizes := dict.fromkeys(report["tokens"]):
        kinds = dict.fromkeys([tokens.kind, tokens.target or tokens.kind])
        facts.append(f"{' and '.join(f'{one:,}' for one in sizes)} tokens ({' and '.join(kinds)})")
    when = f" on {start['time'][:10]}" if start else ""
    return [f"# {plain(name)}: {plain(learnt)}", f"{', '.join(facts)}; trained{when} with Regard {__version__}."]


def figures(task: str, scores: Scores) -> list[str]:
    """What it scores on what was held out, and how each figure came about."""
    titles = {name: plain(scored(name)) for exam in scores.values() for name in exam["scores"]}
    rows, ways = [], dict[str, list[str]]()
    for held, exam in scores.items():
        purpose = "validation" if held == "valid" else held
        rows.append((purpose, f"{exam['n']:,}", *(figure(one, exam["scores"][one]["value"]) for one in titles)))
        for name, score in exam["scores"].items():
            if way := score.get("signature"):
                ways.setdefault(f"{titles[name]}: {code(way)}", []).append(purpose)
    parts = [table(("", COUNTED.get(task, "sentences"), *titles.values()), rows)]
    parts += [f"Answers by beam search, {BEAM} wide."] if task in SEARCHED else []
    several = [way if len(whose) == len(scores) else f"{way} ({', '.join(whose)})" for way, whose in ways.items()]
    return [*parts, items(several)] if several else parts


def shown(sample: Mapping[str, str]) -> list[str]:
    """A question of the validation, the answer wanted, and the one that the best weights gave."""
    return [f"{said:<8}{sample[part]}".rstrip() for part, said in SAMPLE.items()]


def used(name: str, task: str, asked: str) -> list[str]:
    """How to ask it, in a shell and in Python."""
    command, given = ("translate", repr(asked)) if task == "translation" else ("predict", f"[{asked!r}]")
    shell = f"regard {command} --model {quote(name)} {'-- ' if asked.startswith('-') else ''}{quote(asked)}"
    if task == "ratings":  # a tab is hard to type
        user, _, item = asked.partition("\t")
        shell = f"printf '%s\\t%s\\n' {quote(user)} {quote(item)} | regard predict --model {quote(name)}"
    python = ["import regard", f"print(regard.load({name!r}).{command}({given}))"]
    return [block([shell]), "In Python:", block(python)]


def again(name: str, recipe: Recipe, start: Event) -> list[str]:
    """What it takes to train the same once more."""
    data, own = recipe.data, start.get("settings", {})
    needs = [f"Regard {__version__}", "`recipe.toml` of this folder (it holds every setting)"]
    if data.train:
        where = "where the command is run" if data.folder == "." else code(data.folder)
        needs.append(f"the data named above, as seen from {where}")
    needs += [f"the model {code(recipe.start_from)}"] if recipe.start_from else []
    options = f" --device {quote(own['device'])}" if own.get("device", "cpu") != "cpu" else ""
    if own and recipe.training.precision == "auto":
        options += f" --set training.precision={quote(own['precision'])}"
    command = block([f"regard train recipe.toml -o {quote(name)}{options}"])
    parts = [f"It takes {', '.join(needs[:-1])} and {needs[-1]}:", command]
    timed = f"It was given {duration(recipe.training.seconds)}: how many steps that makes, the machine decides."
    return [*parts, timed] if recipe.training.seconds else parts


def quote(word: str) -> str:
    """A word for a shell."""
    return shlex.quote(clean(word))
