"""One measurement at a time on a machine, also between processes and after a crash."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchbook.errors import BenchbookError
from benchbook.runner import Quiet
from benchbook.runner.lock import host_lock, lock_path

HOLD = """
import sys
from benchbook.runner import Quiet
from benchbook.runner.lock import host_lock
with host_lock(Quiet()):
    print("held", flush=True)
    sys.stdin.read()
"""


class Told(Quiet):
    """Notes that it was told of waiting."""

    def __init__(self) -> None:
        self.told = threading.Event()
        self.texts: list[str] = []

    def say(self, text: str) -> None:
        self.texts.append(text)
        self.told.set()


@pytest.fixture
def other(home: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that is measuring."""
    with subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        assert it.stdout is not None
        assert it.stdout.readline() == "held\n"
        yield it
        it.kill()


def test_a_second_measurement_is_refused_when_it_may_not_wait(other: subprocess.Popen[str]) -> None:
    with pytest.raises(BenchbookError, match="another Benchbook run is measuring"), host_lock(Quiet(), wait=False):
        pass


def test_a_second_measurement_says_that_it_waits_and_goes_on_when_the_first_ends(other: subprocess.Popen[str]) -> None:
    told, entered = Told(), threading.Event()

    def second() -> None:
        with host_lock(told):
            entered.set()

    thread = threading.Thread(target=second)
    thread.start()
    assert told.told.wait(60)
    assert not entered.is_set()
    assert other.stdin is not None
    other.stdin.close()
    assert entered.wait(60)
    thread.join()
    assert len(told.texts) == 1, "once, not at every look"


def test_what_a_measurement_leaves_that_is_killed_while_another_waits_is_removed_before_that_one_begins(
    home: Path,
) -> None:
    text = f"""
from benchbook import temporary
with temporary.folder("bench") as made:
    print(made, flush=True)
    exec({HOLD!r})
"""
    told, seen = Told(), []
    with subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        assert it.stdout is not None
        folder = Path(it.stdout.readline().strip())
        assert it.stdout.readline() == "held\n"

        def second() -> None:
            with host_lock(told):
                seen.append(folder.exists())

        thread = threading.Thread(target=second)
        thread.start()
        assert told.told.wait(60)
        assert folder.is_dir()
        it.kill()
        thread.join(60)
    assert seen == [False]


def test_a_killed_measurement_holds_the_machine_no_longer(other: subprocess.Popen[str]) -> None:
    other.kill()
    other.wait()
    with host_lock(Quiet(), wait=False):
        pass


def test_the_lock_is_given_back_after_an_error(home: Path) -> None:
    with pytest.raises(ZeroDivisionError), host_lock(Quiet()):
        raise ZeroDivisionError
    with host_lock(Quiet(), wait=False):
        pass


def test_any_account_can_take_a_lock_file_that_another_one_made(home: Path) -> None:
    before = os.umask(0o077)
    try:
        with host_lock(Quiet()):
            pass
    finally:
        os.umask(before)
    assert lock_path().stat().st_mode & 0o444 == 0o444
