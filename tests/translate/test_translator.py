import json

import pytest
import torch

from regard.engines.torch import TorchEngine
from regard.models.build import build
from regard.recipe import TransformerSpec
from regard.text.symbols import CLOSING, OPENING, PLACEHOLDERS, UNK
from regard.text.tokens import Tokens, Vocabulary
from regard.translate.translation import Translation
from regard.translate.translator import APART, CIRCLED, SILENT, Translator


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


def test_what_is_asked_is_spelt_as_what_was_learnt(told):
    tokens = Tokens.train(["the cát sat on the mat"] * 7, "unigram", 0, symbols=True)
    engine = told(lambda source, beam: [source])
    asked = "\u00a0the ca\u0301t file:///e\u0301\r"
    (one,) = Translator(engine, Vocabulary(tokens, tokens), "en", "fr").translate([asked])
    assert engine.asked[0][2] == [tokens.encode("the cát \ue000")]
    assert one.text.startswith("\u00a0the")
    assert one.text.endswith("file:///e\u0301\r")  # what is no text stays as it is


@pytest.fixture(scope="module")
def plain():
    """Tokens without symbols."""
    tokens = Tokens.train(["the cat sat on the mat", "100 %s"] * 7, "unigram", 0, symbols=False)
    return Vocabulary(tokens, tokens)


def test_the_model_sees_symbols_only_where_it_knows_them(vocabulary, plain, told):
    for tokens, asked in ((vocabulary, "the \ue000"), (plain, "the %s")):
        engine = told(lambda source, beam: [source])
        assert Translator(engine, tokens, "en", "fr").translate(["the %s"])[0].text == "the %s"
        (_, _, [source]) = engine.asked[0]
        assert source == tokens.source.encode(asked)
        assert UNK not in source


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
    text, cat = "a man ran\ue033 the %s sat", vocabulary.target.encode("the \ue000")
    engine = told(lambda source, beam: [cat])
    assert Translator(engine, vocabulary, "en", "fr", context=True).translate([text])[0].text == "the %s"
    assert engine.asked.pop()[2] == [vocabulary.source.encode("a man ran\ue033 the \ue000 sat")]
    engine = told(lambda source, beam: [source])
    assert Translator(engine, vocabulary, "en", "fr").translate([text])[0].text == text
    assert engine.asked.pop()[2] == [vocabulary.source.encode("a man ran\ue000 the \ue001 sat")]  # no break of ours


def test_who_was_not_taught_placeholders_reads_them(plain, told):
    engine = told(lambda source, beam: [source])
    Translator(engine, plain, "en", "fr", protects=False).translate(["the %s sat"])
    assert engine.asked[-1][2] == [plain.source.encode("the %s sat")]


@pytest.mark.parametrize(
    "text", ["17:45", " - ", "😀 !", "https://example.org/a?b=1", "%s: {0}", "\u202e1\u202c", "2 + 2"]
)
def test_what_has_no_letters_of_its_own_is_not_asked_for(echo, text):
    assert echo.translate([text]) == [Translation(text, text)]
    assert not any(sources for _, _, sources in echo.engine.asked)


def test_who_was_taught_figures_is_asked_for_them(vocabulary, told):
    mat = vocabulary.target.encode("the mat")
    translator = Translator(told(lambda source, beam: [mat]), vocabulary, "en", "fr", figures=True)
    assert [one.text for one in translator.translate([",", " "])] == ["the mat", " "]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("the 漢字 sat", "the \ue000 sat"),
        ("a dogß ran", "a \ue000 ran"),
        ("the mat 😀 ran", "the mat \ue000 ran"),
        ("the cat😀 %s", "the cat\ue001 \ue000"),
    ],
)
def test_what_the_model_has_no_letters_for_is_carried_over(echo, vocabulary, text, asked):
    assert echo.translate([text])[0].text == text
    assert echo.engine.asked[0][2] == [vocabulary.source.encode(asked)]


