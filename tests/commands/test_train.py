"""`regard train`: what it refuses, what it reads all the same, and small trainings from words to a model."""

import gzip
import json
import random
import re
import subprocess
import sys
from unicodedata import normalize

import msgspec
import pytest

import regard
from regard.commands import _run
from regard.commands.asked import GENTLER, Asked, recipe_for
from regard.commands.train import NEXT, summary
from regard.recipe import kind_of, load, shipped
from regard.recipe.tasks import KINDS
from rows import put, rows, small

PAIRS = rows("translation")
TABLE = "".join(f"{source}\t{target}\n" for source, target in PAIRS[:61]).encode()
LINES = TABLE.splitlines(keepends=True)


def quick(task="translation"):
    """Options that make any training small."""
    model = kind_of(KINDS[task][0])()
    return [word for setting in small(model) for word in ("--set", setting)]


def broken(share):
    return [b"caf\xe9 noir\tblack coffee\n" if i < share else line for i, line in enumerate(LINES)]


def spoilt(data):
    return data[:200] + b"0123456789" + data[210:]


NOISE = random.Random(1).randbytes(5000)
PACKED = gzip.compress(random.Random(1).randbytes(3000).hex().encode())
IN = {"bad.tsv": TABLE}
OUT = "bad.tsv -o out"
REFUSED = {
    # what lies there, the words, what is said
    "no words": ({}, "-o out", "give a RECIPE.toml, or files to learn from"),
    "no OUT": (IN, "bad.tsv", "say with -o which folder the model goes to"),
    "a file at OUT": (IN, "bad.tsv -o a.tsv", r"a\.tsv exists and holds no training; name another folder"),
    "a missing file": ({}, "a.tvs -o out", r"a\.tvs does not exist \(did you mean 'a\.tsv'\?\)"),
    "a directory": ({}, ". -o out", r"\. is a folder; name the files in it"),
    "an empty file": ({"bad.tsv": b""}, OUT, r"bad\.tsv is empty; give one row a line"),
    "blank lines": ({"bad.tsv": b"\n \n\n"}, OUT, r"bad\.tsv: none of 3 rows is left; most were dropped for: empty"),
    "one column": ({"bad.tsv": b"".join([*LINES[:7], b"one\n"])}, OUT, r"bad\.tsv, line 8: one column; source and"),
    "a NUL": ({"bad.tsv": b"".join([*LINES[:7], b"a\0\tb\n"])}, OUT, r"bad\.tsv, line 8: a NUL byte; give a text in"),
    "UTF-16": ({"bad.tsv": TABLE.decode().encode("utf-16")}, OUT, r"bad\.tsv, line 1: a NUL byte; .*UTF-16"),
    "a binary file": ({"bad.tsv": NOISE}, OUT, r"bad\.tsv, line 1: a NUL byte"),
    "a binary file without NULs": (
        {"bad.tsv": b"\x89PNG\t\xff\n" * 50}, OUT, r"bad\.tsv, line 1: no UTF-8, as in 50 of 50 rows",
    ),
    "5 MB a line": ({"bad.tsv": LINES[0] + b"x" * 5_000_000}, OUT, r"bad\.tsv, line 2: longer than 1,000,000 bytes"),
    "unequal texts": ({"bad.en": b"a b\n" * 30}, "a.fr bad.en -o out", r"a\.fr has 31 lines, .*bad\.en 30; each line"),
    "broken encoding": ({"bad.tsv": b"".join(broken(1))}, OUT, r"bad\.tsv, line 1: no UTF-8, as in 1 of 61 rows"),
    "gzip cut short": ({"bad.tsv.gz": PACKED[:-99]}, "bad.tsv.gz -o out", r"bad\.tsv\.gz, line 1: damaged gzip"),
    "gzip spoilt": ({"bad.tsv.gz": spoilt(PACKED)}, "bad.tsv.gz -o out", r"bad\.tsv\.gz, line 1: damaged gzip"),
    "no gzip": ({"bad.tsv.gz": TABLE}, "bad.tsv.gz -o out", r"bad\.tsv\.gz, line 1: damaged gzip"),
    "too few": ({"bad.tsv": b"".join(LINES[:11])}, OUT, r"bad\.tsv: 11 pairs are left to learn from, 2 of them to be"),
    "too few to hold out": (
        IN, f"{OUT} --set data.held_out=40", r"bad\.tsv: 61 pairs .* 80 of them to be held.* set data\.held_out lower",
    ),
    "a name too long": ({}, f"{'x' * 999}.tsv -o out", r"xxx\.tsv (cannot be read|does not exist)"),
    "a recipe's name too long": ({}, f"{'x' * 999}.toml -o out", r"(no recipe at 'x+\.toml'|x+\.toml cannot be read)"),
    "an older model's name too long": (IN, f"{OUT} --start-from {'x' * 999}", "(no model 'x+'|x+ cannot be read)"),
    "the same again": ({"bad.csv": b"a b,1\nc d,1\n" * 9}, "bad.csv -o out", r"bad\.csv: 2 pairs are left to"),
    "all alike": (
        {"bad.tsv": b"".join(b"one source\ttarget %d x\n" % i for i in range(99))}, OUT,
        r"bad\.tsv: no pair can be held out, for all hang together .* in \[\[data\.valid\]\]",
    ),
    "no names of generated ones": ({}, "reverse -o out --set data.pairs=7", "reverse: 7 pairs are left to learn from"),
    "no ratings": (IN, f"{OUT} --task ratings", r"bad\.tsv, line 1: 2 columns; columns 1, 2, 3 are wanted"),
    "a language": (IN, f"{OUT} --from xx", "--from: unknown language 'xx'"),
    "a recipe's language": (
        {"bad.toml": b'target = "enx"\n[[data.train]]\nfiles = ["a.tsv"]\n'}, "bad.toml -o out",
        r"bad\.toml: unknown language 'enx' \(did you mean 'en'\?\)",
    ),
    "swapped columns": (IN, f"{OUT} --from fr --to en", r"bad\.tsv: the columns look swapped.*say --columns 2,1"),
    "no recipe": ({}, "my/revers.toml -o out", r"no recipe at 'my/revers\.toml' \(did you mean 'reverse'\?\)"),
    "no shipped recipe": ({}, "revers -o out", r"'revers' is neither a file nor a recipe \(did you mean 'reverse'\?\)"),
    "two recipes": ({}, "mine.toml reverse -o out", r"2 recipes \(mine\.toml, reverse\); name one"),
    "a recipe without data": ({}, "base -o out", "the recipe names no data; give files to learn from with it"),
    "a recipe's missing files": (
        {}, "tatoeba-en-de -o out", r"deu\.txt does not exist; say with --set data\.folder=DIR .*tatoeba\.org",
    ),
    "a task": (IN, f"{OUT} --task translaton", r"task is 'translaton'.*\(did you mean 'translation'\?\)"),
    "a preset": (IN, f"{OUT} --preset huge", "preset is 'huge'; it must be one of tiny, small, base, big"),
    "a preset of nothing": (IN, f"{OUT} --preset big --task ratings", "preset 'big' is a Transformer"),
    "a time": (IN, f"{OUT} --time soon", "--time is 'soon'; give such as 90s, 20m or 1h30m"),
    "a key": (IN, f"{OUT} --set training.stepps=3", r"no such key \(did you mean 'training\.steps'\?\)"),
    "no value": (IN, f"{OUT} --set seed", "--set 'seed' has no value; say key=value"),
    "columns that are none": (IN, f"{OUT} --columns 0,x", "--columns is '0,x'; give whole numbers from 1"),
    "columns too few": (IN, f"{OUT} --columns 2", r"columns is \[2\]; translation takes 2"),
    "columns too far": (IN, f"{OUT} --columns 1,9", r"bad\.tsv, line 1: 2 columns; columns 1, 9 are wanted"),
    "columns of a recipe": ({}, "mine.toml -o out --columns 2,1", "--columns are those of DATA on the command line"),
    "a context": (IN, f"{OUT} --context=-1", "data.context is -1; it must be a whole number from 0"),
    "no number": (IN, f"{OUT} --keep-every often", "--keep-every.*often"),
    "a device": (IN, f"{OUT} --device gpu", "--device is 'gpu'; it must be one of cpu, cuda, mps"),
    "a device of a dry run": (IN, "bad.tsv --dry-run --device gpu", "--device is 'gpu'; it must be one of"),
    "an older model": (IN, f"{OUT} --start-from old", "no model 'old': no folder of that name holds one"),
    "an older model's size": (IN, f"{OUT} --start-from old --preset big", "--preset is how large a new model is"),
    "an option": (IN, f"{OUT} --epochs 3", "Unknown option.* --epochs"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_said_in_one_line_and_leaves_nothing(here, capsys, case):
    files, words, said = REFUSED[case]
    for name, data in files.items():
        (here / name).write_bytes(data)
    before = sorted(here.rglob("*"))
    assert _run(["train", *words.split()]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert re.match(f"regard: .*{said}", error)
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize(
    ("task", "some", "said"),
    [
        (
            "classify",
            [(one, "1") for one, _ in PAIRS[:61]],
            "every sentence has the label '1'; give sentences of two",
        ),
        ("classify", PAIRS[:61], "label '.*' is asked for, but no sentence to learn from has it"),
        ("ratings", [(f"u{i}", f"i{i}", "3") for i in range(61)], "3 ratings are held out, but of each the user or"),
        ("ratings", [(*row[:2], "good") for row in rows("ratings")], "rating 'good' of user 'u.*: give a number"),
    ],
)
def test_what_only_shows_later_is_said_last(here, capsys, task, some, said):
    name = put(here / "bad.tsv", some)
    assert _run(["train", name, "-o", "out", "--task", task]) == 2
    assert re.match(f"regard: {said}", capsys.readouterr().err.splitlines()[-1])
    assert not (here / "out").exists()


@pytest.fixture
def unmeasured(monkeypatch):
    """How fast it is does not matter here."""
    monkeypatch.setattr("regard.training.measure.SECONDS", 0)
    monkeypatch.setattr("regard.training.plan.TIMED", 0)


@pytest.mark.parametrize("form", ["as it is", "CRLF", "BOM", "one in a hundred broken", "three columns"])
def test_what_is_read_all_the_same(here, unmeasured, capsys, form):
    many = "".join(f"{source}\t{target}\n" for source, target in PAIRS[:199]).encode()
    data = {
        "CRLF": TABLE.replace(b"\n", b"\r\n"),
        "BOM": b"\xef\xbb\xbf" + TABLE,
        "one in a hundred broken": many + b"caf\xe9\tcoffee\n",
        "three columns": TABLE.replace(b"\n", b"\tCC BY\n"),
    }
    (here / "form.tsv").write_bytes(data.get(form, TABLE))
    assert _run(["train", "form.tsv", "--dry-run", "--progress", *quick()]) == 0
    out, error = capsys.readouterr()
    assert re.match(r"learns from  \d+ pairs, ", out)
    assert error.count("form.tsv has 3 columns; the others are ignored") == (form == "three columns")
    assert "kept" in error
    assert sorted(path.name for path in here.iterdir()) == ["a.en", "a.fr", "a.tsv", "form.tsv", "mine.toml"]


QUESTIONS = {"g2p": "bade", "fill": "The ___ sees the dog.", "ratings": "u1\ti2"}


@pytest.mark.parametrize("task", KINDS)
def test_each_task_on_data_alone(here, unmeasured, capsys, task):
    name = put(here / "data.tsv", rows(task)[:61])
    assert _run(["train", name, "-o", "new/model", "--task", task, *quick(task)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == f"new/model: {task}"
    assert re.match(r"validation \(held out, 3 \w+\): [\w ]+ \d", shown[1])
    assert re.match(r"test \(held out, 3 \w+\): [\w ]+ \d", shown[2])
    assert shown[3:] == [f"try: regard {NEXT[task].format('new/model')}"]
    assert regard.load("new/model").task == task
    assert _run(["predict", QUESTIONS.get(task, "The dog sees the cat."), "--model", "new/model"]) == 0
    out, error = capsys.readouterr()
    assert (out.count("\n"), error) == (1, "")
    held = put(here / "held.tsv", rows(task)[61:68])
    assert _run(["evaluate", held, "--model", "new/model", "--json"]) == 0
    out, error = capsys.readouterr()
    found, scored = json.loads(out), json.loads((here / "new" / "model" / "scores.json").read_bytes())
    assert (found["task"], found["n"], error) == (task, 7, "")
    assert found["scores"].keys() == scored["test"]["scores"].keys()
    assert all(isinstance(score["value"], int | float) for score in found["scores"].values())


ASKED = {
    # the task; the files of its test, each with its lines
    "words that sound several ways": ("g2p", {"t.tsv": "bade\tB AH D EH\tB EY D\nbade\tB\ngoki\tG OW K IY\t\n\n"}),
    "a source that comes again": ("translation", {"t.tsv": "The cat.\tLe chat.\nThe cat.\tUn chat.\tCC BY\nA\t\n"}),
    "two texts": ("translation", {"t.en": "The cat.\n\nThe cat.\nA\n", "t.fr": "Le chat.\n\nUn chat.\n\n"}),
}


@pytest.mark.parametrize("case", ASKED)
def test_what_a_training_scores_is_what_is_evaluated(here, unmeasured, capsys, case):
    task, files = ASKED[case]
    for name, text in files.items():
        (here / name).write_text(normalize("NFD", text).replace("\n", "\r\n"), newline="")
    put(here / "data.tsv", rows(task)[:61])
    names = ", ".join(f'"{name}"' for name in files)
    (here / "own.toml").write_text(
        f'task = "{task}"\nsource = "en"\n[data]\n[[data.train]]\nfiles = ["data.tsv"]\n'
        f"[[data.test]]\nfiles = [{names}]\n[model]\n[tokens]\n"
    )
    assert _run(["train", "own.toml", "-o", "out", *quick(task)]) == 0
    capsys.readouterr()
    assert _run(["evaluate", *files, "--model", "out", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    scored = json.loads((here / "out" / "scores.json").read_bytes())["test"]
    assert {key: found[key] for key in scored} == scored
    assert scored["n"] == (1 if "again" in case else 2)


def test_a_rare_label_that_is_held_out_is_not_asked_for(here, unmeasured, capsys):
    some = [(sentence, "rare" if i % 20 == 0 else label) for i, (sentence, label) in enumerate(rows("classify")[:61])]
    name = put(here / "data.tsv", [*some, *((f"label number {i}", f"label {i}") for i in range(41))])
    assert _run(["train", name, "-o", "out", "--task", "classify", *quick("classify")]) == 0
    assert "try: regard predict" in capsys.readouterr().out


def started(*words, cwd):
    """The command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "regard", *words], cwd=cwd, capture_output=True, text=True)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with a table, and a small model out of it."""
    folder = tmp_path_factory.mktemp("trained")
    put(folder / "a.tsv", PAIRS[:61])
    words = ["a.tsv", "-o", "en-fr", "--from", "en", "--to", "fr", "--keep-every", "2", *quick()]
    return folder, words, started("train", *words, cwd=folder)


def test_a_training_gives_a_model(trained):
    folder, _, done = trained
    assert done.returncode == 0, done.stderr
    first, *scores, last = done.stdout.splitlines()
    assert first == "en-fr: English to French"
    assert [line.partition(":")[0] for line in scores] == ["validation (held out, 3 pairs)", "test (held out, 3 pairs)"]
    assert all(re.search(r": BLEU \d+\.\d\d, chrF \d+\.\d\d", line) for line in scores)
    assert last == 'try: regard translate --model en-fr "..."'
    assert "Traceback" not in done.stderr
    model = regard.load(folder / "en-fr")
    assert (model.source, model.target, model.recipe.training.keep_every) == ("en", "fr", 2)
    assert regard.load(folder / "en-fr" / "checkpoints" / "0000002").task == "translation"


def test_a_finished_training_says_so(trained):
    folder, words, before = trained
    (folder / "elsewhere").mkdir()
    moved = ["../a.tsv" if word == "a.tsv" else "../en-fr" if word == "en-fr" else word for word in words]
    done = started("train", *moved, cwd=folder / "elsewhere")
    assert done.returncode == 0, done.stderr
    assert "this training ended at step 3 (steps); nothing is left to do" in done.stderr
    assert done.stdout == before.stdout.replace("en-fr", "../en-fr")


def test_another_recipe_is_refused(trained, monkeypatch, capsys):
    folder, words, _ = trained
    monkeypatch.chdir(folder)
    assert _run(["train", *words, "--set", "seed=7"]) == 2
    assert capsys.readouterr().err == (
        "regard: en-fr holds a training by another recipe (seed was 1 and is 7); name another folder with -o\n"
    )


def test_a_model_is_trained_further(trained, monkeypatch, unmeasured, capsys):
    folder, *_ = trained
    monkeypatch.chdir(folder)
    put(folder / "new.tsv", PAIRS[61:122])
    older = load("en-fr/recipe.toml")
    asked = recipe_for(Asked(["new.tsv"], start_from="en-fr"))
    assert (asked.model, asked.tokens, asked.source, asked.target) == (older.model, older.tokens, "en", "fr")
    assert asked.training.rate == older.training.rate / GENTLER
    assert asked.start_from == str(folder / "en-fr")
    assert recipe_for(Asked(["reverse"], start_from="./en-fr")).start_from == asked.start_from
    assert _run(["train", "new.tsv", "-o", "better", "--start-from", "en-fr", *quick()]) == 0
    assert "starts from" in capsys.readouterr().err
    assert regard.load("better").recipe.start_from == str(folder / "en-fr")


def test_a_dry_run_tells_and_leaves_nothing(here, unmeasured, capsys):
    before = sorted(here.rglob("*"))
    assert _run(["train", "a.en", "a.fr", "--dry-run", "--time", "1h", *quick()]) == 0
    told = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if " from " not in line)
    assert told["time"].startswith(("60 min", "1 h 00 min"))
    assert {"model", "speed", "memory", "disk"} <= set(told)
    assert sorted(here.rglob("*")) == before


def test_the_summary_names_the_files_that_were_asked(tmp_path):
    score = {"task": "ratings", "n": 1014, "scores": {"rmse": {"value": 0.98765}}}
    folder = tmp_path / "two words"
    folder.mkdir()
    (folder / "scores.json").write_bytes(msgspec.json.encode({"test": score}))
    assert summary(load(shipped("movielens")), folder) == [
        f"{folder}: ratings",
        "test (u1.test, 1,014 ratings): RMSE 0.9877",
        f'try: regard predict --model "{folder}" "user<tab>item"',
    ]


def test_the_help_fits_a_terminal_and_shows_how(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert _run(["train", "--help"]) == 0
    shown = capsys.readouterr().out
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "\n    regard train corpus.tsv -o en-fr --from en --to fr --time 2h\n" in shown
    assert "default" not in shown
