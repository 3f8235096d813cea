"""`regard evaluate` with a model that is played: what it reads, what it says, and how it refuses."""

import gzip
import json
import sys
from dataclasses import dataclass, field
from types import SimpleNamespace
from unicodedata import normalize
from unittest.mock import ANY

import pytest

from regard.commands.evaluate import evaluate
from regard.corpus.texts import ALONE
from regard.errors import InputError
from regard.evaluate.bleu import bleu, chrf
from regard.evaluate.score import Score

SOURCES = ["ein Hund", "zwei Katzen schlafen dort", "ein Haus steht am Fluss", "das rote Auto", "die Frau liest viel"]
TRANSLATION = ["bleu", "chrf", "bleu_lower", "bleu_moses", "exact"]
TARGETS = ["a dog", "two cats sleep there", "a house stands by the river", "the red car", "the woman reads a lot"]


@dataclass
class Played:
    """A model whose answers are given."""

    answers: dict[str, str] = field(default_factory=dict)
    task: str = "translation"
    source: str = "de"
    target: str = "en"
    context: int = 0
    beam: int = 0
    asked: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)

    def predict(self, texts, beam, before):
        self.beam, self.asked, self.before = beam, texts, before
        return [self.answers[text] for text in texts]

    def measure(self, texts):
        self.asked = texts
        return {"perplexity": Score(12.345678)}


@pytest.fixture
def models(monkeypatch):
    """The models by name, as regard.model.load finds them."""
    known = {}
    monkeypatch.setitem(sys.modules, "regard.model", SimpleNamespace(load=known.__getitem__))
    known["good"] = Played(dict(zip(SOURCES, TARGETS, strict=True)))
    known["poor"] = Played({s: "the " + t[:-5] for s, t in zip(SOURCES, TARGETS, strict=True)})
    return known


@pytest.fixture
def write(tmp_path):
    def written(name, lines):
        (tmp_path / name).write_bytes("".join(f"{line}\n" for line in lines).encode())
        return str(tmp_path / name)

    return written


def printed(capsys):
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_two_texts_in_json(models, write, capsys):
    models["good"].answers[SOURCES[3]] = "the blue car"
    evaluate(write("a.de", SOURCES), write("a.en", TARGETS), model="good", json=True)
    got = printed(capsys)
    said = [*TARGETS[:3], "the blue car", TARGETS[4]]
    references = [[one] for one in TARGETS]
    assert list(got) == ["task", "n", "scores", "by_length", "worst"]
    assert (got["task"], got["n"], models["good"].beam) == ("translation", 5, 5)
    assert list(got["scores"]) == TRANSLATION
    for name, score in (("bleu", bleu(said, references)), ("chrf", chrf(said, references))):
        assert got["scores"][name] == {"value": round(score.value, 2), "signature": score.signature}
    assert got["by_length"][0]["sentences"] == 5
    assert got["worst"][0] == {"source": "das rote Auto", "hypothesis": "the blue car", "references": ["the red car"]}


def test_several_texts_of_references(models, write, capsys):
    others = ["one dog", *TARGETS[1:]]
    models["good"].answers[SOURCES[0]] = "one dog"
    evaluate(write("a.de", SOURCES), write("a.en", TARGETS), write("b.en", others), model="good", json=True)
    got = printed(capsys)
    assert got["scores"]["bleu"]["value"] == 100
    assert "nrefs:2|" in got["scores"]["bleu"]["signature"]


def test_lines_of_texts_stay_one_by_one(models, write, capsys):
    evaluate(write("a.de", SOURCES[:1] * 3), write("a.en", ["a dog", "one dog", "a hound"]), model="good", json=True)
    assert printed(capsys)["n"] == 3


def test_a_table_where_a_source_comes_again(models, write, capsys):
    rows = [f"{s}\t{t}" for s, t in zip(SOURCES, TARGETS, strict=True)]
    again = [*rows, "ein Hund\tone dog", "ein Hund\ta dog", "\t", ""]
    evaluate(write("test.tsv", again), model="good", json=True, beam=2)
    got = printed(capsys)
    assert got["n"] == 5
    assert "nrefs:var|" in got["scores"]["bleu"]["signature"]
    assert got["worst"][0]["references"] == ["a dog", "one dog"]
    assert (models["good"].asked, models["good"].beam) == (SOURCES, 2)


def test_gzip_bom_and_crlf_are_read_and_further_columns_named(models, tmp_path, capsys):
    path = tmp_path / "test.tsv.gz"
    rows = "".join(f"{s}\t{t}\tCC BY\r\n" for s, t in zip(SOURCES, TARGETS, strict=True))
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + rows.encode()))
    evaluate(str(path), model="good", json=True, limit=3)
    out, err = capsys.readouterr()
    assert models["good"].asked == SOURCES[:3]
    assert json.loads(out)["scores"]["chrf"]["value"] == 100
    assert err == f"note: {path} has 3 columns; the others are ignored\n"


