"""One measurement at a time on a machine, also between processes and after a crash."""

import fcntl
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchbook.errors import BenchbookError, BusyError, MachineError
from benchbook.runner import Progress, lock_file
from benchbook.runner.lock import host_lock

BUSY = "another Benchbook run is measuring"
HOLD = """
import sys
from benchbook.runner import Progress
from benchbook.runner.lock import host_lock
with host_lock(Progress()):
    print("held", flush=True)
    sys.stdin.read()
"""


class Second(Progress):
    """A measurement that waits for another one, in a thread; ``entered`` holds whether ``folder`` was there then."""

    def __init__(self, folder: Path) -> None:
        self.told, self.texts, self.entered = threading.Event(), list[str](), list[bool]()
        self.thread = threading.Thread(target=self.measure, args=(folder,))
        self.thread.start()
        assert self.told.wait(60)

    def say(self, text: str) -> None:
        self.texts.append(text)
        self.told.set()

    def measure(self, folder: Path) -> None:
        with host_lock(self):
            self.entered.append(folder.exists())


@contextmanager
def holding(text: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that is measuring, once its text says so."""
    with subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        assert it.stdout.readline() == "held\n"
        yield it
        it.kill()


def refuses(words: str = BUSY, error: type[BenchbookError] = BusyError) -> None:
    """The lock cannot be had at once."""
    with pytest.raises(error, match=words), host_lock(Progress(), wait=False):
        pass


def is_free() -> None:
    with host_lock(Progress(), wait=False):
        pass


def test_a_second_measurement_says_that_it_waits_and_goes_on_when_the_first_ends(home: Path) -> None:
    with holding(HOLD) as other:
        second = Second(home)
        assert not second.entered
        other.stdin.close()
        second.thread.join(60)
    assert second.entered
    assert len(second.texts) == 1, "once, not at every look"


def test_what_a_measurement_leaves_that_is_killed_while_another_waits_is_removed_before_that_one_begins(
    home: Path,
) -> None:
    noted = home / "noted"
    text = f"""
from pathlib import Path
from benchbook import temporary
with temporary.folder("bench") as made:
    Path({str(noted)!r}).write_text(str(made))
    exec({HOLD!r})
"""
    with holding(text) as other:
        folder = Path(noted.read_text())
        second = Second(folder)
        assert folder.is_dir()
        other.kill()
        second.thread.join(60)
    assert second.entered == [False]


def test_the_lock_is_given_back_after_an_error(home: Path) -> None:
    with pytest.raises(ZeroDivisionError), host_lock(Progress()):
        raise ZeroDivisionError
    is_free()


def test_any_account_can_take_a_lock_file_that_another_one_made(home: Path) -> None:
    before = os.umask(0o077)
    try:
        with host_lock(Progress()):
            pass
    finally:
        os.umask(before)
    assert lock_file.path().stat().st_mode & 0o444 == 0o444


def test_the_lock_is_one_whatever_folder_is_for_temporary_files(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with holding(HOLD):
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.setattr(tempfile, "tempdir", None)
        assert tempfile.gettempdir() == str(tmp_path)
        refuses()
    monkeypatch.delenv("BENCHBOOK_LOCK_FOLDER")
    assert lock_file.path() == Path("/tmp/benchbook-host.lock")


def refused(words: str) -> None:
    """In a process of its own, which a test may end that would wait for ever; and no attempt leaves the lock taken."""
    text = "from benchbook.runner import lock_file\nlock_file.taken()"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert words in done.stderr, done.stderr
    refuses(words, MachineError)


def dangling(path: Path) -> None:
    path.symlink_to(path.with_name("target"))


def linked(path: Path) -> None:
    path.with_name("target").touch(0o600)
    path.symlink_to(path.with_name("target"))


@pytest.mark.parametrize("make", [dangling, linked, os.mkfifo, Path.mkdir], ids=lambda make: make.__name__)
def test_what_is_no_file_is_no_lock_and_stays_as_it_is(home: Path, make: Callable[[Path], None]) -> None:
    path = lock_file.path()
    make(path)
    before = {each.name: each.lstat().st_mode for each in path.parent.iterdir()}
    refused("cannot be the lock of this machine")
    assert {each.name: each.lstat().st_mode for each in path.parent.iterdir()} == before
    path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    is_free()


def test_a_file_that_somebody_else_makes_at_that_moment_keeps_its_mode(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, path = os.open, lock_file.path()

    def raced(where: Any, flags: int, *arguments: int, **options: Any) -> int:
        if Path(where) == path and not path.exists() and not flags & os.O_CREAT:
            path.touch()
            path.chmod(0o640)
            raise FileNotFoundError
        return real(where, flags, *arguments, **options)

    monkeypatch.setattr(os, "open", raced)
    with host_lock(Progress(), wait=False):
        assert path.stat().st_mode & 0o777 == 0o640


def test_a_file_that_was_removed_and_made_again_meanwhile_is_not_the_lock(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, path = fcntl.flock, lock_file.path()
    path.touch()
    removed = []

    def late(descriptor: int, operation: int) -> None:
        if not removed:
            removed.append(path.rename(path.with_name("removed")))
            path.touch()
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    descriptor = lock_file.taken()
    assert os.path.samestat(os.fstat(descriptor), path.stat())
    os.close(descriptor)


ANOTHER_ACCOUNT = """
import os
from benchbook.errors import MachineError
from benchbook.runner import lock_file
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
try:
    descriptor = lock_file.taken()
    print("busy" if descriptor is None else oct(os.fstat(descriptor).st_mode & 0o777), os.fstat(descriptor or 0).st_uid)
except MachineError as error:
    print(error)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")
def test_accounts_share_the_lock_in_a_folder_where_each_may_write(
    home: Path, monkeypatch: pytest.MonkeyPatch, sticky: Path
) -> None:
    monkeypatch.setenv("BENCHBOOK_LOCK_FOLDER", str(sticky))

    def another() -> str:
        command = [sys.executable, "-c", ANOTHER_ACCOUNT]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert another() == "0o644 65534\n", "it makes the file"
    assert another() == "0o644 65534\n"
    with host_lock(Progress(), wait=False):
        assert another().startswith("busy"), "root holds a file that is not its own"
    lock_file.path().unlink()
    with host_lock(Progress(), wait=False):
        assert another().startswith("busy")
    assert another() == "0o644 0\n", "the other way round too"
    lock_file.path().chmod(0o600)
    assert "have its owner or root remove it" in another()


SQUATTING = """
import os, socket, sys
from benchbook.runner import lock_socket
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
held = lock_socket._bound(lock_socket._name())
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")
def test_a_program_of_another_account_is_not_ended(home: Path) -> None:
    with holding(SQUATTING) as its:
        refuses()
        assert its.poll() is None
        its.communicate("")
    is_free()
