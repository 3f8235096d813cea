"""One process a folder."""

import subprocess
import sys

import pytest

from regard.errors import UserError
from regard.training.lock import alone


def test_a_second_one_is_refused_until_the_first_lets_go(tmp_path):
    place = tmp_path / "out" / "training"
    with alone(place):
        with (
            pytest.raises(UserError, match=r"another process trains into .*out; wait for it, or name another f"),
            alone(place),
        ):
            raise AssertionError
        with alone(tmp_path / "other"):
            pass
    with pytest.raises(ZeroDivisionError), alone(place):
        raise ZeroDivisionError
    with alone(place):
        pass


def test_who_is_killed_lets_go(tmp_path):
    code = "import sys; from pathlib import Path; from regard.training.lock import alone\n"
    code += f"with alone(Path({str(tmp_path)!r})): print('mine', flush=True); sys.stdin.read()"
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout.readline() == b"mine\n" or sys.platform == "win32"
    with pytest.raises(UserError), alone(tmp_path):
        raise AssertionError
    other.kill()
    other.communicate()
    with alone(tmp_path):
        pass
