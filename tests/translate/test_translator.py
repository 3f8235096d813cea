import json

import pytest
import torch

from regard.engines.torch import TorchEngine
from regard.models.build import build
from regard.recipe import TransformerSpec
from regard.text.symbols import OPENING, PLACEHOLDERS, UNK
from regard.text.tokens import Tokens, Vocabulary
from regard.translate.translation import Translation
from regard.translate.translator import SILENT, Translator


@pytest.fixture
def echo(vocabulary, told):
    return Translator(told(lambda source, beam: [source] * beam), vocabulary, "en", "en")


@pytest.mark.parametrize(
    "text",
    [
        "the cat sat",
        "  the cat\t",
        "the %s sat on <b>the mat</b>",
        "{name}, {name} and http://example.org/a?b=1",
        "the cat\r",
        "a \ue000 on the mat",
        "%s",
    ],
)
def test_what_must_stay_goes_through_unharmed(echo, text):
    (answer,) = echo.translate([text])
    assert answer.source == text
    assert answer.text == text


def test_what_is_asked_is_spelt_as_what_was_learnt(vocabulary, told):
    engine = told(lambda source, beam: [source])
    one = Translator(engine, vocabulary, "en", "fr").translate(["\u00a0the ca\u0301t file:///e\u0301\r"])[0]
    assert engine.asked[0][2] == [vocabulary.source.encode("the cát \ue000")]
    assert one.text.startswith("\u00a0the")
    assert one.text.endswith("file:///e\u0301\r")  # what is no text stays as it is


def test_the_model_sees_symbols_only_where_it_knows_them(vocabulary, told):
    plain = Tokens.train(["the cat sat on the mat"] * 7, "unigram", 0, symbols=False)
    for tokens, symbols in ((vocabulary.source, True), (plain, False)):
        engine = told(lambda source, beam: [source])
        Translator(engine, Vocabulary(tokens, tokens), "en", "fr").translate(["the %s"])
        (_, _, [source]) = engine.asked[0]
        assert (tokens.encode("%s")[-1] not in source) == symbols
        assert (UNK in source) != symbols


def test_only_white_space_is_unchanged_and_not_asked_for(echo):
    texts = ["", " ", "\t\r", "the cat", "\u2028\u0085 "]
    assert [one.text for one in echo.translate(texts)] == texts
    ((_, _, sources),) = echo.engine.asked
    assert len(sources) == 1
    assert echo.translate([]) == []
    assert echo.translate([" "])[0] == Translation(" ", " ", None)


def test_an_empty_answer_gives_way_to_the_next(vocabulary, told):
    mat = vocabulary.target.encode("the mat")
    space = vocabulary.target.encode(" ")
    translator = Translator(told(lambda source, beam: [[], space, mat, source]), vocabulary, "en", "fr")
    assert translator.translate(["a dog"], beam=4)[0].text == "the mat"


def test_where_greedy_says_nothing_a_beam_is_asked(vocabulary, told):
    mat, dog = vocabulary.target.encode("the mat"), vocabulary.target.encode("dog")
    engine = told(lambda source, beam: [mat] if source == dog else [[], source][:beam])
    found = Translator(engine, vocabulary, "en", "fr").translate(["the hill", "dog", "a man"], beam=1)
    assert [one.text for one in found] == ["the hill", "the mat", "a man"]
    assert [(beam, len(sources)) for beam, _, sources in engine.asked] == [(1, 3), (5, 2)]


def test_what_is_never_answered_stays_with_a_warning(vocabulary, told):
    translator = Translator(told(lambda source, beam: [[]] * beam), vocabulary, "en", "fr")
    assert translator.translate([" the %s "]) == [Translation(" the %s ", " the %s ", warnings=(SILENT,))]


def test_what_is_never_answered_stays_without_the_sentence_before(vocabulary, told):
    translator = Translator(told(lambda source, beam: [[]] * beam), vocabulary, "en", "fr", context=True)
    (answer,) = translator.translate(["a dog ran\ue033 the %s sat"])
    assert (answer.text, answer.warnings) == ("the %s sat", (SILENT,))


def test_symbols_that_stand_for_nothing_are_left_out(vocabulary, told):
    said = vocabulary.target.encode(f"the {PLACEHOLDERS[1]}cat {PLACEHOLDERS[0]}{OPENING[0]}")
    translator = Translator(told(lambda source, beam: [said]), vocabulary, "en", "fr")
    assert translator.translate(["a %d"])[0].text == "the cat %d"


def test_the_score_is_the_mean_of_a_piece(echo):
    (answer,) = echo.translate(["the cat"])
    count = len(echo.vocabulary.target.encode("the cat")) + 1
    assert answer.score == pytest.approx(-3 / count)
    assert str(answer) == "the cat"
    assert json.loads(json.dumps(answer.plain())) == {
        "source": "the cat", "text": "the cat", "score": answer.score, "confidence": None, "words": [],
        "alignment": [], "alternatives": [], "warnings": [],
    }  # fmt: skip


@pytest.mark.parametrize("beam", [1, 3])
def test_alone_and_together_are_the_same(vocabulary, sentences, beam):
    torch.manual_seed(3)
    spec = TransformerSpec(width=14, inner=31, heads=2, encoder_layers=1, decoder_layers=2)
    model = build(spec, len(vocabulary.source), len(vocabulary.target))
    translator = Translator(TorchEngine(model), vocabulary, "en", "fr")
    together = translator.translate(sentences, beam=beam)
    for text, answer in zip(sentences, together, strict=True):
        (alone,) = translator.translate([text], beam=beam)
        assert (alone.text, alone.source) == (answer.text, text)
        assert alone.score == pytest.approx(answer.score, abs=1e-5)
        assert alone.text.strip()


def test_a_context_goes_in_front_where_the_model_has_learnt_it(vocabulary, told):
    text, asked = "a %s ran\ue033 the %s sat", "a %s ran\ue033 the \ue000 sat"
    engine = told(lambda source, beam: [vocabulary.target.encode("the \ue000")])
    for context, wanted in ((True, asked), (False, "a \ue000 ran\ue001 the \ue000 sat")):
        translator = Translator(engine, vocabulary, "en", "fr", context=context)
        assert translator.translate([text])[0].text == "the %s"
        (_, _, [source]) = engine.asked.pop()
        assert source == vocabulary.source.encode(wanted)  # a break of the user's own is no break


def test_who_was_not_taught_placeholders_reads_them(vocabulary, told):
    engine = told(lambda source, beam: [vocabulary.target.encode("the cat")])
    Translator(engine, vocabulary, "en", "fr", protects=False).translate(["the %s sat"])
    assert engine.asked[-1][2] == [vocabulary.source.encode("the %s sat")]
