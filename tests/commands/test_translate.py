"""`regard translate` and `regard predict` as their caller sees them. A model that shouts plays the translator."""

import io
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import save

from regard import folder
from regard.commands.predict import predict
from regard.commands.translate import translate
from regard.errors import InputError, RegardError, UserError
from regard.model import sizes
from regard.models.build import build
from regard.recipe import Recipe, TransformerSpec, to_toml
from regard.text.tokens import Tokens, Vocabulary
from regard.translate.translation import Translation


class Shouting:
    task, source, target, context = "translation", "en", "fr", 2

    def __init__(self):
        self.batches, self.before = [], []

    def translate(self, texts, beam=5, before=()):
        self.batches.append(len(texts))
        self.before.append(list(before))
        return [Translation(text, text.upper(), -0.5) for text in texts]

    def predict(self, texts, beam):
        return [text.upper() for text in texts]


@pytest.fixture
def shouting(monkeypatch):
    model = Shouting()
    monkeypatch.setattr("regard.model.load", lambda name: model)
    return model


@pytest.fixture
def given(monkeypatch):
    """Puts bytes on standard input."""

    def put(data):
        reading, writing = os.pipe()
        monkeypatch.setattr(sys, "stdin", os.fdopen(reading))

        def write():
            with os.fdopen(writing, "wb") as file:
                for block in [data] if isinstance(data, bytes) else data:
                    file.write(block)
                    file.flush()

        threading.Thread(target=write, daemon=True).start()

    return put


LINES = [
    (b"", ""),
    (b"a\nb\n", "A\nB\n"),
    (b"a\nb", "A\nB"),
    (b"\n\n  \n", "\n\n  \n"),
    (b"a\r\nb\x0bc\x0cd\n", "A\r\nB\x0bC\x0cD\n"),
    ("a\u2028b\u0085c\n".encode(), "A\u2028B\u0085C\n"),
    (b"a\xffb\xc3\n", "A\ufffdB\ufffd\n"),
    (b"\n" * 3001 + b"x" * 300_001, "\n" * 3001 + "X" * 300_001),
]


@pytest.mark.parametrize(("data", "wanted"), LINES)
def test_one_line_out_for_each_line_in(shouting, given, capsys, tmp_path, data, wanted):
    given(data)
    translate(model="m")
    assert capsys.readouterr().out == wanted
    (tmp_path / "in.txt").write_bytes(data)
    translate(str(tmp_path / "in.txt"), model="m", out=tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_bytes() == wanted.encode()
    given(data)
    predict(model="m")
    assert capsys.readouterr() == (wanted, "")


def test_what_comes_slowly_is_answered_when_it_pauses(shouting, given, capsys):
    def slowly():
        yield b"one\ntwo\nthr"
        time.sleep(0.5)
        yield b"ee\nfour\n"

    given(slowly())
    translate(model="m")
    assert capsys.readouterr().out == "ONE\nTWO\nTHREE\nFOUR\n"
    assert shouting.batches == [0, 2, 2]
    assert shouting.before[1:] == [[], ["one", "two"]]  # what a model with context is told with the second batch


def test_a_text_is_answered(shouting, capsys):
    translate("the cat", model="m")
    translate("two\nlines", model="m", source="EN-GB", target="fr")
    translate("a\udcffb", model="m")  # how Python hands over a byte that is no UTF-8
    predict("", model="m")
    predict("the dog", model="m")
    assert capsys.readouterr().out == "THE CAT\nTWO\nLINES\nA\ufffdB\n\nTHE DOG\n"


def test_json_is_an_object_a_line(shouting, given, capsys):
    given("chat\n\nété".encode())
    translate(model="m", json=True)
    lines = capsys.readouterr().out.split("\n")
    assert lines.pop() == ""
    assert [json.loads(line)["text"] for line in lines] == ["CHAT", "", "ÉTÉ"]
    assert list(json.loads(lines[0])) == [
        "source", "text", "score", "confidence", "words", "alignment", "alternatives", "warnings",
    ]  # fmt: skip
    assert "ÉTÉ" in lines[2]


def test_several_files_go_to_a_folder(shouting, tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"{name}\n")
    files = [str(tmp_path / name) for name in ("a.txt", "b.txt")]
    translate(*files, model="m", out=tmp_path / "out")
    assert (tmp_path / "out" / "a.txt").read_text() == "A.TXT\n"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.txt", "b.txt"]
    with pytest.raises(InputError, match="two of the files have the same name"):
        translate(files[0], files[0], model="m", out=tmp_path / "other")


def test_what_stands_there_is_replaced_by_force_alone(shouting, tmp_path, monkeypatch):
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("a\n")
    out.write_text("mine\n")
    with pytest.raises(InputError, match=r"out\.txt exists; name another place with -o, or say --force"):
        translate(str(source), model="m", out=out)
    assert out.read_text() == "mine\n"

    def broken(texts, beam):
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(shouting, "translate", lambda texts, beam=5, before=(): broken(texts, beam) if texts else [])
        with pytest.raises(ZeroDivisionError):
            translate(str(source), model="m", out=out, force=True)
    assert out.read_text() == "mine\n"
    translate(str(source), model="m", out=out, force=True)
    assert out.read_text() == "A\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt", "out.txt"]


