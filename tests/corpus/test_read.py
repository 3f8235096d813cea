import gzip
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.corpus.gather import refuse_missing
from regard.corpus.read import Notes, Row, read
from regard.errors import InputError
from regard.recipe.data import DataSpec, FilesSpec

PAIR = "Bonjour.\tHello.\n"


def rows(folder: Path, *files: str, columns: tuple[int, ...] = (1, 2), notes: Notes | None = None) -> list[Row]:
    return list(read(FilesSpec(files=files, columns=columns), folder, ("fr", "en"), notes))


def fields(folder: Path, *files: str, columns: tuple[int, ...] = (1, 2)) -> list[tuple[str, ...]]:
    return [row.fields for row in rows(folder, *files, columns=columns)]


def put(folder: Path, name: str, content: str | bytes) -> str:
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(gzip.compress(data) if name.lower().endswith(".gz") else data)
    return name


BOTH = [("un", "one"), ("deux, trois", "two")]
KINDS = {
    "a.tsv": "un\tone\ndeux, trois\ttwo\n",
    "a.TAB": "un\tone\ndeux, trois\ttwo",
    "b.tsv": "Source\ttarget\nun\tone\ndeux, trois\ttwo\n",
    "a.txt": "un\tone\textra\r\ndeux, trois\ttwo\r\n",
    "a.weird": "\ufeffun\tone\ndeux, trois\ttwo",
    "a.csv": 'Source,target\nun,one\n"deux, trois",two\n',
    "b.csv": 'fr,EN\nun,one\n"deux, trois",two\n',
    "d.csv": 'word,Sounds\nun,one\n"deux, trois",two\n',
    "c.csv": 'un,one\n"deux, trois",two\n',
    "a.jsonl": '{"id": 1, "target": "one", "source": "un"}\n{"source": "deux, trois", "target": "two"}\n',
    "b.ndjson": '{"tgt": "one", "src": "un"}\n{"src": "deux, trois", "tgt": "two"}\n',
    "c.jsonl": '{"en": "one", "fr": "un"}\n{"fr": "deux, trois", "en": "two"}\n',
    "d.jsonl": '{"translation": {"en": "one", "fr": "un"}}\n{"translation": {"fr": "deux, trois", "en": "two"}}\n',
    "e.jsonl": '{"one": "un", "other": "one"}\n{"other": "two", "one": "deux, trois"}\n',
    "f.jsonl": '["un", "one"]\n["deux, trois", "two", 3]\n',
    "g.jsonl": '{"sounds": "one", "word": "un"}\n{"word": "deux, trois", "sounds": "two"}\n',
    "h.jsonl": '{"label": "one", "id": 1, "text": "un"}\n{"text": "deux, trois", "label": "two"}\n',
}


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_table(tmp_path: Path, name: str, packed: str) -> None:
    put(tmp_path, name + packed, KINDS[name])
    assert fields(tmp_path, name + packed) == BOTH
    assert fields(tmp_path, name + packed, columns=(2, 1)) == [pair[::-1] for pair in BOTH]
    assert fields(tmp_path, name + packed, columns=(2,)) == [pair[1:] for pair in BOTH]


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("nested", [False, True])
def test_parquet(tmp_path: Path, nested: bool, packed: str) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pip install 'regard[parquet]'")
    from pyarrow import parquet

    columns = {"en": ["one", "two"], "n": [1, None], "fr": [pair[0] for pair in BOTH]}
    objects = [{"en": pair[1], "fr": pair[0]} for pair in BOTH]
    parquet.write_table(
        pyarrow.table({"id": [1, 2], "translation": objects} if nested else columns), tmp_path / "a.parquet"
    )
    name = put(tmp_path, f"b.parquet{packed}", (tmp_path / "a.parquet").read_bytes())
    assert fields(tmp_path, name) == BOTH
    assert nested or fields(tmp_path, name, columns=(2, 3)) == [("1", "un"), ("", "deux, trois")]
    put(tmp_path, "bad.parquet", "un\tone\n")
    with pytest.raises(InputError, match=r"bad\.parquet: no Parquet, or damaged"):
        rows(tmp_path, "bad.parquet")


