"""What Ctrl-C and SIGTERM do: before, while and after it is listened to them."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from regard.corpus.shelter import ASKING, sheltered
from regard.training.signals import leaving, stopping


@pytest.mark.parametrize("number", ASKING)
def test_the_first_is_noted_and_the_second_leaves(number):
    before = [signal.getsignal(one) for one in ASKING]
    with stopping() as stop:
        assert not stop
        signal.raise_signal(number)
        assert stop
        assert stop.signal == number
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert [signal.getsignal(one) for one in ASKING] == before


def test_sigterm_leaves_as_an_exception_does():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as left, leaving():
        signal.raise_signal(signal.SIGTERM)
    assert left.value.code == 143
    assert signal.getsignal(signal.SIGTERM) == before


def test_inside_stopping_it_is_noted_and_afterwards_leaves_again():
    with leaving():
        with stopping() as stop:
            signal.raise_signal(signal.SIGTERM)
        assert stop
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)


def test_another_thread_listens_to_nothing():
    seen = []

    def listen():
        before = signal.getsignal(signal.SIGTERM)
        with leaving(), stopping() as stop:
            seen.append((bool(stop), signal.getsignal(signal.SIGTERM) == before))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert seen == [(False, True)]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_what_is_started_sheltered_hears_nothing_and_its_parent_a_moment_later():
    with stopping() as stop:
        with sheltered():
            child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            os.kill(os.getpid(), signal.SIGINT)
            assert not stop
        assert stop.signal == signal.SIGINT
    for number in ASKING:
        child.send_signal(number)
    assert child.communicate(b"still here") == (b"still here", None)
    assert child.returncode == 0
