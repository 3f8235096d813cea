import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regard import folder
from regard.errors import FolderError

FILES = {"recipe.toml": b"seed = 1\n", "engine/model.bin": bytes(range(256))}


def test_what_is_written_is_read(tmp_path):
    folder.write(tmp_path / "model", FILES, {"task": "translation"})
    paths = folder.open_folder(tmp_path / "model")
    assert {name: path.read_bytes() for name, path in paths.items()} == FILES
    assert folder.read_manifest(tmp_path / "model")["task"] == "translation"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_the_manifest_holds_the_sums_of_the_rest(tmp_path):
    folder.write(tmp_path / "model", {"a": b"abc"})
    manifest = json.loads((tmp_path / "model" / "manifest.json").read_text())
    # the SHA-256 of "abc", from FIPS 180-2, appendix B.1
    assert manifest["files"] == {"a": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
    assert manifest["version"] == 1


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 255), st.integers(0, 7))
def test_any_flipped_bit_is_noticed(tmp_path_factory, place, bit):
    path = tmp_path_factory.mktemp("flip") / "model"
    folder.write(path, FILES)
    data = bytearray((path / "engine/model.bin").read_bytes())
    data[place] ^= 1 << bit
    (path / "engine/model.bin").write_bytes(data)
    with pytest.raises(FolderError, match=r"model\.bin is not what was written"):
        folder.open_folder(path)


def test_what_is_missing_or_damaged_is_said(tmp_path):
    with pytest.raises(FolderError, match=r"no model at .*: there is no manifest\.json"):
        folder.open_folder(tmp_path / "nothing")
    folder.write(tmp_path / "model", FILES)
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


def test_a_manifest_cannot_point_outside(tmp_path):
    folder.write(tmp_path / "model", FILES)
    (tmp_path / "secret").write_bytes(b"abc")
    manifest = {"version": 1, "files": {"../secret": folder.digest(b"abc")}}
    (tmp_path / "model" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(FolderError, match=r"names '\.\./secret', which lies outside"):
        folder.open_folder(tmp_path / "model")


def test_a_model_is_replaced_whole(tmp_path):
    folder.write(tmp_path / "model", FILES)
    folder.write(tmp_path / "model", {"other": b"new"})
    assert list(folder.open_folder(tmp_path / "model")) == ["other"]
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["manifest.json", "other"]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_what_fails_half_way_leaves_the_old_one(tmp_path, monkeypatch):
    folder.write(tmp_path / "model", FILES)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        folder.write(tmp_path / "model", {"other": b"new"})
    assert list(folder.open_folder(tmp_path / "model")) == list(FILES)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_what_is_no_model_is_never_replaced(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "novel.txt").write_text("the only copy")
    with pytest.raises(FolderError, match="mine exists and is no model"):
        folder.write(tmp_path / "mine", FILES)
    assert (tmp_path / "mine" / "novel.txt").read_text() == "the only copy"
    (tmp_path / "empty").mkdir()
    folder.write(tmp_path / "empty", FILES)
    assert list(folder.open_folder(tmp_path / "empty")) == list(FILES)