def test_what_is_too_much_to_carry_over_is_left_where_it_stands(echo):
    text = " ".join(f"the {chr(0x4E00 + i)} cat" for i in range(11))
    (answer,) = echo.translate([text])
    assert (answer.text, answer.warnings) == (text, (APART,))


def test_a_placeholder_that_goes_astray_is_looked_for_again_and_at_last_left_where_it_stands(vocabulary, told):
    encode = vocabulary.target.encode
    lost, found = encode("the cat"), encode("the \ue000 cat")
    engine = told(lambda source, beam: [lost, lost, found][:beam])
    assert Translator(engine, vocabulary, "en", "fr").translate(["a %s ran"], beam=1)[0].text == "the %s cat"
    engine = told(lambda source, beam: [lost])
    (answer,) = Translator(engine, vocabulary, "en", "fr").translate(["a <b>man</b> ran"])
    assert (answer.text, answer.warnings) == ("the cat <b>the cat</b> the cat", (APART,))


def test_an_end_before_its_tag_is_astray(vocabulary, told):
    crossed = vocabulary.target.encode(f"the {CLOSING[0]} cat {OPENING[0]}")
    (answer,) = Translator(told(lambda source, beam: [crossed]), vocabulary, "en", "fr").translate(["<b>a man</b>"])
    assert (answer.text[:3], answer.text[-4:], answer.warnings) == ("<b>", "</b>", (APART,))


def test_who_goes_round_in_circles_is_asked_again_and_at_last_cut_off(vocabulary, told):
    encode = vocabulary.target.encode
    circle, straight = encode("a man") + encode("the cat") * 9, encode("a man sat")
    engine = told(lambda source, beam: [circle, straight][:beam])
    assert Translator(engine, vocabulary, "en", "fr").translate(["a dog"], beam=1)[0].text == "a man sat"
    (answer,) = Translator(told(lambda source, beam: [circle]), vocabulary, "en", "fr").translate(["a dog"])
    assert (answer.text, answer.warnings) == ("a man the cat", (CIRCLED,))
    again = " ".join(["the cat"] * 9)
    assert Translator(told(lambda source, beam: [source]), vocabulary, "en", "fr").translate([again])[0].text == again


def test_a_line_that_is_too_long_goes_in_parts_and_keeps_its_spaces(vocabulary, told):
    engine = told(lambda source, beam: [source])
    line = "the cat sat on the mat.  a dog ran over the hill,\tthe dog and the cat saw a man  over the mat"
    translator = Translator(engine, vocabulary, "en", "fr", reach=9)
    assert translator.translate([f" {line}\r"])[0].text == f" {line}\r"
    assert max(map(len, engine.asked[0][2])) <= 9
    assert len(engine.asked[0][2]) > 3


def test_what_was_not_taught_and_goes_astray_is_left_where_it_stands(plain, told):
    lost = plain.target.encode("the mat")
    translator = Translator(told(lambda source, beam: [lost]), plain, "en", "fr", protects=False)
    (answer,) = translator.translate(["the %s sat"])
    assert (answer.text, answer.warnings) == ("the mat %s the mat", (APART,))


def test_what_is_too_long_for_the_engine_keeps_each_placeholder_once(vocabulary, told):
    engine = told(lambda source, beam: [source])
    engine.longest = 9
    translator = Translator(engine, vocabulary, "en", "fr", context=True)
    text = "the cat sat on %s"
    assert translator.answers([("a dog ran over the hill\ue033 ", text)], 1, 1.0)[0].text == text


def test_a_circle_of_nothing_is_silence(vocabulary, told):
    nothing = vocabulary.target.encode(" ") * 17
    (answer,) = Translator(told(lambda source, beam: [nothing]), vocabulary, "en", "fr").translate(["a dog"])
    assert (answer.text, answer.warnings) == ("a dog", (SILENT,))
