"""A model's card: all that is known of a training, and nothing in it breaks the page."""

import re
from html import unescape

import pytest
from markdown_it import MarkdownIt

from regard import __version__
from regard.recipe import parse
from regard.training.card.whole import card
from runs import START, run, validation

TRANSLATION = """
source = "en"
target = "de"
[data]
about = "Sentences of tatoeba.org; CC BY 2.0 FR."
[[data.train]]
files = ["deu.txt"]
[[data.train]]
files = ["more.en", "more.de"]
weight = 2.5
[[data.test]]
files = ["test.tsv"]
columns = [2, 1]
[tokens]
size = 9973
[model]
width = 64
inner = 128
heads = 2
encoder_layers = 3
decoder_layers = 1
[training]
steps = 700
"""
REPORT = {
    "read": 31_000, "kept": 30_007, "notes": ["more.en has 3 columns"], "pairs": 28_991, "extra": 17, "long": 2,
    "dropped": {"duplicate": {"count": 990, "examples": []}, "empty": {"count": 3, "examples": []}},
    "valid": 1014, "test": 1000, "tokens": [9973, 9973],
}  # fmt: skip
BLEU = "nrefs:1|case:mixed|tok:13a"


def exam(n, **scores):
    found = {name: one if isinstance(one, dict) else {"value": one} for name, one in scores.items()}
    return {"task": "", "n": n, "scores": found}


SCORES = {
    "valid": exam(1014, bleu={"value": 25.5, "signature": BLEU}, chrf={"value": 44, "signature": "nc:6"}),
    "test": exam(997, bleu={"value": 24.25, "signature": BLEU}, chrf={"value": 43, "signature": "nc:7"}),
}

EXPECTED = f"""# en-de: English to German

Encoder-decoder Transformer (width 64, inner 128, heads 2, encoder layers 3, decoder layers 1), 2.6 million \
parameters, 9,973 tokens (unigram); trained on 2026-11-19 with Regard {__version__}.

## What it learnt from

- `deu.txt`, columns 1, 2
- `more.en` and `more.de`, 2.5 times an epoch
- for the test: `test.tsv`, columns 2, 1

|  | pairs |
| --- | ---: |
| read | 31,000 |
| left out: duplicate | 990 |
| left out: empty | 3 |
| left out: more tokens than a side may have | 2 |
| for validation | 1,014 |
| for the test | 1,000 |
| made to teach terms and placeholders | 17 |
| learnt from | 28,991 |

- more.en has 3 columns

Origin and terms of the data: Sentences of tatoeba.org; CC BY 2.0 FR.

## How it was trained

- **steps**: 700 (all steps are done), 6.0 times through the data
- **time**: 8 min; 15 min of processor time
- **machine**: bfloat16 on cpu, 2 x 1,024 tokens at once
- **best weights**: those of step 500
- **batch**: 4,096 target tokens
- **rate**: 0.001, inverse square root, 100 steps of warm-up
- **regularised by**: dropout 0.1, label smoothing 0.1

![Loss and BLEU over the steps](curves.svg)

The loss in training counts all that regularises, the one in validation does not. BLEU at each validation is that of \
1,000 answers at most, each the likeliest at once, without beam search.

## Scores

|  | sentences | BLEU | chrF |
| --- | ---: | ---: | ---: |
| validation | 1,014 | 25.50 | 44.00 |
| test | 997 | 24.25 | 43.00 |

Answers by beam search, 5 wide.

- BLEU: `{BLEU}`
- chrF: `nc:6` (validation)
- chrF: `nc:7` (test)

## A sample

    source  A dog runs.
    wanted  Ein Hund rennt.
    says    Ein Mann rennt.

## Use it

    regard translate --model en-de 'A dog runs.'

In Python:

    import regard
    print(regard.load('en-de').translate('A dog runs.'))

## Make it again

It takes Regard {__version__}, `recipe.toml` of this folder (it holds every setting) and the data named above, as seen \
from where the command is run:

    regard train recipe.toml -o en-de --set training.precision=bfloat16
"""


def made(recipe=TRANSLATION, name="en-de", events=None, scores=SCORES, **report):
    return card(name, parse(recipe), {**REPORT, **report}, run() if events is None else events, scores)


def test_by_hand():
    assert made() == EXPECTED