def test_two_texts(tmp_path: Path) -> None:
    one, other = put(tmp_path, "a.fr", "\ufeffun\r\ndeux, trois\n"), put(tmp_path, "a.en.gz", "one\ntwo")
    assert rows(tmp_path, one, other) == [
        Row("a.fr", 1, ("un", "one"), False),
        Row("a.fr", 2, ("deux, trois", "two"), False),
    ]
    assert fields(tmp_path, one, other, columns=(2, 1)) == [pair[::-1] for pair in BOTH]


def test_numbers_columns_and_quotes(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", 'source,target\n"two\nlines",x\nlast,y\n')
    assert [(row.line, row.fields) for row in rows(tmp_path, "a.csv")] == [(2, ("two\nlines", "x")), (4, ("last", "y"))]
    put(tmp_path, "a.tsv", '"quoted\t3\t4\n')
    notes = Notes()
    assert rows(tmp_path, "a.tsv", columns=(3, 1), notes=notes) == [Row("a.tsv", 1, ("4", '"quoted'), False)]
    assert notes.lines() == ["a.tsv has 3 columns; the others are ignored"]


def test_further_columns_may_hold_further_targets(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", "read\tR EH D\tR IY D\n\ncat\tK AE T\t \tK AA T\tG AE T\n")
    notes, files = Notes(), FilesSpec(files=("a.tsv",))
    found = [(row.line, row.fields) for row in read(files, tmp_path, notes=notes, several=True)]
    assert found[:3] == [(1, ("read", "R EH D")), (1, ("read", "R IY D")), (2, ("", ""))]
    assert found[3:] == [(3, ("cat", "K AE T")), (3, ("cat", "K AA T")), (3, ("cat", "G AE T"))]
    assert notes.lines() == []


def test_a_blank_line_has_empty_fields(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", PAIR + "\n" + PAIR)
    assert fields(tmp_path, "a.tsv")[1] == ("", "")
    put(tmp_path, "a.jsonl", '["a", "b"]\n \n')
    assert fields(tmp_path, "a.jsonl")[1] == ("", "")


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", PAIR.encode() + "Élan\tMoose\n".encode("latin-1"))
    assert rows(tmp_path, "a.tsv")[1] == Row("a.tsv", 2, ("\ufffdlan", "Moose"), True)
    put(tmp_path, "a.csv", b"a,b\n\xff,d\ne,f\n")
    assert [row.broken for row in rows(tmp_path, "a.csv")] == [False, True, False]
    put(tmp_path, "a.jsonl", r'["half \ud83d", "b"]')
    assert rows(tmp_path, "a.jsonl") == [Row("a.jsonl", 1, ("half \ufffd", "b"), True)]


@given(
    st.lists(st.text(st.characters(exclude_characters="\0\n\t", exclude_categories=["Cs"])), min_size=1, max_size=11)
)
def test_lines_end_at_lf_only(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("lines")
    put(folder, "a.tsv", "".join(f"x{text}\t{text}y\n" for text in texts))
    assert fields(folder, "a.tsv") == [(f"x{text}", f"{text}y") for text in texts]


DAMAGED = gzip.compress(b"".join(b"%d\tone\n" % (i * i) for i in range(20_000)))[:-300]
BINARY = "a NUL byte; give a text in UTF-8 (UTF-16 and binary files have NULs)"
WRONG = [
    ("a.tsv", "", "a.tsv is empty; give one row a line"),
    ("a.tsv.gz", "", "a.tsv.gz is empty; give one row a line"),
    ("a.csv", "source,target\n", "a.csv is empty; give one row a line"),
    ("a.tsv", PAIR * 2 + "alone\n", "a.tsv, line 3: one column; source and target go in two, split by a tab"),
    ("a.csv", "a,b\nalone\n", "a.csv, line 2: one column; source and target go in two, split by a comma"),
    ("a.jsonl", '["a"]\n', "a.jsonl, line 1: one column; source and target go in two, in a list or an object"),
    ("a.tsv", PAIR + "a\0\tb\n", f"a.tsv, line 2: {BINARY}"),
    ("a.tsv", PAIR.encode("utf-16"), f"a.tsv, line 1: {BINARY}"),
    ("a.tsv", PAIR + "x" * 5_000_000, "a.tsv, line 2: longer than 1,000,000 bytes; a line holds one sentence"),
    ("a.csv", 'a,b\n"open,c\n', "a.csv, line 2: no CSV (unexpected end of data); look for a quotation mark left open"),
    ("a.jsonl", '["a", "b"]\n{"source": 3', "a.jsonl, line 2: no JSON (Expecting ',' delimiter: "),
    ("a.jsonl", "[" * 100_000, "a.jsonl, line 1: no JSON (maximum recursion depth exceeded"),
    ("a.jsonl", "3\n", "a.jsonl, line 1: neither a JSON object nor a list; give an object with 'source' and 'target'"),
    ("a.jsonl", '{"text": "a"}', "a.jsonl, line 1: the keys are 'text'; give 'source' and 'target', or 'fr'"),
    ("a.jsonl", '{"translation": {"de": "a", "en": "b"}}', "a.jsonl, line 1: the keys are 'de' and 'en'; give"),
    ("a.jsonl", '{"source": "a", "target": "b"}\n{"source": "a"}', "a.jsonl, line 2: no key 'target'; it has 'source'"),
    ("a.jsonl", '[["a"], "b"]', "a.jsonl, line 1: ['a'] where a text was expected; each value is a string or a number"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), WRONG)
def test_what_is_wrong_is_said_with_file_and_line(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    put(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        rows(tmp_path, name)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_damaged_gzip_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "cut.tsv.gz").write_bytes(DAMAGED)
    with pytest.raises(InputError, match=r"cut\.tsv\.gz, line 1\d{4}: damaged gzip"):
        rows(tmp_path, "cut.tsv.gz")
    (tmp_path / "plain.tsv.gz").write_text(PAIR, encoding="utf-8")
    with pytest.raises(InputError, match=r"plain\.tsv\.gz, line 1: damaged gzip \(Not a gzipped file"):
        rows(tmp_path, "plain.tsv.gz")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    put(tmp_path, "pairs.tsv", PAIR)
    with pytest.raises(InputError, match=r"pair\.tsv does not exist \(did you mean 'pairs\.tsv'\?\)"):
        rows(tmp_path, "pair.tsv")
    with pytest.raises(InputError, match="does not exist, nor does the folder"):
        rows(tmp_path, "nowhere/pairs.tsv")
    with pytest.raises(InputError, match="is a folder; name the files in it"):
        rows(tmp_path, ".")


def test_a_name_that_no_file_may_have(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"xxx\.tsv (cannot be read|does not exist)"):
        rows(tmp_path, "x" * 300 + ".tsv")


def test_a_file_that_is_only_there_packed(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv.gz", PAIR)
    assert fields(tmp_path, "a.tsv") == [("Bonjour.", "Hello.")]
    put(tmp_path, "a.tsv", "Salut.\tHi.\n")
    assert fields(tmp_path, "a.tsv") == [("Salut.", "Hi.")]


def test_texts_that_do_not_fit(tmp_path: Path) -> None:
    one, other = put(tmp_path, "a.fr", "un\ndeux\ntrois\n"), put(tmp_path, "a.en", "one\n")
    with pytest.raises(InputError, match=r"^a\.fr has 3 lines, a\.en 1; each line needs the other's same line$"):
        rows(tmp_path, one, other)
    with pytest.raises(InputError, match=r"^a\.en has 1 lines, a\.fr 3"):
        rows(tmp_path, other, one)
    with pytest.raises(InputError, match=r"^column 3 of a\.fr and a\.en: two texts make columns 1 and 2$"):
        rows(tmp_path, one, other, columns=(1, 3))
    table = put(tmp_path, "a.csv", "a,b\n")
    with pytest.raises(InputError, match=r"^a\.fr and a\.csv: two tables in one place"):
        rows(tmp_path, one, table)


def test_a_huge_line_is_noticed_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.tsv").open("wb") as file:
        file.truncate(5_000_000_000)  # of zeros, none of them on the disk
    with pytest.raises(InputError, match=r"huge\.tsv, line 1: longer than 1,000,000 bytes"):
        rows(tmp_path, "huge.tsv")


def test_ratings_are_read_by_their_names(tmp_path: Path) -> None:
    put(tmp_path, "a.jsonl", '{"rating": 4, "user": "ann", "item": "up"}\n')
    assert fields(tmp_path, "a.jsonl", columns=(1, 2, 3)) == [("ann", "up", "4")]
    put(tmp_path, "b.jsonl", '{"a": "ann", "b": "up"}\n')
    with pytest.raises(InputError, match="the keys are 'a' and 'b'; give 'user' and 'item' and 'rating'"):
        rows(tmp_path, "b.jsonl", columns=(1, 2, 3))


def test_one_language_is_no_pair(tmp_path: Path) -> None:
    put(tmp_path, "a.jsonl", '{"en": "one", "ipa": "wʌn"}\n')
    files = FilesSpec(files=("a.jsonl",))
    assert [row.fields for row in read(files, tmp_path, ("en", "en"))] == [("one", "wʌn")]


def test_only_names_are_a_header(tmp_path: Path) -> None:
    put(tmp_path, "a.tsv", "source\tspring\nun\tone\n")
    assert fields(tmp_path, "a.tsv") == [("source", "spring"), ("un", "one")]
    assert fields(tmp_path, "a.tsv", columns=(1,)) == [("un",)]
    put(tmp_path, "b.tsv", "\t\nun\tone\n")
    unspoken = read(FilesSpec(files=("b.tsv",)), tmp_path, ("", ""))
    assert [row.fields for row in unspoken] == [("", ""), ("un", "one")]


def test_a_long_cell_of_a_csv_is_read(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", f'"{"x" * 200_000}",y\nun,one\n')
    assert [len(one) for one, _ in fields(tmp_path, "a.csv")] == [200_000, 2]


@pytest.mark.parametrize("kind", ["string", "large_string", "binary"])
@pytest.mark.parametrize("nested", [False, True])
def test_bytes_in_parquet_that_are_no_utf8(tmp_path: Path, kind: str, nested: bool) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pip install 'regard[parquet]'")
    from pyarrow import parquet

    spelt = pyarrow.array([b"un", "Élan".encode("latin-1"), None], "large_binary" if "large" in kind else "binary")
    if "string" in kind:
        spelt = spelt.view(kind)
    columns = {"fr": spelt, "en": pyarrow.array(["one", "Moose", "none"])}
    if nested:
        columns = {"translation": pyarrow.StructArray.from_arrays(list(columns.values()), names=list(columns))}
    parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    assert rows(tmp_path, "a.parquet") == [
        Row("a.parquet", 1, ("un", "one"), False),
        Row("a.parquet", 2, ("\ufffdlan", "Moose"), True),
        Row("a.parquet", 3, ("", "none"), False),
    ]


def test_a_column_of_parquet_that_is_packed(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pip install 'regard[parquet]'")
    from pyarrow import parquet

    for spelt in (["un", "un", None], [b"\xff"]):
        packed = pyarrow.array(spelt, "binary" if len(spelt) == 1 else "string")
        table = pyarrow.table({"fr": packed.view("string").dictionary_encode(), "en": ["one"] * len(spelt)})
        parquet.write_table(table, tmp_path / f"{len(spelt)}.parquet")
    assert fields(tmp_path, "3.parquet") == [("un", "one"), ("un", "one"), ("", "one")]
    with pytest.raises(InputError, match=r"^1\.parquet: no UTF-8 .*; save the file as UTF-8 and start again$"):
        rows(tmp_path, "1.parquet")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in a folder")
def test_what_can_be_read_but_once_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.tsv")
    for name in (str(tmp_path / "a.tsv"), os.devnull):
        with pytest.raises(InputError, match="is a pipe or a device, which can't be read twice; write it into a file"):
            refuse_missing(DataSpec(train=(FilesSpec(files=(name,)),)))
