"""Files to a stage on disk, and what is refused on the way: each in one line that names the file and the line."""

import gzip
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.corpus import workers
from regard.corpus.clean import Report, Sides, normal
from regard.corpus.split import split
from regard.corpus.stage import NAMES, Stage, stage
from regard.corpus.unique import duplicates, examples
from regard.errors import InputError
from regard.recipe.data import DataSpec, FilesSpec

FRENCH_ENGLISH = ("fr", "en")


def put(folder: Path, name: str, content: str | bytes) -> str:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def staged(
    folder: Path, *files: FilesSpec, report: Report | None = None, sides: Sides = "both", **spec: object
) -> Stage:
    data = DataSpec(folder=str(folder), **{"languages": False, **spec})
    return stage(data, files, folder / "stage", FRENCH_ENGLISH, report or Report(), sides)


def test_by_hand(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", "\ufeffUn.\tOne.\r\n\nDeux\t\nUn !\tone\n")
    put(tmp_path, "b.fr", "Été\nTrois\n")
    put(tmp_path, "b.en", "Summer\nThree\n")
    report = Report()
    made = staged(tmp_path, FilesSpec(files=("a.tsv",)), FilesSpec(files=("b.fr", "b.en")), report=report)
    assert list(made.pairs()) == [("Un.", "One."), ("Un !", "one"), ("Été", "Summer"), ("Trois", "Three")]
    assert list(made.pairs([3, 0])) == [("Trois", "Three"), ("Un.", "One.")]
    assert made.groups.tolist() == [0, 0, 1, 1]
    assert (report.read, report.kept, report.dropped) == (6, 4, {"empty": 2})
    assert made.keys[0].tolist() == made.keys[1].tolist() != made.keys[2].tolist()
    assert sorted(path.name for path in (tmp_path / "stage").iterdir()) == sorted(NAMES)
    found = duplicates(made.keys, tmp_path / "stage")
    assert found.tolist() == [False, True, False, False]
    assert [(one.line, one.source) for one in examples(made, found)] == [(2, "Un !")]
    again = Stage(tmp_path / "stage")
    assert list(again.pairs()) == list(made.pairs())


def test_more_than_two_columns_and_one(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", "7\tHeat\t3.5\textra\n8\tAlien\t4\textra\n")
    report = Report()
    made = staged(tmp_path, FilesSpec(files=("a.tsv",), columns=(1, 2, 3)), sides="none", report=report)
    assert list(made.pairs()) == [("7", "Heat\t3.5"), ("8", "Alien\t4")]
    assert report.notes == ["a.tsv has 4 columns; the others are ignored"]
    alone = staged(tmp_path, FilesSpec(files=("a.tsv",), columns=(2,)), sides="alone")
    assert list(alone.pairs()) == [("Heat", ""), ("Alien", "")]


def test_the_context_begins_anew_with_each_file(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", "un\t1\ndeux\t2\n")
    put(tmp_path, "b.tsv", "trois\t3\nquatre\t4\n")
    files = [FilesSpec(files=(name,)) for name in ("a.tsv", "b.tsv")]
    sources = [source for source, _ in staged(tmp_path, *files, context=1).pairs()]
    assert sources == ["un", "un\ue033 deux", "trois", "trois\ue033 quatre"]


def test_hundreds_of_files(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", "un\t1\n")
    made = staged(tmp_path, *[FilesSpec(files=("a.tsv",))] * 300)
    assert made.groups.tolist() == list(range(300))


VARIANTS = ["{}", "{}.", " {} !", "« {} »", "{}\u2026"]


def test_nothing_leaks_from_train_to_test_however_it_is_written(tmp_path: Path) -> None:
    rng = random.Random(1)

    def text(word: str) -> str:
        word = f"{word}{int(900 ** rng.random())}"
        return rng.choice(VARIANTS).format(rng.choice([word, word.upper(), word.capitalize(), f"le  {word}"]))

    lines = [f"{text('mot')} {rng.choice('abc')}\t{text('word')}" for _ in range(3000)]
    put(tmp_path, "a.tsv", "".join(f"{line}\n" for line in lines))
    made = staged(tmp_path, FilesSpec(files=("a.tsv",)))
    dropped = np.array(duplicates(made.keys, tmp_path / "stage"))
    sides = [tuple(map(normal, pair)) for pair in made.pairs()]
    assert dropped.tolist() == [pair in sides[:row] for row, pair in enumerate(sides)]
    valid, test, left = split(made.keys, dropped, 7, 5, 1)
    assert len(valid) == 7
    assert len(test) == 5
    dropped[[*valid, *test, *left]] = True
    sets = [valid, test, np.flatnonzero(~dropped)]
    for side in (0, 1):
        texts = [{sides[row][side] for row in rows} for rows in sets]
        assert sum(map(len, texts)) == len(set.union(*texts))


@pytest.mark.slow
def test_many_rows_are_staged_by_processes_as_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a.tsv", "".join(f"phrase {n % 997}\tsentence {n}\n" for n in range(60_000)))
    monkeypatch.setattr("regard.corpus.workers.cores", lambda: 2)
    reports = Report(), Report()
    staged(tmp_path, FilesSpec(files=("a.tsv",)), report=reports[0])
    files = [(tmp_path / "stage" / name).read_bytes() for name in NAMES]
    monkeypatch.setattr(workers, "FEW", 10**6)
    staged(tmp_path, FilesSpec(files=("a.tsv",)), report=reports[1])
    assert files == [(tmp_path / "stage" / name).read_bytes() for name in NAMES]
    assert reports[0].as_dict() == reports[1].as_dict()


# What is refused.


def refused(folder: Path, *files: FilesSpec, **spec: object) -> str:
    with pytest.raises(InputError) as caught:
        staged(folder, *files, **spec)
    assert "\n" not in str(caught.value)
    return str(caught.value)


BROKEN = "Élan\tMoose\n".encode("latin-1")


def test_some_broken_lines_are_dropped_and_counted(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", b"Un\tOne\n" * 1000 + BROKEN * 9)
    report = Report()
    made = staged(tmp_path, FilesSpec(files=("a.tsv",)), report=report)
    assert len(made) == 1000
    assert report.dropped == {"broken encoding": 9}
    assert [one.line for one in report.examples["broken encoding"]] == [1001, 1002, 1003]


def test_much_broken_encoding_names_the_file_and_the_line(tmp_path: Path) -> None:
    put(tmp_path, "good.tsv", "Un\tOne\n" * 5000)
    put(tmp_path, "bad.tsv", b"Un\tOne\n" * 16 + BROKEN * 17)
    wanted = "bad.tsv, line 17: no UTF-8, as in 17 of 33 rows; save the file as UTF-8 and start again"
    good, bad = FilesSpec(files=("good.tsv",)), FilesSpec(files=("bad.tsv",))
    assert refused(tmp_path, good, bad) == refused(tmp_path, bad, good) == refused(tmp_path, bad) == wanted


def test_of_two_texts_both_are_named(tmp_path: Path) -> None:
    put(tmp_path, "a.en", "Moose\n" * 20)
    put(tmp_path, "a.fr", "Élan\n".encode("latin-1") * 20)
    wanted = r"a.en and a.fr, line 1: no UTF-8, as in 20 of 20 rows; save the file as UTF-8 and start again"
    assert refused(tmp_path, FilesSpec(files=("a.en", "a.fr"))) == wanted


def test_broken_encoding_is_refused_uncleaned_too(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", BROKEN * 20)
    assert "line 1: no UTF-8, as in 20 of 20 rows" in refused(tmp_path, FilesSpec(files=("a.tsv",)), clean=False)


def test_where_no_row_is_left(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", "Un\t\n" * 5 + "\x01Deux\tTwo\n")
    wanted = "a.tsv: none of 6 rows is left; most were dropped for: empty"
    assert refused(tmp_path, FilesSpec(files=("a.tsv",))) == wanted


BINARY = "a NUL byte; give a text in UTF-8 (UTF-16 and binary files have NULs)"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (("none.tsv",), "{}/none.tsv does not exist (did you mean 'one.tsv'?)"),
        (("folder",), "{}/folder is a folder; name the files in it"),
        (("empty.tsv",), "empty.tsv is empty; give one row a line"),
        (("one.tsv",), "one.tsv, line 2: one column; source and target go in two, split by a tab"),
        (("nul.tsv",), f"nul.tsv, line 3: {BINARY}"),
        (("long.tsv",), "long.tsv, line 2: longer than 1,000,000 bytes; a line holds one sentence or one row"),
        (("two", "three"), "two has 2 lines, three 3; each line needs the other's same line"),
    ],
)
def test_bad_files(tmp_path: Path, files: tuple[str, ...], message: str) -> None:
    (tmp_path / "folder").mkdir()
    put(tmp_path, "empty.tsv", "")
    put(tmp_path, "one.tsv", "Un\tOne\nDeux\n")
    put(tmp_path, "nul.tsv", "Un\tOne\nDeux\tTwo\nTr\0is\tThree\n")
    put(tmp_path, "long.tsv", "Un\tOne\n" + "x" * 5_000_000 + "\ty\n")
    put(tmp_path, "two", "a\nb\n")
    put(tmp_path, "three", "a\nb\nc")
    assert refused(tmp_path, FilesSpec(files=files)) == message.format(tmp_path)
    assert refused(tmp_path, FilesSpec(files=files), languages=True) == message.format(tmp_path)


parts = st.sampled_from([
    b"\t", b"\n", b"\r\n", b",", b'"', b"{", b"}", b"[", b"]", b":", b'"a"', b"1", b"null", b"NaN", b"1e999",
    b"\\ud83d", b"\xff", b"\0", b"\xef\xbb\xbf", b"source", b'{"source":', b'"target":', b'{"translation": ',
    b'["a", "b"]\n', b"a\tb\n", b"\xe2\x80\xa8", b"9" * 5000,
])  # fmt: skip
KINDS = ["a.tsv", "a.csv", "a.jsonl", "a.parquet", "a.tsv.gz", "a.jsonl.gz", "a.parquet.gz"]


@given(st.lists(parts | st.binary(max_size=4), max_size=30).map(b"".join), st.sampled_from(KINDS), st.booleans())
def test_whatever_is_in_a_file_it_is_staged_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str, packed: bool
) -> None:
    folder = tmp_path_factory.getbasetemp()
    put(folder, name, gzip.compress(content) if packed and name.endswith(".gz") else content)
    report, said = Report(), ""
    try:
        made = staged(folder, FilesSpec(files=(name,)), report=report)
    except InputError as error:
        said = str(error)
    if said:
        assert said.startswith(name)
        assert "\n" not in said
    else:
        assert len(list(made.pairs())) == report.kept > 0


def test_line_ends_and_a_byte_order_mark_are_no_content(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", "\ufeffUn\tOne\r\nDeux\tTwo\r\n")
    put(tmp_path, "a.csv", '\ufeffsource,target\r\nUn,One\r\n"Deux",Two\r\n')
    put(tmp_path, "a.fr", "\ufeffUn\r\nDeux\r\n")
    put(tmp_path, "a.en", "\ufeffOne\nTwo")
    for files in (("a.tsv",), ("a.csv",), ("a.fr", "a.en")):
        assert list(staged(tmp_path, FilesSpec(files=files)).pairs()) == [("Un", "One"), ("Deux", "Two")]


def test_swapped_columns_are_refused(tmp_path: Path) -> None:
    english, french = "The children were playing in the garden.", "Les enfants jouaient ensemble dans le jardin."
    put(tmp_path, "a.tsv", f"{english}\t{french}\n" * 40)
    wanted = (
        "a.tsv: the columns look swapped, the first is in 'en' and the second in 'fr'; say --columns 2,1, or change"
    )
    assert refused(tmp_path, FilesSpec(files=("a.tsv",)), languages=True).startswith(wanted)
    made = staged(tmp_path, FilesSpec(files=("a.tsv",), columns=(2, 1)), languages=True)
    assert made.pair(0) == (french, english)


def test_a_long_cell_of_a_csv_is_dropped_not_its_file(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", f'"{"x" * 200_000}",y\nUn,One\n')
    report = Report()
    assert list(staged(tmp_path, FilesSpec(files=("a.csv",)), report=report).pairs()) == [("Un", "One")]
    assert report.dropped == {"too long": 1}


def test_broken_encoding_of_a_parquet_is_counted(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pip install 'regard[parquet]'")
    from pyarrow import parquet

    texts = pyarrow.array([b"Un"] * 16 + ["Élan".encode("latin-1")] * 17, "binary").view("string")
    parquet.write_table(pyarrow.table({"fr": texts, "en": texts}), tmp_path / "a.parquet")
    wanted = "a.parquet, line 17: no UTF-8, as in 17 of 33 rows; save the file as UTF-8 and start again"
    assert refused(tmp_path, FilesSpec(files=("a.parquet",))) == wanted
