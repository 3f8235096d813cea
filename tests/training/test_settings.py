"""How a machine trains fastest, out of what was measured."""

import os
from types import SimpleNamespace

import pytest
import torch

from regard.errors import UserError
from regard.recipe import TrainingSpec
from regard.training import settings
from regard.training.settings import Settings, Timing, best, candidates, check_device, keep_memory, workers_for


@pytest.fixture
def five(monkeypatch):
    monkeypatch.setattr(settings, "cores", lambda: 5)


def test_what_is_worth_trying():
    auto = candidates(TrainingSpec(batch=900), "cpu")
    assert auto == [(kind, piece) for kind in ("float32", "bfloat16") for piece in (512, 900)]
    assert candidates(TrainingSpec(batch=97, precision="float32"), "cpu") == [("float32", 97)]
    assert candidates(TrainingSpec(batch=99991), "cuda") == [("bfloat16", 16384)]
    assert candidates(TrainingSpec(batch=4093, precision="float32"), "mps") == [("float32", 4093)]


@pytest.mark.parametrize(
    ("batch", "accumulate", "piece", "device", "workers"),
    [
        (4096, 1, 1024, "cpu", 4),  # as many as there are pieces
        (4096, 1, 512, "cpu", 5),  # as many as there are cores
        (97, 1, 97, "cpu", 1),
        (97, 3, 97, "cpu", 3),
        (97, 1, 512, "cpu", 1),
        (4096, 1, 512, "cuda", 1),
    ],
)
def test_a_worker_a_core_if_each_has_a_piece(five, batch, accumulate, piece, device, workers):
    assert workers_for(TrainingSpec(batch=batch, accumulate=accumulate), piece, device) == workers


def test_there_are_never_more_workers_than_pay(monkeypatch):
    monkeypatch.setattr(settings, "cores", lambda: 61)
    assert workers_for(TrainingSpec(batch=100_000), 512, "cpu") == settings.MOST_WORKERS


def test_the_fastest_is_that_of_all_workers_together(five):
    timings = [Timing("float32", 2048, 300.0), Timing("bfloat16", 1024, 200.0), Timing("float32", 512, 150.0)]
    # 2 workers of 300, 4 of 200, 5 of 150
    found = best(timings, TrainingSpec(batch=4096), "cpu")
    assert found == Settings(precision="bfloat16", piece=1024, workers=4)
    assert found.dtype == torch.bfloat16
    assert Settings().dtype == torch.float32
    assert best(timings, TrainingSpec(batch=4096), "cuda").piece == 2048


def test_a_device_is_known_and_there(monkeypatch):
    assert check_device("") == check_device("cpu") == "cpu"
    with pytest.raises(UserError, match="--device is 'tpu'; it must be one of cpu, cuda, mps"):
        check_device("tpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match="--device is 'cuda:1', but torch finds none here"):
        check_device("cuda:1")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert check_device("cuda:1") == "cuda:1"


@pytest.mark.parametrize(("system", "libc", "told"), [("linux", "glibc", 3), ("linux", "", 0), ("darwin", "glibc", 0)])
def test_memory_is_kept_where_the_system_can_be_told(monkeypatch, system, libc, told):
    asked = {}
    monkeypatch.setattr("ctypes.CDLL", lambda _: SimpleNamespace(mallopt=asked.__setitem__))
    monkeypatch.setattr("platform.libc_ver", lambda: (libc, "2.41"))
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "7")
    keep_memory()
    assert os.environ["ONEDNN_PRIMITIVE_CACHE_CAPACITY"] == "7"  # as its owner wants it
    monkeypatch.delenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY")
    keep_memory()
    assert os.environ["ONEDNN_PRIMITIVE_CACHE_CAPACITY"] == "16"
    assert asked == dict([(-4, 0), (-1, 2**31 - 1), (-2, 2**26)][:told])