TASKS = {
    "g2p": (
        'tied = []\n[[data.train]]\nfiles = ["words"]\n'
        '[tokens]\nkind = "characters"\ntarget = "words"\njoint = false\n',
        exam(7, wer=24.1, per=5.25),
        {"source": "TOAST", "target": "T OW S T", "said": "T OW S"},
        ["# m: g2p of English", "9,973 and 41 tokens (characters and words)", "| words | WER | PER |",
         "24.10 % | 5.25 %", "    regard predict --model m TOAST", "regard.load('m').predict(['TOAST'])",
         "    wanted  T OW S T"],
    ),
    "language": (
        '[[data.train]]\nfiles = ["texts"]\n',
        exam(7, perplexity={"value": 18.5, "signature": "a piece, ends counted"}, bits_per_character=1.25),
        {},
        ["# m: language of English", "Decoder-only Transformer (width 768", "`texts`, column 1\n", "|  | sentences |\n",
         "| sentences | perplexity | bits a character |", "| 18.50 | 1.25 |", "- perplexity: `a piece, ends counted`",
         "    regard predict --model m 'How a text begins'", "![Loss and perplexity over"],
    ),
    "fill": (
        '[[data.train]]\nfiles = ["texts"]\n',
        exam(7, accuracy=51.5, perplexity=9),
        {},
        ["# m: fill of English", "Encoder-only Transformer (width 512", "| accuracy | perplexity |",
         "| 51.50 % | 9.00 |", "    regard predict --model m 'A text with a ___ in it'"],
    ),
    "classify": (
        '[[data.train]]\nfiles = ["table"]\n',
        exam(7, accuracy=85.5),
        {"source": "A good film.", "target": "1", "said": "0"},
        ["# m: classify of English", "- **batch**: 4,096\n", "| 85.50 % |", "    says    0",
         "    regard predict --model m 'A good film.'"],
    ),
    "ratings": (
        '[[data.train]]\nfiles = ["u1.base"]\n',
        exam(7, rmse=0.93456),
        {"source": "196\tToy Story", "target": "4", "said": "3.9"},
        ["# m: ratings of English", "Matrix factorization (width 32), 2.6 million parameters; trained",
         "`u1.base`, columns 1, 2, 3", "|  | ratings |\n", "| ratings | RMSE |", "| 0.9346 |",
         "    source  196 Toy Story",
         "    printf '%s\\t%s\\n' 196 'Toy Story' | regard predict --model m\n", "predict(['196\\tToy Story'])"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("task", TASKS)
def test_every_task(task):
    recipe, scores, sample, wanted = TASKS[task]
    tokens = {"g2p": [9973, 41], "ratings": []}.get(task, [9973])
    events = [START, validation(100, 0, scores={}, sample=sample)]
    text = made(f'task = "{task}"\nsource = "en"\n[model]\n{recipe}', "m", events, {"test": scores}, tokens=tokens)
    assert not [one for one in wanted if one not in text]
    assert ("## A sample" in text) == bool(sample)
    assert ("beam" in text) == (task == "g2p")
    assert "None" not in text


def test_of_what_it_makes_itself():
    text = made(
        '[data]\ngenerate = "reverse"\npairs = 3001\n[model]\n', "backwards", extra=0, long=0, notes=[], dropped={}
    )
    assert text.startswith("# backwards: translation (reverse)\n")
    assert "\n- 3,001 pairs that Regard makes: `reverse`, seed 1\n" in text
    assert "the data named above" not in text
    assert "| 0 |" not in text
    assert "Origin and terms of the data" not in text


def test_what_it_takes_to_make_it_again():
    recipe = TRANSLATION.replace("[data]", 'start_from = "older | one"\n[data]\nfolder = "a b"')
    recipe += 'seconds = 1200\nprecision = "float32"\n'
    settings = {**START["settings"], "device": "cuda"}
    text = made(recipe, "it's", [{**START, "settings": settings}])
    assert "- **begun with**: `older | one`" in text
    assert "above, as seen from `a b` and the model `older | one`:" in text
    assert """\n    regard train recipe.toml -o 'it'"'"'s' --device cuda\n""" in text
    assert "It was given 20 min: how many steps that makes, the machine decides." in text


def test_what_a_shell_and_python_would_take_otherwise():
    sample = {"source": "-n $(rm) 'x'\\", "target": "a", "said": "b"}
    text = made(events=[START, validation(10, 1.0, sample=sample)])
    assert """    regard translate --model en-de -- '-n $(rm) '"'"'x'"'"'\\'\n""" in text
    assert f"translate({sample['source']!r})" in text


def test_a_log_that_is_gone():
    text = made(events=[])
    assert "decoder layers 1), 9,973 tokens (unigram); trained with Regard" in text
    assert "## A sample" not in text
    assert "**steps**" not in text
    assert "    regard translate --model en-de ...\n" in text


HOSTILE = "</code></pre>\n\n# x\n```\n<script>alert(1)</script> | ![a](javascript:1) [b](javascript:1) `*_"


def test_nothing_that_is_told_breaks_the_page():
    recipe = 'source = "?"\ntarget = "de"\n[data]\nabout = "?"\n[[data.train]]\nfiles = ["?"]\n[model]\n'
    recipe = recipe.replace("?", HOSTILE.replace("\n", "\\n"))
    events = [START, validation(10, 1.0, sample=dict.fromkeys(("source", "target", "said"), HOSTILE))]
    text = made(recipe, HOSTILE, events, notes=[HOSTILE])
    page = MarkdownIt("commonmark").enable("table").render(text)
    assert not re.search(r"<script|<a |<em|<strong>(?![a-z ]+</strong>)|src=\"(?!curves.svg)", page)
    assert re.findall("<h([1-6])", page) == ["1", *"222222"]
    assert page.count("<pre>") == page.count("</pre>") == 4
    shown = unescape(page).count("<script>alert(1)</script> | ![a]")
    assert shown == 13  # 2 in the title, a file, a note, what is said of it, 3 in the sample, 4 to use it, 1 to make it
