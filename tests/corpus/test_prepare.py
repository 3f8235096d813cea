import random
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from regard.corpus.encode import rating
from regard.corpus.prepare import Corpus, prepare
from regard.corpus.texts import Text
from regard.errors import InputError, RecipeError
from regard.recipe import from_plain
from regard.text.symbols import BREAK, PLACEHOLDERS, TERM, is_symbol


def test_generated_pairs(tmp_path: Path) -> None:
    recipe = from_plain({"data": {"generate": "dates", "pairs": 503}, "tokens": {"kind": "characters"}, "model": {}})
    said: list[str] = []
    corpus = prepare(recipe, tmp_path / "data", said.append)
    assert said
    assert corpus.vocabulary
    assert len(corpus.train) > 400
    source, target = corpus.train.ids(7)
    assert corpus.train.lengths[7].tolist() == [len(source), len(target)]
    assert len(corpus.vocabulary.target.decode(target)) == len("2009-05-03")
    told = list(said)
    again = prepare(recipe, tmp_path / "data", said.append)
    assert again.valid == corpus.valid
    assert said == told  # nothing was made again


def test_what_stands_in_further_columns_of_a_test(tmp_path: Path) -> None:
    """Of a word other pronunciations; of all else nothing, which is said."""
    texts = sentences(61, 1)
    (tmp_path / "train.tsv").write_text("".join(f"{text}\t{text.upper()}\n" for text in texts))
    (tmp_path / "test.tsv").write_text("Tom\tT O M\tT A M\t\nle chat\tL E\n")

    def made(task: str) -> Corpus:
        files = {name: [{"files": [f"{name}.tsv"]}] for name in ("train", "test")}
        data = {**files, "folder": str(tmp_path), "clean": False, "held_out": 5}
        recipe = from_plain({"task": task, "data": data, "tokens": {"kind": "characters"}, "model": {}})
        return prepare(recipe, tmp_path / task, lambda text: None)

    corpus, note = made("g2p"), "test.tsv has 4 columns; the others are ignored"
    assert corpus.test == [("Tom", "T O M"), ("Tom", "T A M"), ("le chat", "L E")]
    assert note not in corpus.report["notes"]
    corpus = made("translation")
    assert corpus.test == [("Tom", "T O M"), ("le chat", "L E")]
    assert corpus.report["notes"].count(note) == 1


WORDS = ["le", "chat", "chien", "voit", "entend", "vieux", "rouge", "jardin", "dans", "Tom", "dort", "une", "maison"]


