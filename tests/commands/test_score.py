"""`regard score`: a figure for each line, and what it refuses."""

import math

import pytest

import regard
from regard.commands import _run
from regard.training.run import train
from trainings import small


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("score")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("regard.training.measure.SECONDS", 0)
        train(small(folder, steps=20), folder / "model")
    return folder / "model"


def test_each_line_has_its_figure(model, tmp_path, capsys):
    (tmp_path / "pairs.tsv").write_bytes(b"abc\tcba\tCC BY\r\n \n\nab\tzzz\nabc\t\n")
    assert _run(["score", "--model", str(model), str(tmp_path / "pairs.tsv")]) == 0
    out = capsys.readouterr().out.split("\n")
    wanted = regard.load(model).score([("abc", "cba"), ("ab", "zzz"), ("abc", "")])
    assert [out[0], *out[3:5]] == [f"{one:.4f}" for one in wanted]
    assert (out[1:3], out[5:]) == ([" ", ""], [""])
    assert all(one < 0 and math.isfinite(one) for one in wanted)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"ab\tba\nabc\n", "line 2: one column; source and target go in two, split by a tab"),
        (b"\tba\n", "line 1: no source; source and target go in two, split by a tab"),
    ],
)
def test_what_is_no_pair_is_named(model, tmp_path, capsys, data, said):
    (tmp_path / "bad.tsv").write_bytes(data)
    assert _run(["score", "--model", str(model), str(tmp_path / "bad.tsv")]) == 2
    assert capsys.readouterr().err == f"regard: {tmp_path / 'bad.tsv'}, {said}\n"


def test_a_missing_table_and_a_missing_model(model, tmp_path, capsys):
    assert _run(["score", "--model", str(model), str(tmp_path / "none.tsv")]) == 2
    assert _run(["score", "--model", str(tmp_path / "none"), str(model / "recipe.toml")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert ["none.tsv does not exist" in lines[0], "no model at" in lines[1], len(lines)] == [True, True, 2]
