import json
import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard import folder
from regard.errors import FolderError

FILES = {"recipe.toml": b"seed = 1\n", "engine/model.bin": bytes(range(256))}


def test_what_is_written_is_read(tmp_path):
    folder.put(tmp_path / "model", FILES, {"task": "translation"})
    paths = folder.open_folder(tmp_path / "model")
    assert {name: path.read_bytes() for name, path in paths.items()} == FILES
    assert folder.read_manifest(tmp_path / "model")["task"] == "translation"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_the_manifest_holds_the_sums_of_the_rest(tmp_path):
    folder.put(tmp_path / "model", {"a": b"abc"})
    manifest = json.loads((tmp_path / "model" / "manifest.json").read_text())
    # the SHA-256 of "abc", from FIPS 180-2, appendix B.1
    assert manifest["files"] == {"a": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
    assert manifest["version"] == 1


@settings(max_examples=40)
@given(st.integers(0, 255), st.integers(0, 7))
def test_any_flipped_bit_is_noticed(tmp_path_factory, place, bit):
    path = tmp_path_factory.mktemp("flip") / "model"
    folder.put(path, FILES)
    data = bytearray((path / "engine/model.bin").read_bytes())
    data[place] ^= 1 << bit
    (path / "engine/model.bin").write_bytes(data)
    with pytest.raises(FolderError, match=r"model\.bin is not what was written"):
        folder.open_folder(path)


def test_what_is_missing_or_damaged_is_said(tmp_path):
    with pytest.raises(FolderError, match=r"no model at .*: there is no manifest\.json"):
        folder.open_folder(tmp_path / "nothing")
    folder.put(tmp_path / "model", FILES)
    (tmp_path / "model" / "recipe.toml").unlink()
    with pytest.raises(FolderError, match=r"lacks recipe\.toml, which its manifest names"):
        folder.open_folder(tmp_path / "model")
    manifest = tmp_path / "model" / "manifest.json"
    manifest.write_text("{")
    with pytest.raises(FolderError, match=r"manifest\.json is damaged"):
        folder.open_folder(tmp_path / "model")
    manifest.write_text("[]")
    with pytest.raises(FolderError, match="is no manifest of a model"):
        folder.open_folder(tmp_path / "model")
    manifest.write_text('{"version": 99, "files": {}}')
    with pytest.raises(FolderError, match="has version 99; this Regard reads 1"):
        folder.open_folder(tmp_path / "model")


def test_what_cannot_be_read_is_named(tmp_path, monkeypatch):
    with pytest.raises(FolderError, match=r"x{300}"):
        folder.open_folder(tmp_path / ("x" * 300))
    folder.put(tmp_path / "model", FILES)
    read = Path.read_bytes
    for name in (*FILES, "manifest.json"):

        def denied(path, name=name):
            if path.match(name):
                raise PermissionError(13, "Permission denied")
            return read(path)

        monkeypatch.setattr(Path, "read_bytes", denied)
        with pytest.raises(FolderError, match=f"{name} cannot be read: Permission denied"):
            folder.open_folder(tmp_path / "model")


def test_a_manifest_cannot_point_outside(tmp_path):
    folder.put(tmp_path / "model", FILES)
    (tmp_path / "secret").write_bytes(b"abc")
    manifest = {"version": 1, "files": {"../secret": folder.digest(b"abc")}}
    (tmp_path / "model" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(FolderError, match=r"names '\.\./secret', which lies outside"):
        folder.open_folder(tmp_path / "model")


def test_a_folder_takes_the_place_of_another(tmp_path):
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    folder.replace(tmp_path / "new", tmp_path / "old")
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == ["old", "old/new"]
    with pytest.raises(FileNotFoundError):
        folder.replace(tmp_path / "new", tmp_path / "old")
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == ["old", "old/new"]


OLD = {"recipe.toml": b"seed = 1\n", "weights": b"old" * 99, "engine/model.bin": b"old", "gone/old.txt": b"x"}
NEW = {"recipe.toml": b"seed = 1\n", "weights": b"new" * 99, "engine/model.bin": b"new", "CARD.md": b"# new"}
BESIDE = {"log.jsonl": b"{}", "training/step-1": b"tensors"}


def alive(path, files=OLD):
    """A folder that lives on: a model, and what lies beside it."""
    folder.put(path, files, {"task": "language"})
    for name, data in BESIDE.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(data)


def content(path):
    return {str(file.relative_to(path).as_posix()): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def held(path):
    return {name: file.read_bytes() for name, file in folder.open_folder(path).items()}


def test_a_model_is_put_beside_what_stays(tmp_path):
    alive(tmp_path / "model")
    assert held(tmp_path / "model") == OLD
    folder.put(tmp_path / "model", NEW, {"task": "fill"})
    assert held(tmp_path / "model") == NEW
    assert folder.read_manifest(tmp_path / "model")["task"] == "fill"
    there = content(tmp_path / "model")
    assert {name: there.pop(name) for name in (*NEW, *BESIDE)} == {**NEW, **BESIDE}
    assert list(there) == ["manifest.json"]  # neither a journal nor a file of the old model


OPERATIONS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")  # audit events of all that touches a disk


def in_a_child(work, dies_before=None):
    """Calls work() in a process that is gone before its so many-th touch of the disk; how many touches there were."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        touches = [0]

        def touched(event, _):
            if event in OPERATIONS:
                touches[0] += 1
                if touches[0] == dies_before:
                    os._exit(9)

        sys.addaudithook(touched)
        work()
        os.write(writing, str(touches[0]).encode())
        os._exit(0)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading) as said:
        count = said.read()
    assert os.waitstatus_to_exitcode(status) == (9 if dies_before else 0)
    return int(count or 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a child is forked")
def test_whoever_dies_at_any_moment_leaves_the_old_model_or_the_new(tmp_path):
    alive(tmp_path / "whole")
    touches = in_a_child(lambda: folder.put(tmp_path / "whole", NEW))
    assert touches > 20
    found = []
    for moment in range(1, touches + 1):
        path = tmp_path / str(moment)
        alive(path)
        in_a_child(lambda path=path: folder.put(path, NEW), dies_before=moment)
        found.append(held(path))
        assert found[-1] in (OLD, NEW)
        assert {name: content(path)[name] for name in BESIDE} == BESIDE
        folder.put(path, NEW)
        assert set(content(path)) - {"gone/old.txt"} == {*NEW, *BESIDE, "manifest.json"}
    assert found[0] == OLD
    assert found[-1] == NEW
    assert found == sorted(found, key=lambda model: model == NEW)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a child is forked")
def test_who_dies_while_carrying_out_a_journal_leaves_it_to_the_next(tmp_path):
    def left(path):
        alive(path)
        settle = folder.settle
        folder.settle = lambda _: None
        try:
            folder.put(path, NEW)
        finally:
            folder.settle = settle

    left(tmp_path / "whole")
    touches = in_a_child(lambda: folder.settle(tmp_path / "whole"))
    assert held(tmp_path / "whole") == NEW
    for moment in range(1, touches + 1):
        path = tmp_path / str(moment)
        left(path)
        in_a_child(lambda path=path: folder.settle(path), dies_before=moment)
        assert held(path) in (OLD, NEW)
        folder.settle(path)
        assert held(path) == NEW


def test_a_reader_beside_a_writer_never_fails(tmp_path):
    path = tmp_path / "model"
    alive(path)
    done = threading.Event()

    def write():
        for i in range(50):
            folder.put(path, (OLD, NEW)[i % 2])
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    read = 0
    while not done.is_set():
        assert set(folder.open_folder(path)) in (set(OLD), set(NEW))
        read += 1
    writer.join()
    assert read


def test_a_full_disk_leaves_the_old_model(tmp_path, monkeypatch):
    alive(tmp_path / "model")
    before = content(tmp_path / "model")

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(folder.os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            folder.put(tmp_path / "model", NEW)
    assert content(tmp_path / "model") == before


def test_a_journal_cannot_point_outside(tmp_path):
    journal = tmp_path / "model" / ".new-0"
    journal.mkdir(parents=True)
    manifest = {"version": 1, "files": {"../../stolen": folder.digest(b"abc")}}
    (journal / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "stolen").write_bytes(b"abc")
    (tmp_path / "model" / "stolen").write_bytes(b"abc")
    with pytest.raises(FolderError, match="no model at"):
        folder.open_folder(tmp_path / "model")
    assert (tmp_path / "stolen").is_file()
    assert (tmp_path / "model" / "stolen").is_file()
