"""Who measures a run is known by a lock on this machine and by age elsewhere; one of two takers gets it, and no part is
overwritten."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sealing import DIGEST, PROVENANCE

from benchbook import store, verification
from benchbook.errors import StoredRunError
from benchbook.model import Trial
from benchbook.store import HeldError, RunWriter, atomic, find_being_measured, find_unfinished, leases, schema

KEY = "0123456789ab"
MakeTrial = Callable[[int], Trial]
NewWriter = Callable[..., RunWriter]

ELSEWHERE = """
import fcntl, sys
from pathlib import Path
from benchbook.store import leases
leases._kernel = lambda: {name!r}
leases._machine = lambda: {name!r}
fcntl.flock = lambda descriptor, operation: None  # of another machine none is seen
"""
"""A process of another machine that shares the folder of the runs."""
TAKE = """
print("ready", flush=True)
sys.stdin.readline()
try:
    lease = leases.Lease.take(Path({folder!r}))
    print("taken", flush=True)
except leases.HeldError as held:
    print(held.problem, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def begun() -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Starts programs that are ended with the test."""
    started: list[subprocess.Popen[str]] = []

    def begin(text: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        started.append(subprocess.Popen([sys.executable, "-c", text], stdin=pipe, stdout=pipe, text=True))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def go(process: subprocess.Popen[str]) -> str:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    return line(process)


def taken(process: subprocess.Popen[str]) -> str:
    assert line(process) == "ready"
    return go(process)


def own(folder: Path) -> Path:
    """The lease file of a run."""
    [path] = folder.glob("lease-*.json")
    return path


def from_elsewhere(folder: Path, **changed: str) -> Path:
    """Let the lease be one of another machine."""
    path = own(folder)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"kernel": "other", "machine": "other"} | changed))
    return path


def unfinished() -> str:
    entry = find_unfinished("made_up", KEY)
    return "" if entry is None else entry.id


def test_a_run_that_a_process_measures_is_passed_over_until_that_process_is_gone(
    new_writer: NewWriter, begun: Callable[[str], subprocess.Popen[str]]
) -> None:
    writer = new_writer(KEY)
    writer.close()
    assert unfinished() == writer.folder.name, "it was given back"
    other = begun(f"import sys\nfrom pathlib import Path\nfrom benchbook.store import leases\n"
                  f"{TAKE.format(folder=str(writer.folder))}")  # fmt: skip
    assert taken(other) == "taken"
    assert unfinished() == ""
    assert [each.id for each in find_being_measured("made_up", KEY, grown=False)] == [writer.folder.name]
    with pytest.raises(HeldError, match="is being measured elsewhere, since 20"):
        RunWriter.resume(writer.folder)
    with pytest.raises(StoredRunError, match="not finished: it is being measured"):
        store.publish(writer.folder.name)
    os.utime(own(writer.folder), (0, 0))
    assert unfinished() == "", "however old it is, its owner lives"
    other.kill()
    other.wait()
    assert unfinished() == writer.folder.name
    with RunWriter.resume(writer.folder):
        assert unfinished() == ""


def test_of_another_machine_the_age_decides(new_writer: NewWriter) -> None:
    writer = new_writer(KEY)
    writer.lease.close()
    assert unfinished() == writer.folder.name, "on this machine it is known at once that nobody holds it"
    path = from_elsewhere(writer.folder)
    assert unfinished() == ""
    with pytest.raises(HeldError) as caught:
        RunWriter.resume(writer.folder)
    assert str(path) in caught.value.mend
    then = time.time() - leases.EXPIRES_S - 1
    os.utime(path, (then, then))
    assert unfinished() == writer.folder.name
    path.write_text("")
    assert unfinished() == "", "it was just made, by nobody knows whom"


def test_what_somebody_else_wrote_into_a_lease_is_told_as_no_more_than_a_time(new_writer: NewWriter) -> None:
    writer = new_writer(KEY)
    from_elsewhere(writer.folder, since="\x1b[2J now")
    with pytest.raises(HeldError) as caught:
        RunWriter.resume(writer.folder)
    assert re.fullmatch(r"run .* is being measured elsewhere, since 20\d\d-[-\dT:+]+", caught.value.problem)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=lambda make: make.__name__)
def test_what_is_no_file_is_nobodys_lease(new_writer: NewWriter, make: Callable[[Path], None]) -> None:
    writer = new_writer(KEY)
    writer.close()
    planted = writer.folder / "lease-7.json"
    make(planted)
    assert unfinished() == writer.folder.name
    with RunWriter.resume(writer.folder) as resumed:
        assert unfinished() == ""
        assert (resumed.folder / "lease-8.json").is_file()


def test_what_another_machine_gave_back_is_free_at_once(new_writer: NewWriter) -> None:
    writer = new_writer(KEY)
    from_elsewhere(writer.folder)
    writer.close()
    assert unfinished() == writer.folder.name


def test_a_lease_from_before_this_machine_was_started_is_nobodys(
    new_writer: NewWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = new_writer(KEY)
    writer.lease.close()
    monkeypatch.setattr(leases, "_machine", lambda: "this")
    path = from_elsewhere(writer.folder, machine="this")
    assert unfinished() == "", "another one with the same name, as copies of a machine have"
    monkeypatch.setattr(leases, "_booted_s", lambda: path.stat().st_mtime + 1)
    assert unfinished() == writer.folder.name


def test_of_takers_on_several_machines_one_gets_the_run(
    new_writer: NewWriter, begun: Callable[[str], subprocess.Popen[str]]
) -> None:
    writer = new_writer(KEY)
    writer.lease.close()
    os.utime(from_elsewhere(writer.folder), (1, 1))
    others = [
        begun(ELSEWHERE.format(name=f"node {number}") + TAKE.format(folder=str(writer.folder))) for number in range(6)
    ]
    for other in others:
        assert line(other) == "ready"
    for other in others:  # all of them at once
        assert other.stdin is not None
        other.stdin.write("go\n")
        other.stdin.flush()
    said = sorted(map(line, others))
    assert said[-1] == "taken"
    assert all("is being measured elsewhere" in each for each in said[:-1]), said


def test_who_lost_a_run_writes_no_more_to_it(
    new_writer: NewWriter, make_trial: MakeTrial, begun: Callable[[str], subprocess.Popen[str]]
) -> None:
    writer = new_writer(KEY)
    writer.append(make_trial(0), 0)
    os.utime(from_elsewhere(writer.folder), (1, 1))
    other = begun(ELSEWHERE.format(name="node 2") + TAKE.format(folder=str(writer.folder)))
    assert taken(other) == "taken"
    before = (writer.folder / schema.RUN).read_bytes()
    for write in (
        lambda: writer.append(make_trial(1), 0),
        lambda: writer.add_canary({"block": 0, "moment": "before"}),
        lambda: writer.begin_session({}),
        lambda: writer.finish(PROVENANCE),
        writer.renew,
    ):
        with pytest.raises(StoredRunError, match="was taken over by another process"):
            write()
    assert (writer.folder / schema.RUN).read_bytes() == before
    assert writer.done == {0}
    writer.close()
    assert own(writer.folder).stat().st_mtime > 1, "the other one's lease stays"


def test_a_lease_is_dated_again_while_its_owner_writes(
    new_writer: NewWriter, make_trial: MakeTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = new_writer(KEY)
    monkeypatch.setattr(leases, "RENEWED_S", -1.0)
    for write in (
        lambda: writer.append(make_trial(0), 0),
        lambda: writer.add_canary({"block": 0, "moment": "before"}),
        writer.renew,
    ):
        os.utime(own(writer.folder), (1, 1))
        write()
        assert own(writer.folder).stat().st_mtime > 1


def test_the_lease_goes_with_the_end_of_the_run_and_one_that_stayed_is_no_matter(make_run: Any) -> None:
    folder = make_run(KEY)
    names = {schema.RUN, schema.TRIALS, schema.SAMPLES}
    assert {path.name for path in folder.iterdir()} == names
    (folder / "lease-1.json").write_text("{}")  # as after a crash between the record and its removal
    [entry] = store.catalogue()
    known = frozenset({DIGEST})
    assert verification.verify(entry, known).summary.startswith("whole")
    target = store.publish(folder.name)
    assert {path.name for path in target.iterdir()} == names
    assert verification.verify(store.read_entry(target, published=True), known).summary.startswith("whole")


def test_no_trial_is_stored_twice(new_writer: NewWriter, make_trial: MakeTrial) -> None:
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
    new_writer: NewWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, exists = new_writer(KEY), Path.exists
    with monkeypatch.context() as patch:  # it appears after it was looked for
        patch.setattr(Path, "exists", lambda path: path.parent != first.folder.parent and exists(path))
        second = new_writer(KEY)
    assert second.folder != first.folder
    assert [entry.damage for entry in store.catalogue()] == ["", ""]
