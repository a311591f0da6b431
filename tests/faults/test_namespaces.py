"""Whoever measures in a container is seen from outside it, and the other way round: nothing living is taken for a
leftover, and two never measure at once."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import parts_at_work as parts
import psutil
import pytest
import yaml

from benchbook import store
from benchbook.errors import BenchbookError

pytestmark = pytest.mark.faults

PROCESSES = ("--pid", "--fork", "--kill-child", "--mount-proc")
HOLD = """
import sys, time
from benchbook import children
from benchbook.runner import Progress
from benchbook.runner.lock import host_lock
with host_lock(Progress()):
    children.start(["sleep", "600"])
    print("held", flush=True)
    sys.stdin.read()
"""
TRY = """
from benchbook.errors import BenchbookError
from benchbook.runner import Progress
from benchbook.runner.lock import host_lock
try:
    with host_lock(Progress(), wait=False):
        print("taken")
except BenchbookError as error:
    print(error.problem)
"""
BUSY = "another Benchbook run is measuring on this machine"
BOUNDED = """
import subprocess, sys
from benchbook.engines import bounds
with bounds.memory(128 * 2**20) as bound:
    if not bound.bounded:
        sys.exit(bound.label)
    with bound.inside():
        member = subprocess.Popen(["sleep", "600"])
    print(bound.group, flush=True)
    sys.stdin.readline()
    print("alive" if member.poll() is None else "ended", flush=True)
"""
TINY = {
    "blocks": 2, "parts": ["three_runs"], "scale": 5, "clients": 2, "tpcb_seconds": 1, "warm_seconds": 1,
    "warm_fill_seconds": 1, "read_seconds": 1, "read_fill_seconds": 1, "allow_slow_storage": False,
    "allow_vm_settings": False,
}  # fmt: skip
"""A chapter whose servers run in control groups of ours."""

Begin = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def begin(started: list[subprocess.Popen[str]]) -> Begin:
    """Starts a program, in namespaces of its own if ``unshare`` is given its options; it ends with the test."""

    def start(command: list[str], *unshare: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        line = [*parts.isolated(*unshare), *command]
        started.append(subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe, text=True))
        return started[-1]

    return start


def python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def said(process: subprocess.Popen[str]) -> str:
    return process.stdout.readline().strip()


def tries(*unshare: str) -> str:
    """What another command that may not wait is told, in these namespaces."""
    done = subprocess.run([*parts.isolated(*unshare), *python(TRY)], check=True, capture_output=True, text=True)
    return done.stdout.strip().partition(" (")[0]  # in brackets who measures, where that can be seen


def holding(begin: Begin, command: list[str], *unshare: str) -> subprocess.Popen[str]:
    """A program that begins by holding the machine, and does."""
    owner = begin(command, *unshare)
    assert said(owner) == "held", owner.communicate()
    return owner


def everybody(owner: subprocess.Popen[str]) -> list[psutil.Process]:
    return [psutil.Process(owner.pid), *psutil.Process(owner.pid).children(recursive=True)]


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        pytest.param((), PROCESSES, id="beside a container", marks=pytest.mark.long),
        pytest.param(PROCESSES, (), id="in a container"),
        pytest.param(PROCESSES, PROCESSES, id="in two"),
        pytest.param(("--net",), (), id="in another network", marks=pytest.mark.long),
        pytest.param((), ("--net",), id="beside another network", marks=pytest.mark.long),
    ],
)
def test_one_measures_at_a_time_and_the_other_ends_nothing_of_it(
    begin: Begin, inside: tuple[str, ...], outside: tuple[str, ...]
) -> None:
    parts.isolated(*outside)
    owner = holding(begin, python(HOLD), *inside)
    measuring = everybody(owner)
    assert len(measuring) >= 2
    assert tries(*outside) == BUSY
    assert all(map(parts.working, measuring))
    owner.communicate("")
    assert tries(*outside) == "taken"


def test_one_measures_at_a_time_also_where_the_lock_s_folder_is_each_one_s_own(begin: Begin) -> None:
    folder = os.environ["BENCHBOOK_LOCK_FOLDER"]
    private = ["sh", "-c", f'mount -t tmpfs none "{folder}" && exec "$@"', "sh"]
    owner = holding(begin, [*private, *python(HOLD)], "--mount")
    assert not list(Path(folder).glob("benchbook-host*")), "the file is not seen from here"
    assert tries() == BUSY
    owner.communicate("")
    assert tries() == "taken"


def test_a_container_that_is_killed_holds_the_machine_no_longer(begin: Begin) -> None:
    owner = holding(begin, python(HOLD), *PROCESSES)
    measuring = everybody(owner)
    owner.kill()
    assert parts.eventually(lambda: tries() == "taken"), "when the last thread of each is gone"
    assert not any(map(parts.working, measuring))


def test_a_command_outside_leaves_the_group_of_a_living_container_alone_and_removes_that_of_a_killed_one(
    begin: Begin,
) -> None:
    owner = begin(python(BOUNDED), *PROCESSES)
    group = Path(said(owner) or pytest.skip(owner.communicate()[1].strip()))
    parts.any_command()
    assert group.is_dir()
    owner.stdin.write("look\n")
    owner.stdin.flush()
    assert said(owner) == "alive"
    assert owner.wait(parts.PATIENCE_S) == 0
    assert not group.exists(), "its owner removed it"
    owner = begin(python(BOUNDED), *PROCESSES)
    group = Path(said(owner))
    measuring = everybody(owner)
    owner.kill()
    assert parts.eventually(lambda: not any(map(parts.working, measuring)))
    parts.any_command()
    assert not group.exists()


@pytest.mark.long
@pytest.mark.engine
def test_a_run_in_a_container_is_completed_while_other_commands_come_and_go(begin: Begin, tmp_path: Path) -> None:
    file = tmp_path / "tiny.yaml"
    file.write_text(yaml.safe_dump(TINY))
    owner = begin([*parts.COMMAND, "run", "shared_buffers", "--file", str(file)], *PROCESSES)
    parts.one(owner, lambda: parts.below(owner.pid, "pgbench"))
    for _ in range(3):
        parts.any_command()
    assert owner.wait(parts.PATIENCE_S) == 0, "\n".join(owner.communicate())
    [entry] = store.catalogue()
    assert entry.record["state"] == "complete"
    with pytest.raises(BenchbookError, match="complete"):
        store.RunWriter.resume(entry.folder)