def test_bytes_that_are_no_text_are_counted(models, tmp_path, write, capsys):
    (tmp_path / "a.de").write_bytes(b"ein Hund\n\xff\n")
    models["good"].answers["\ufffd"] = "?"
    evaluate(str(tmp_path / "a.de"), write("a.en", TARGETS[:2]), model="good", json=True)
    assert "1 lines are not UTF-8, the first is line 2" in capsys.readouterr().err


def test_words_out_of_two_texts_are_asked_once_too(models, write, capsys):
    models["g2p"] = Played({"read": "R IY D", "cat": "K AE T"}, "g2p")
    evaluate(write("a", ["read", "cat", "read"]), write("b", ["R EH D", "K AE T", "R IY D"]), model="g2p", json=True)
    assert printed(capsys) == {"task": "g2p", "n": 2, "scores": {"wer": {"value": 0}, "per": {"value": 0}}}


def test_a_model_that_reads_the_sentence_before_is_asked_line_by_line(models, write, capsys):
    models["good"].context = 1
    evaluate(write("test.tsv", ["ein Hund\ta dog", "ein Hund\tone dog"]), model="good", json=True)
    assert (printed(capsys)["n"], models["good"].asked) == (2, ["ein Hund"] * 2)


def test_what_lacks_a_side_is_left_out_as_in_training(models, write, capsys):
    files = write("a.de", [*SOURCES, "", " ", "lang"]), write("a.en", [*TARGETS, "", "long", ""])
    evaluate(*files, model="good", json=True)
    out, err = capsys.readouterr()
    assert (json.loads(out)["n"], models["good"].asked) == (5, SOURCES)
    assert err == f"note: {' and '.join(files)}: left out, for a side is empty: 2\n"


def test_what_is_asked_and_wanted_is_spelt_as_it_was_learnt(models, write, capsys):
    models["good"].answers = {"schöner Hügel": "café"}
    evaluate(write("test.tsv", [normalize("NFD", " schöner Hügel\tcafé\r")]), model="good", json=True)
    assert printed(capsys)["scores"]["exact"]["value"] == 100


def test_columns_may_be_named_by_languages(models, write, capsys):
    lines = [json.dumps({"en": t, "de": s}) for s, t in zip(SOURCES, TARGETS, strict=True)]
    evaluate(write("test.jsonl", lines), model="good", json=True)
    assert printed(capsys)["scores"]["bleu"]["value"] == 100
    evaluate(write("test.csv", ["de,en", *map(",".join, zip(SOURCES, TARGETS, strict=True))]), model="good", json=True)
    assert (printed(capsys)["n"], models["good"].asked) == (5, SOURCES)


def test_against_another(models, write, capsys):
    files = write("a.de", SOURCES), write("a.en", TARGETS)
    evaluate(*files, model="good", against="poor", json=True)
    got = printed(capsys)["bootstrap"]
    assert list(got) == ["metric", "samples", "first", "second", "difference", "low", "high", "p"]
    assert (got["metric"], got["samples"], got["first"]) == ("bleu", 1000, 100)
    assert 0 < got["p"] < 0.05
    assert got["difference"] == pytest.approx(100 - got["second"])
    assert got["low"] <= got["difference"] <= got["high"]
    evaluate(*files, model="poor", against="good")
    text = " ".join(capsys.readouterr().out.split())
    assert f"poor is {got['difference']:.2f} BLEU below good ({got['second']:.2f} and 100.00);" in text
    assert f"p = {got['p']:.3f}, by 1,000 paired bootstrap samples." in text
    assert "Chance" not in text
    evaluate(*files, model="good", against="good")
    assert "Chance alone may explain it." in " ".join(capsys.readouterr().out.split())


def test_for_a_reader(models, write, capsys):
    models["good"].answers["lang"] = "word " * 30 + "\x1b[31m" + "x" * 100
    evaluate(write("a.de", [*SOURCES, "lang"]), write("a.en", [*TARGETS, "[bold]long :smile:"]), model="good")
    out = capsys.readouterr().out
    lines = out.split("\n")
    assert all(len(line) <= 80 and line == line.rstrip() for line in lines)
    assert "\x1b" not in out
    assert lines[0] == "translation: 6 sentences"
    assert [line.split()[0] for line in lines[2:7]] == TRANSLATION
    assert all("|version:" in line for line in lines[2:6])
    assert [line.split() for line in lines[8:10]] == [["source", "words", "sentences", "bleu"], ["0-5", "6", ANY]]
    assert "source      lang" in lines
    assert "reference   [bold]long :smile:" in lines
    assert lines.index("source      lang") < lines.index("source      ein Hund")


