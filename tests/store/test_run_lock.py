"""Who measures a run is known by a lock in its folder; one of two takers gets it, and no part is overwritten."""

import errno
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sealing import DIGEST, PROVENANCE

from benchbook import nofollow, store, verification
from benchbook.errors import BusyError, MachineError, StoredRunError
from benchbook.store import HeldError, RunWriter, atomic, find_being_measured, find_unfinished, schema
from benchbook.store.run_lock import LOCK

KEY = "0123456789ab"

TAKE = """
import sys
from pathlib import Path
from benchbook.store.run_lock import HeldError, RunLock
print("ready", flush=True)
sys.stdin.readline()
try:
    lock = RunLock.take(Path({folder!r}))
    print("taken", flush=True)
except HeldError as held:
    print(held.problem, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def begun(started: list[subprocess.Popen[str]]) -> Any:
    """Starts processes that take the run in a folder once they are told."""

    def begin(folder: Path) -> subprocess.Popen[str]:
        pipe, text = subprocess.PIPE, TAKE.format(folder=str(folder))
        started.append(subprocess.Popen([sys.executable, "-c", text], stdin=pipe, stdout=pipe, text=True))
        return started[-1]

    return begin


def line(process: subprocess.Popen[str]) -> str:
    return process.stdout.readline().strip()


def go(process: subprocess.Popen[str]) -> None:
    process.stdin.write("go\n")
    process.stdin.flush()


def taken(process: subprocess.Popen[str]) -> str:
    assert line(process) == "ready"
    go(process)
    return line(process)


def unfinished() -> str:
    entry = find_unfinished("made_up", KEY)
    return "" if entry is None else entry.id


def test_a_run_that_a_process_measures_is_passed_over_until_that_process_is_gone(new_writer: Any, begun: Any) -> None:
    writer = new_writer(KEY)
    writer.close()
    assert unfinished() == writer.folder.name, "it was given back"
    other = begun(writer.folder)
    assert taken(other) == "taken"
    assert unfinished() == ""
    assert [each.id for each in find_being_measured("made_up", KEY, grown=False)] == [writer.folder.name]
    with pytest.raises(HeldError, match=r"is being measured elsewhere, since 20\d\d-[-\dT:+]+; wait") as held:
        RunWriter.resume(writer.folder)
    assert held.value.code == BusyError.code
    with pytest.raises(StoredRunError, match="not finished: it is being measured"):
        store.publish(writer.folder.name)
    os.utime(writer.folder / LOCK, (0, 0))
    assert unfinished() == "", "however old it is, its owner lives"
    other.kill()
    other.wait()
    assert unfinished() == writer.folder.name
    with RunWriter.resume(writer.folder) as resumed:
        assert unfinished() == ""
        assert resumed.folder.joinpath(LOCK).stat().st_mtime > 1, "since now"


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/etc/passwd")])
def test_what_is_no_file_is_no_lock_and_refused(new_writer: Any, make: Callable[[Path], None]) -> None:
    writer = new_writer(KEY)
    writer.close()
    path = writer.folder / LOCK
    path.unlink()
    make(path)
    assert unfinished() == writer.folder.name, "nobody measures it"
    with pytest.raises(MachineError, match="cannot be locked") as caught:
        RunWriter.resume(writer.folder)
    assert str(path) in caught.value.problem


def test_a_folder_whose_files_cannot_be_locked_is_refused(new_writer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unknown)
    with pytest.raises(MachineError, match="No locks available"):
        new_writer(KEY)
    assert store.catalogue() == []


def test_who_only_looks_keeps_nobody_from_a_run(new_writer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = new_writer(KEY)
    writer.close()
    looking = os.open(writer.folder / LOCK, os.O_RDONLY)
    assert nofollow.is_free(looking)
    monkeypatch.setattr(time, "sleep", lambda _: os.close(looking))
    with RunWriter.resume(writer.folder):
        assert unfinished() == ""


def test_what_earlier_versions_left_in_a_folder_is_no_matter(new_writer: Any, make_trial: Any) -> None:
    writer = new_writer(KEY)
    writer.append(make_trial(0), 0)
    writer.close()
    (writer.folder / "lease-3.json").write_text('{"kernel": "x", "since": "2026-11-29T10:00:00+00:00"}')
    assert unfinished() == writer.folder.name
    with RunWriter.resume(writer.folder) as resumed:
        assert resumed.done == {0}
        folder = resumed.finish(PROVENANCE)
    assert (folder / schema.TRIALS).is_file()


def test_of_takers_at_one_moment_one_gets_the_run(new_writer: Any, begun: Any) -> None:
    writer = new_writer(KEY)
    writer.close()
    others = [begun(writer.folder) for _ in range(6)]
    for other in others:
        assert line(other) == "ready"
    for other in others:
        go(other)
    said = sorted(map(line, others))
    assert said[-1] == "taken"
    assert all("is being measured elsewhere" in each for each in said[:-1]), said


def test_who_lost_a_run_writes_no_more_to_it(new_writer: Any, make_trial: Any, begun: Any) -> None:
    writer = new_writer(KEY)
    writer.append(make_trial(0), 0)
    (writer.folder / LOCK).unlink()
    other = begun(writer.folder)
    assert taken(other) == "taken"
    before = (writer.folder / schema.RUN).read_bytes()
    for write in (
        lambda: writer.append(make_trial(1), 0),
        lambda: writer.add_canary({"block": 0, "moment": "before"}),
        lambda: writer.begin_session({}),
        lambda: writer.finish(PROVENANCE),
    ):
        with pytest.raises(StoredRunError, match="was taken over by another process"):
            write()
    assert (writer.folder / schema.RUN).read_bytes() == before
    assert writer.done == {0}
    writer.close()
    assert unfinished() == "", "the other one's lock stays"


def test_the_lock_goes_with_the_end_of_the_run_and_one_that_stayed_is_no_matter(make_run: Any) -> None:
    folder = make_run(KEY)
    names = {schema.RUN, schema.TRIALS, schema.SAMPLES}
    assert {path.name for path in folder.iterdir()} == names
    (folder / LOCK).touch()  # as after a crash between the record and its removal
    [entry] = store.catalogue()
    known = frozenset({DIGEST})
    assert verification.verify(entry, known).summary.startswith("whole")
    target = store.publish(folder.name)
    assert {path.name for path in target.iterdir()} == names
    assert verification.verify(store.read_entry(target, published=True), known).summary.startswith("whole")


def test_no_trial_is_stored_twice(new_writer: Any, make_trial: Any) -> None:
    writer = new_writer(KEY)
    writer.append(make_trial(0), 0)
    parts = {path.name: path.read_bytes() for path in (writer.folder / schema.PARTS).iterdir()}
    with pytest.raises(StoredRunError, match=r"00000.* is there already"):
        writer.append(make_trial(0), 0)
    assert {path.name: path.read_bytes() for path in (writer.folder / schema.PARTS).iterdir()} == parts


@pytest.mark.parametrize("links", [True, False])
def test_what_is_written_once_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    def none(self: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    if not links:
        monkeypatch.setattr(Path, "hardlink_to", none)
    path = tmp_path / "x"
    atomic.write_text(path, "first", once=True)
    with pytest.raises(StoredRunError, match="never overwritten"):
        atomic.write_text(path, "second", once=True)
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_run_of_the_same_second_on_another_machine_is_another_run(
    new_writer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, exists = new_writer(KEY), Path.exists
    with monkeypatch.context() as patch:  # it appears after it was looked for
        patch.setattr(Path, "exists", lambda path: path.parent != first.folder.parent and exists(path))
        second = new_writer(KEY)
    assert second.folder != first.folder
    assert [entry.damage for entry in store.catalogue()] == ["", ""]