def test_a_file_that_is_called_like_a_part_of_the_output_stays(shouting, tmp_path):
    (tmp_path / "notes.part").write_text("mine\n")
    translate(str(tmp_path / "notes.part"), model="m", out=tmp_path / "notes")
    assert (tmp_path / "notes").read_text() == "MINE\n"
    assert (tmp_path / "notes.part").read_text() == "mine\n"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_place_that_cannot_be_written_is_named(shouting, tmp_path):
    source = tmp_path / "in.txt"
    source.write_text("a\n")
    for out in (source / "x", tmp_path / ("x" * 300)):
        with pytest.raises(RegardError, match=f"cannot write {out}: "):
            translate(str(source), model="m", out=out)
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize(
    ("words", "options", "said"),
    [
        (["a", "b"], {}, "2 texts; put one in quotes, or name files and -o OUT"),
        (["FILE"], {}, "is a file; say with -o where its translation goes"),
        (["nothing.txt"], {"out": Path("new")}, r"nothing\.txt does not exist"),
        (["a"], {"beam": 0}, "--beam is 0; give a whole number above 0"),
        (["a"], {"source": "fr"}, "--from is fr, but m translates from en to fr"),
        (["a"], {"target": "frr"}, "unknown language 'frr'"),
    ],
)
def test_mistakes_are_said(shouting, tmp_path, words, options, said):
    (tmp_path / "in.txt").write_text("a\n")
    words = [str(tmp_path / "in.txt") if word == "FILE" else word for word in words]
    with pytest.raises(UserError, match=said):
        translate(*words, model="m", **options)


def test_progress_is_shown_where_it_is_wanted(shouting, capsys):
    translate("a", model="m")
    assert capsys.readouterr().err == ""
    translate("a\nb", model="m", progress=True)
    assert capsys.readouterr().err.startswith("2 lines, ")


def test_progress_stays_on_its_line_in_a_terminal(shouting, monkeypatch, capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("regard.commands.lines.EVERY", 0)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    translate("a\nb", model="m")
    assert terminal.getvalue().count("\r\033[K2 lines, ") == 2
    assert terminal.getvalue().endswith("a second\n")


@pytest.fixture(scope="module")
def random_model(tmp_path_factory):
    """A folder of a translator that has learnt nothing."""
    tokens = Tokens.train(["the cat sat on the mat", "a dog ran over the hill"] * 7, "unigram", 0, symbols=True)
    vocabulary = Vocabulary(tokens, tokens)
    spec = TransformerSpec(width=14, inner=31, heads=2, encoder_layers=1, decoder_layers=1)
    recipe = Recipe(source="en", target="fr", model=spec)
    torch.manual_seed(3)
    module = build(spec, *sizes(recipe, vocabulary, None))
    weights = {name: weight.detach().clone() for name, weight in module.named_parameters()}
    files = {"recipe.toml": to_toml(recipe).encode(), "weights.safetensors": save(weights), **vocabulary.files()}
    path = tmp_path_factory.mktemp("models") / "random"
    folder.put(path, files)
    return path


def test_the_command_on_a_real_model(random_model):
    words = [sys.executable, "-m", "regard", "translate", "--model", str(random_model), "--json"]
    done = subprocess.run(words, input=b"the cat\n \nthe %s dog", capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["source"] for answer in answers] == ["the cat", " ", "the %s dog"]
    assert answers[0]["score"] < 0
    assert answers[0]["text"]
    assert answers[1]["text"] == " "


def test_a_closed_input_is_an_empty_one(shouting, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    translate(model="m")
    assert capsys.readouterr().out == ""


def test_an_input_that_cannot_be_read_is_said(random_model, tmp_path):
    words = [sys.executable, "-m", "regard", "translate", "--model", str(random_model)]
    with (tmp_path / "full").open("wb") as wrong:
        done = subprocess.run(words, stdin=wrong, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"regard: standard input cannot be read: Bad file descriptor\n"