def test_words_and_their_sounds(models, write, tmp_path, capsys):
    answers = {"read": "R IY D", "tomato": "T AH M EY T OW", "cat": "K AE"}
    models["g2p"] = Played(answers, "g2p")
    rows = ["read\tR EH D\tR IY D", "tomato\tT AH M AA T OW", "tomato\tT AH M EY T OW", "", "cat\tK AE T"]
    evaluate(write("ref", rows), model="g2p", json=True)
    scores = {"wer": {"value": 33.33}, "per": {"value": 8.33}}  # one of three; one phone of 3 + 6 + 3
    assert printed(capsys) == {"task": "g2p", "n": 3, "scores": scores}
    put = gzip.compress("".join(f"{row}\n" for row in rows).encode())
    (tmp_path / "packed.gz").write_bytes(put)
    evaluate(str(tmp_path / "packed"), model="g2p")
    assert capsys.readouterr().out == "g2p: 3 words\n\nwer         33.33 %\nper          8.33 %\n"
    with pytest.raises(InputError, match="ref, line 2: one column; source and target go in two"):
        evaluate(write("ref", ["read\tR IY D", "cat"]), model="g2p")


def test_labels_and_ratings(models, write, capsys):
    models["mood"] = Played({"fine": "good", "awful": "good"}, "classify")
    evaluate(write("mood.tsv", ["fine\tgood", "awful\tbad", "fine\tgood"]), model="mood", json=True)
    assert printed(capsys) == {"task": "classify", "n": 3, "scores": {"accuracy": {"value": 66.67}}}
    models["stars"] = Played({"1\t7": "3.5", "2\t7": "4"}, "ratings")
    evaluate(write("u.test", ["1\t7\t4", "2\t7\t4"]), model="stars", json=True)
    assert printed(capsys) == {"task": "ratings", "n": 2, "scores": {"rmse": {"value": 0.3536}}}


@pytest.mark.parametrize("task", ALONE)
def test_texts_that_are_their_own_answers(models, write, capsys, task):
    models["lm"] = Played(task=task)
    evaluate(write("a.txt", ["one two", "three"]), model="lm", json=True)
    assert printed(capsys) == {"task": task, "n": 2, "scores": {"perplexity": {"value": 12.35}}}
    assert models["lm"].asked == ["one two", "three"]
    with pytest.raises(InputError, match=f"2 files; a model for {task} is measured on one text"):
        evaluate(write("a.txt", ["a"]), write("b.txt", ["b"]), model="lm")


def test_progress_is_told_a_batch_at_a_time(models, write, monkeypatch, capsys):
    monkeypatch.setattr("regard.commands.evaluate.MANY", 2)
    monkeypatch.setattr("regard.commands.lines.EVERY", 0)
    files = write("a.de", SOURCES), write("a.en", TARGETS)
    evaluate(*files, model="good", json=True, progress=True)
    out, err = capsys.readouterr()
    assert json.loads(out)["scores"]["bleu"]["value"] == 100
    assert [line.partition(",")[0] for line in err.splitlines()] == [f"{n} sentences" for n in (2, 4, 5, 5)]
    assert (models["good"].asked, models["good"].before) == (SOURCES[4:], SOURCES[:4])
    evaluate(*files, model="good")
    assert capsys.readouterr().err == ""


def test_what_is_refused(models, write, tmp_path):
    source, target = write("a.de", SOURCES), write("a.en", TARGETS)
    with pytest.raises(InputError, match="no files; give SRC REF"):
        evaluate(model="good")
    with pytest.raises(InputError, match="--beam is 0; give a whole number above 0"):
        evaluate(source, target, model="good", beam=0)
    with pytest.raises(InputError, match="--limit is -1"):
        evaluate(source, target, model="good", limit=-1)
    with pytest.raises(InputError, match=r"a\.dee does not exist .*a\.de"):
        evaluate(source + "e", target, model="good")
    with pytest.raises(InputError, match="is a folder"):
        evaluate(str(tmp_path), model="good")
    with pytest.raises(InputError, match=r"a\.de has 5 lines, .*short\.en 4"):
        evaluate(source, target, write("short.en", TARGETS[:4]), model="good")
    for name in ("empty.tsv", "empty"):
        for model in ("good", "g2p"):
            models["g2p"] = Played(task="g2p")
            with pytest.raises(InputError, match=f"{name} is empty"):
                evaluate(write(name, []), model=model)


def test_what_is_no_rival(models, write):
    files = write("a.de", SOURCES), write("a.en", TARGETS)
    models["french"] = Played(source="fr")
    models["mood"] = Played(task="classify")
    with pytest.raises(InputError, match="french is a model for translation fr to en; give one for translation de to"):
        evaluate(*files, model="good", against="french")
    with pytest.raises(InputError, match="--against compares translators, and this is a model for classify"):
        evaluate(*files, model="mood", against="good")
