"""First come, first served: who waits keeps the order, and whoever is killed leaves no hole in it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from test_lock import Second, refuses

from benchbook.errors import BusyError, MachineError
from benchbook.runner import Progress, lock, lock_file, queue
from benchbook.runner.lock import host_lock

MEASURES = """
import sys
sys.argv = ["benchbook", "run", sys.argv[1]]
from benchbook.runner import Progress
from benchbook.runner.lock import host_lock
with host_lock(Progress()) as place:
    place.expect(600)
    print("held", flush=True)
    sys.stdin.readline()
"""
SWEEPS = """
import sys
sys.argv = ["benchbook", "sweep", "lru"]
from benchbook.runner import Progress, queue
from benchbook.runner.lock import host_lock
with queue.kept(3600):
    for point in range(3):
        with host_lock(Progress()):
            print("held", flush=True)
            sys.stdin.readline()
"""
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(started: list[subprocess.Popen[str]]) -> Start:
    """Starts a process that measures until it gets a line."""

    def begin(name: str, text: str = MEASURES) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        started.append(subprocess.Popen([sys.executable, "-c", text, name], stdin=pipe, stdout=pipe, text=True))
        return started[-1]

    return begin


def held(process: subprocess.Popen[str]) -> None:
    assert process.stdout.readline() == "held\n"


def go_on(process: subprocess.Popen[str]) -> None:
    process.stdin.write("\n")
    process.stdin.flush()


def waited_for(*names: str) -> None:
    """Until these and no others have places, in this order."""
    deadline = time.monotonic() + 60
    while (found := [turn.command.split()[-1] for turn in queue.turns()]) != [*names]:
        assert time.monotonic() < deadline, found
        time.sleep(0.02)


def in_order(start: Start, *names: str) -> list[subprocess.Popen[str]]:
    """Processes that came one after the other; the first has the machine."""
    made = []
    for number, name in enumerate(names, start=1):
        made.append(start(name))
        if number == 1:
            held(made[0])
        waited_for(*names[:number])
    return made


def test_who_came_first_is_served_first(start: Start) -> None:
    names = ("first", "second", "third", "fourth")
    for place, process in enumerate(in_order(start, *names)):
        if place:
            held(process)
        waited_for(*names[place:])
        assert [bool(turn.measures) for turn in queue.turns()] == [True, *[False] * (len(names) - place - 1)]
        go_on(process)
        process.wait()
    assert queue.turns() == []


def test_killed_waiters_and_a_killed_holder_leave_no_hole(start: Start) -> None:
    first, second, third, fourth = in_order(start, "first", "second", "third", "fourth")
    third.kill()
    third.wait()
    waited_for("first", "second", "fourth")
    first.kill()
    first.wait()
    held(second)
    second.kill()
    second.wait()
    held(fourth)
    waited_for("fourth")


def test_it_says_who_holds_the_machine_since_when_and_how_long_yet(start: Start) -> None:
    in_order(start, "lru", "read_path")
    first, second = queue.turns()
    now = datetime.now(UTC)
    assert (first.command, second.command) == ("benchbook run lru", "benchbook run read_path")
    assert now - timedelta(minutes=2) < datetime.fromisoformat(first.measures) <= now
    assert now + timedelta(minutes=8) < datetime.fromisoformat(first.ends) <= now + timedelta(minutes=10)
    assert (second.measures, second.ends) == ("", "")
    with pytest.raises(BusyError) as refused, host_lock(Progress(), wait=False):
        pass
    assert "`" not in refused.value.problem.partition(" (")[0]
    assert "benchbook run lru has had it since" in refused.value.problem
    assert "may end about" in refused.value.problem
    assert "1 more came before this one" in refused.value.problem
    waited_for("lru", "read_path")


def test_a_sweep_keeps_its_place_between_its_points(start: Start) -> None:
    sweep = start("lru", SWEEPS)
    held(sweep)
    other = start("read_path")
    waited_for("lru", "read_path")
    for _ in range(2):
        go_on(sweep)
        held(sweep)
        waited_for("lru", "read_path")
    refuses()
    go_on(sweep)
    held(other)


def test_what_is_expected_stands_in_the_queue_and_a_sweep_says_its_own(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "WRITTEN_S", -1.0)
    with host_lock(Progress()) as place:
        assert queue.turns()[0].ends == ""
        place.expect(120.0)
        before = queue.turns()[0].ends
        place.expect(60.0)
        assert before > queue.turns()[0].ends > queue.turns()[0].measures
    with queue.kept(7200), host_lock(Progress()) as place:
        before = queue.turns()[0].ends
        place.expect(5.0)
        assert queue.turns()[0].ends == before


def test_a_place_is_nobodys_after_an_error(home: Path) -> None:
    with pytest.raises(ZeroDivisionError), queue.kept(None):
        raise ZeroDivisionError
    assert queue.turns() == []
    assert not list(lock_file.path().parent.glob("*place*"))


def test_what_others_plant_beside_the_lock_is_no_place_and_stays(home: Path) -> None:
    folder = lock_file.path().parent
    secret = folder / "secret"
    secret.write_text(json.dumps({"command": "secret"}))
    (folder / f"{queue.PREFIX}1{queue.SUFFIX}").symlink_to(secret)
    os.mkfifo(folder / f"{queue.PREFIX}2{queue.SUFFIX}")
    (folder / f"{queue.PREFIX}3{queue.SUFFIX}").mkdir()
    (folder / f"{queue.PREFIX}999999999{queue.SUFFIX}").mkdir()
    (folder / f"{queue.PREFIX}{'9' * 30}{queue.SUFFIX}").touch()
    (folder / f"{queue.PREFIX}-5{queue.SUFFIX}").touch()
    before = {each.name for each in folder.iterdir()}
    assert queue.turns() == []
    with host_lock(Progress(), wait=False) as place:
        assert place.number == 4
        assert [turn.number for turn in queue.turns()] == [4]
    assert {each.name for each in folder.iterdir()} - {lock_file.path().name} == before


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"[" * 2_000, b'{"command": 5, "measures": [1]}'])
def test_a_place_that_says_nonsense_is_a_place_without_words(home: Path, content: bytes) -> None:
    place = queue.taken()
    path = lock_file.path().parent / f"{queue.PREFIX}{place.number}{queue.SUFFIX}"
    path.write_bytes(content)
    [turn] = queue.turns()
    assert (turn.command, turn.came, turn.measures, turn.ends) == ("", "", "", "")
    place.leave()


def test_a_command_reaches_a_terminal_without_what_steers_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/any/where/benchbook", "run", "lru", "-p", f"seed=\x1b[2J{'9' * 900}"])
    place = queue.taken()
    [turn] = queue.turns()
    assert turn.command.startswith("benchbook run lru -p 'seed=[2J999")
    assert len(turn.command) <= 200
    place.leave()


def test_a_folder_in_which_no_place_can_be_had_is_said_with_what_to_do(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BENCHBOOK_LOCK_FOLDER", str(tmp_path / "none"))
    with pytest.raises(MachineError, match="cannot be made") as caught:
        queue.taken()
    assert "BENCHBOOK_LOCK_FOLDER" in caught.value.mend
    assert queue.turns() == []
    assert not lock.is_taken()


def test_a_holder_that_has_no_place_is_waited_for(home: Path) -> None:
    """One of an earlier version, or one whose folder for the places is another."""
    descriptor = lock_file.taken()
    assert lock.is_taken()
    second = Second(home)
    assert not second.entered
    os.close(descriptor)
    second.thread.join(60)
    assert second.entered
    assert not lock.is_taken()


ANOTHER_ACCOUNT = """
import os, sys
from benchbook.runner import queue
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
place = queue.taken()
print(*[turn.number for turn in queue.turns()], flush=True)
sys.stdin.readline()
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")
def test_accounts_share_one_queue(home: Path, monkeypatch: pytest.MonkeyPatch, sticky: Path) -> None:
    monkeypatch.setenv("BENCHBOOK_LOCK_FOLDER", str(sticky))
    own = queue.taken()
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", ANOTHER_ACCOUNT], stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout.readline() == f"{own.number} {own.number + 1}\n"
        own.leave()
        assert [turn.number for turn in queue.turns()] == [own.number + 1]
        refuses()
        other.communicate("\n")
    assert queue.turns() == []
    with host_lock(Progress(), wait=False):
        assert len(list(sticky.glob(f"{queue.PREFIX}*"))) == 1, "what the killed one left is gone"
