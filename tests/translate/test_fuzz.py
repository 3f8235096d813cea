"""Whatever a line holds, something comes back for it, and what must stay has stayed."""

import random

import pytest
import torch

from regard.engines.ctranslate2 import FastEngine
from regard.engines.export import engine_files
from regard.models.build import build
from regard.recipe import TransformerSpec
from regard.text.protect import find
from regard.translate.shape import spaced
from regard.translate.translator import Translator

LONGEST = 61  # tokens of a part
USUAL = ["the cat ", "a dog ran", " ", "\t", ".", ", ", "; "]
KEPT = ["%s", "{name}", "<b>", "</b>", "<br/>", "http://a.b/?c", "a@b.org", "&amp;"]
ODD = [*"\u202e\u200f\u0301\0\r\u0085\u2028\x0b\ufeff\ue000\ud800😀ß", "漢字"]


def lines(count, seed=1):
    rng = random.Random(seed)

    def bit():
        return rng.choice(USUAL + KEPT + ODD) if rng.random() < 0.8 else chr(rng.randrange(0x110000))

    for _ in range(count):
        yield "".join(bit() for _ in range(rng.randrange(12))).replace("\n", "")


@pytest.fixture(scope="module")
def translator(vocabulary, tmp_path_factory):
    """A model that has learnt nothing: it goes round in circles, loses placeholders, ends at once."""
    spec = TransformerSpec(width=14, inner=13, heads=2, encoder_layers=1, decoder_layers=1)
    torch.manual_seed(5)
    weights = {name: weight.detach().numpy() for name, weight in build(spec, *map(len, vocabulary)).named_parameters()}
    folder = tmp_path_factory.mktemp("engine")
    for name, data in engine_files(spec, weights, vocabulary).items():
        (folder / name).write_bytes(data)
    return Translator(FastEngine(folder, vocabulary, 100), vocabulary, "en", "fr", reach=LONGEST)


def holds(translator, given):
    """Every line is answered, keeps the white space around it, and has what must stay as often."""
    for start in range(0, len(given), 500):
        some = given[start : start + 500]
        for text, answer in zip(some, translator.translate(some, beam=1), strict=True):
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            assert bool(answer.text.strip()) == bool(text.strip()), repr(text)
            assert not text.strip() or spaced(answer.text, text) == answer.text
            for one in {original for item in find(text) for original in item.originals}:
                assert answer.text.count(one) >= text.count(one), (text, answer.text)


def test_two_thousand_odd_lines(translator):
    holds(translator, list(lines(2000)))


@pytest.mark.slow
def test_a_hundred_thousand_odd_lines(translator):
    holds(translator, list(lines(100_000, seed=2)))


WITHOUT_END = {
    "marks": "a" + "\u0301" * 10_000,
    "no space": "x" * 1_000_000,
    "words": "the cat " * 20_000,
    "placeholders": "%s" * 5000 + "a",
    "tags": "<b>" * 3000 + "a",
    "right to left": "\u202e" * 999 + "a",
}


@pytest.mark.parametrize("text", WITHOUT_END.values(), ids=WITHOUT_END)
def test_lines_without_end(translator, text):
    (answer,) = translator.translate([text], beam=1)
    assert answer.text.strip()


def test_empty_lines_cost_nothing(translator):
    assert {one.text for one in translator.translate([""] * 100_000)} == {""}


def test_an_address_without_end_where_no_symbol_stands_for_it(translator):
    plain = Translator(translator.engine, translator.vocabulary, "en", "fr", protects=False, reach=LONGEST)
    text = "the cat http://a.b/" + "c" * 3000 + " ran"
    assert "http://a.b/" + "c" * 3000 in plain.translate([text], beam=1)[0].text
