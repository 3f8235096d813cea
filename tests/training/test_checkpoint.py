"""Checkpoints: what is saved is found, what is damaged is not taken for it."""

import errno

import pytest
import torch

from regard.errors import RegardError
from regard.training.checkpoint import found, latest, save, step_of

FACTS = {"step": 7, "seconds": 0.1 + 0.2, "best": None, "ended": ""}


def tensors(seed):
    torch.manual_seed(seed)
    return {"weights": torch.randn(13), "exp_avg.0": torch.randn(5, 3), "nothing": torch.empty(0)}


@pytest.fixture
def three(tmp_path):
    """A folder that three were saved to."""
    for step in (5, 7, 11):
        save(tmp_path, step, tensors(step), {**FACTS, "step": step})
    return tmp_path


def test_what_is_saved_is_found_to_the_last_bit(tmp_path):
    path = save(tmp_path / "new", 7, tensors(7), FACTS)
    one, said = latest(tmp_path / "new")
    assert (one.facts, said, step_of(path)) == (FACTS, [], 7)
    assert one.tensors.keys() == tensors(7).keys()
    assert all(torch.equal(one.tensors[name], wanted) for name, wanted in tensors(7).items())


def test_two_are_kept_and_the_newest_is_found(three):
    assert [step_of(path) for path in found(three)] == [11, 7]
    assert latest(three)[0].facts["step"] == 11
    assert sorted(three.iterdir()) == sorted(found(three))


def test_a_folder_without_any_has_none(tmp_path):
    assert latest(tmp_path) == latest(tmp_path / "nowhere") == (None, [])


def cut(data):
    return data[:-1]


def emptied(data):
    return b""


def flipped(data):
    return bytes([data[0] ^ 1]) + data[1:]


def longer(data):
    return data + b"\0"


@pytest.mark.parametrize("damage", [cut, emptied, flipped, longer])
def test_a_damaged_one_is_said_and_the_one_before_is_used(three, damage):
    newest, older = found(three)
    newest.write_bytes(damage(newest.read_bytes()))
    one, said = latest(three)
    assert one.facts["step"] == 7
    assert said == [f"{newest.name} is damaged (its SHA-256 differs); the one of step 7 is used"]
    assert found(three) == [older]
    assert latest(three)[1] == []


def test_the_content_of_another_is_damage_too(three):
    newest, older = found(three)
    newest.write_bytes(older.read_bytes())
    assert latest(three)[0].facts["step"] == 7


def test_where_all_are_damaged_there_is_none(three):
    names = [path.name for path in found(three)]
    for path in found(three):
        path.write_bytes(b"")
    one, said = latest(three)
    assert one is None
    instead = "there is none before, so the training begins anew"
    assert said == [f"{name} is damaged (its SHA-256 differs); {instead}" for name in names]


def test_what_was_being_written_is_no_checkpoint_and_the_next_takes_its_place(three):
    (three / ".fresh").write_bytes(b"half")
    assert latest(three)[0].facts["step"] == 11
    save(three, 13, tensors(13), FACTS)
    assert [step_of(path) for path in found(three)] == [13, 11]
    assert not (three / ".fresh").exists()


def test_without_room_those_before_stay(three, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(
        RegardError, match=r"the checkpoint of step 13 cannot be written to .*: No space left on device"
    ):
        save(three, 13, tensors(13), FACTS)
    assert [step_of(path) for path in found(three)] == [11, 7]
    assert sorted(three.iterdir()) == sorted(found(three))