def sentences(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [f"{' '.join(rng.choices(WORDS, k=rng.randint(5, 9)))}." for _ in range(count)]


def with_context(folder: Path, context: int, kind: str = "unigram", guided: float = 0.0) -> Corpus:
    """A corpus of two files, in the order that they are read in; each target is its source in capitals."""
    for seed, name in enumerate(("one", "two")):
        rows = (f"{text}\t{text.upper()}\n" for text in sentences(211, seed))
        (folder / f"{name}.tsv").write_text("".join(rows))
    files = [{"files": [f"{name}.tsv"]} for name in ("one", "two")]
    data = {"train": files, "folder": str(folder), "context": context, "clean": False, "held_out": 13}
    recipe = from_plain({"data": data, "tokens": {"kind": kind}, "model": {}, "training": {"guided": guided}})
    return prepare(recipe, folder / "data", lambda text: None)


@pytest.mark.parametrize("context", [1, 2])
@pytest.mark.parametrize("kind", ["unigram", "characters"])
def test_the_sentences_before_stand_in_front_of_a_source(tmp_path: Path, context: int, kind: str) -> None:
    corpus = with_context(tmp_path, context, kind)
    assert corpus.vocabulary
    known = {}
    for seed in (0, 1):
        texts = sentences(211, seed)
        known |= {text: texts[max(0, i - context) : i] for i, text in enumerate(texts)}
    held = {source.split(f"{BREAK} ")[-1] for source, _ in (*corpus.valid, *corpus.test)}
    pieces, lonely = corpus.vocabulary.source.pieces, 0
    decode = corpus.vocabulary.source.decode
    for row in range(len(corpus.train)):
        source, target = (ids.tolist() for ids in corpus.train.ids(row))
        *before, text = decode(source).split(f"{BREAK} ")
        if any("\ue000" <= letter <= "\ue032" for letter in text):
            continue  # made to teach terms, placeholders and tags
        assert before == ([] if held & set(known[text]) else known[text])
        assert pieces(source).count(BREAK) == len(before)
        assert decode(target) == text.upper()
        lonely += not before
        if kind == "unigram":
            assert source[-len(corpus.vocabulary.source.encode(text)) :] == corpus.vocabulary.source.encode(text)
    assert lonely <= 2 + 26 * context  # the first of each file, and those behind one that is held out
    for source, target in (*corpus.valid, *corpus.test):
        *before, text = source.split(f"{BREAK} ")
        assert before == known[text]
        assert target == text.upper()


def test_no_word_is_linked_with_one_of_the_sentence_before(tmp_path: Path) -> None:
    corpus = with_context(tmp_path, 1, guided=0.1)
    assert corpus.vocabulary
    mark, linked = corpus.vocabulary.source.symbol(BREAK), 0
    for row in range(len(corpus.train)):
        source, target = corpus.train.ids(row)
        behind = max(np.flatnonzero(source == mark), default=-1)
        links = corpus.train.links(row)
        assert (links[:, 0] > behind).all()
        linked += len(set(links[:, 1].tolist())) / len(target)
    assert linked > 0.9 * len(corpus.train)


def test_words_hold_no_break(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"data.context puts a break between sentences, which tokens of kind 'words'"):
        with_context(tmp_path, 1, "words")


@pytest.mark.parametrize("task", ["translation", "language", "fill", "classify", "g2p"])
def test_what_a_model_has_no_positions_for_is_not_asked(tmp_path: Path, task: str) -> None:
    rows = {"translation": "{0}\t{0}\n", "g2p": "{0}\t{0}\n", "classify": "{0}\tx\n"}.get(task, "{0}\n").format
    texts = sentences(101, 1)
    long = " ".join(texts[:9])
    (tmp_path / "train.tsv").write_text("".join(map(rows, texts)) + ("Tom dort.\ty\n" if task == "classify" else ""))
    (tmp_path / "valid.tsv").write_text("".join(map(rows, [*sentences(7, 2), long])))
    (tmp_path / "long.tsv").write_text(rows(long))
    model = {"positions": "learned", "longest": 53}

    def made(valid: str) -> Corpus:
        files = {name: [{"files": [file]}] for name, file in (("train", "train.tsv"), ("valid", valid))}
        data = {**files, "folder": str(tmp_path), "clean": False, "held_out": 5}
        tokens = {"kind": "unigram" if task == "fill" else "bpe"}
        recipe = from_plain({"task": task, "data": data, "tokens": tokens, "model": model})
        return prepare(recipe, tmp_path / valid, said.append)

    said: list[str] = []
    corpus = made("valid.tsv")
    assert [source or target for source, target in corpus.valid] == sentences(7, 2)
    assert "1 held-out pairs left out: a side has more than 52 tokens" in said
    assert corpus.train.lengths.max() <= 52
    with pytest.raises(InputError, match="every held-out pair is longer than the 52 tokens that the model can read"):
        made("long.tsv")


def table(path: Path, pairs: list[tuple[str, str]]) -> str:
    path.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    return path.name


def prepared(folder: Path, plain: dict[str, object], **data: object) -> Corpus:
    """The corpus of a recipe whose files are in the folder; nothing is cleaned."""
    recipe = from_plain({**plain, "data": {"folder": str(folder), "clean": False, **data}, "model": {}})
    return prepare(recipe, folder / "data", lambda text: None)


def texts_of(corpus: Corpus) -> list[tuple[str, str]]:
    assert corpus.vocabulary
    decode = corpus.vocabulary.source.decode
    return [tuple(decode(ids.tolist()) for ids in corpus.train.ids(row)) for row in range(len(corpus.train))]


PLAIN = {"placeholders": False, "terms": 0.0}


def test_what_ones_own_files_ask_is_not_learnt(tmp_path: Path) -> None:
    pairs = [(text, text.upper()) for text in sentences(101, 1)]
    same = [(pairs[3][0].upper(), "something else"), ("autre chose", f"{pairs[5][1]}!"), ("toute autre", "entirely")]
    names = {
        name: [{"files": [table(tmp_path / f"{name}.tsv", some)]}]
        for name, some in (("train", pairs), ("valid", same), ("test", pairs[7:10]))
    }
    corpus = prepared(tmp_path, {}, **PLAIN, **names)
    assert (corpus.valid, corpus.test) == (same, pairs[7:10])
    assert texts_of(corpus) == [pair for i, pair in enumerate(pairs) if i not in (3, 5, 7, 8, 9)]
    wanted = [f"left out, for validation or test has the same: {count}" for count in (2, 3)]
    assert corpus.report["notes"] == wanted


def test_a_files_weight_is_that_of_its_pairs(tmp_path: Path) -> None:
    parts = [[(text, text.upper()) for text in sentences(53, seed)] for seed in (1, 2)]
    files = [{"files": [table(tmp_path / f"{i}.tsv", part)], "weight": 1.5 - i} for i, part in enumerate(parts)]
    corpus = prepared(tmp_path, {}, **PLAIN, train=files, held_out=5)
    assert corpus.train.weights is not None
    assert corpus.train.weights.tolist() == [1.5 if pair in parts[0] else 0.5 for pair in texts_of(corpus)]
    assert set(corpus.train.weights) == {0.5, 1.5}


def test_symbols_are_learnt_in_pairs_that_have_them_and_in_extra_ones(tmp_path: Path) -> None:
    pairs = [(text, text.upper()) for text in sentences(211, 1)]
    marked = [(f"%s, {a}", f"%s, {b}") for a, b in pairs[:40]]
    name = table(tmp_path / "a.tsv", [*pairs[40:], *marked])
    corpus = prepared(tmp_path, {}, train=[{"files": [name]}], terms=0.2, held_out=7)
    real, extra = texts_of(corpus)[: -corpus.report["extra"]], texts_of(corpus)[-corpus.report["extra"] :]
    assert len(real) == 211 - 14
    assert sum(source.startswith(f"{PLACEHOLDERS[0]}, ") and target.startswith(f"{PLACEHOLDERS[0]}, ")
               for source, target in real) > 20  # fmt: skip
    assert not any("%s" in side for pair in real for side in pair)
    terms = sum(TERM in source for source, _ in extra)
    assert abs(terms - 0.2 * len(real)) < 0.05 * len(real)
    assert 0 < len(extra) - terms < 0.15 * len(real)
    assert all(any(map(is_symbol, source)) for source, _ in extra)


@pytest.mark.parametrize("value", ["nan", "inf", "-Infinity", "four"])
def test_a_rating_is_a_number(value: str) -> None:
    with pytest.raises(InputError, match=f"rating '{value}' of user 'ann', item 'up': give a number"):
        rating(Text(0, "ann\tup", value))


@pytest.mark.skipif(sys.platform != "linux", reason="what is open is read from /proc")
def test_a_stage_is_closed_before_it_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    removed = {}
    remove = shutil.rmtree

    def watched(path: Path, **options: bool) -> None:
        removed[path.name] = str(path) in Path("/proc/self/maps").read_text()
        remove(path, **options)

    monkeypatch.setattr(shutil, "rmtree", watched)
    with_context(tmp_path, 1)
    assert removed["stage"] is False
