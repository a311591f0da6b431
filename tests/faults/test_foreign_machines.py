"""Machines of others: /dev/shm small or read-only, scratch without programs, accounts without name or home, limits."""

import os
import pwd
import subprocess
import sys
from pathlib import Path

import parts_at_work as parts
import pytest

from benchbook import accounts, limits, temporary
from benchbook.cli import main
from benchbook.doctor import State, machine
from benchbook.engines import noexec, postgres
from benchbook.errors import NoEngineError

pytestmark = pytest.mark.faults

CLUSTER = """
from benchbook.engines.postgres import find, private_cluster
with private_cluster(find(), bytes_needed=100_000_000) as cluster:
    cluster.start({"shared_buffers": "8MB"})
"""
WORKERS = """
from benchbook.book.assembly.workers import workers
with workers(1):
    pass
"""
DOCTOR = """
from benchbook.doctor import machine
print(*(f"{check.state}: {check.name}: {check.detail}" for check in machine.computer()), sep="\\n")
"""
TOLD = """
from benchbook.errors import BenchbookError
try:
    exec({code!r})
except BenchbookError as error:
    print(error.problem, error.mend, sep="\\n")
"""


def under(mounted: str, code: str) -> str:
    """What Python prints with something mounted over /dev/shm, in a mount namespace of its own."""
    inner = f'{mounted} && exec "$0" -c "$1"'
    command = [*parts.isolated("--mount"), "sh", "-c", inner, sys.executable, TOLD.format(code=code)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is one of a container that was started under a number."""

    def unknown(number: int) -> pwd.struct_passwd:
        raise KeyError(number)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.setattr(os, "geteuid", lambda: 54321)


@pytest.mark.engine
def test_a_full_shared_memory_is_told_as_that_and_not_as_a_full_disk(home: Path) -> None:
    said = under("mount -t tmpfs -o size=64k tmpfs /dev/shm", CLUSTER)
    assert "/dev/shm is full" in said
    assert "--shm-size" in said
    assert "disk of" not in said


def test_shared_memory_that_cannot_be_written_is_foreseen_and_in_the_doctors_list(home: Path) -> None:
    read_only = "mount -t tmpfs -o ro tmpfs /dev/shm"
    assert "cannot share a lock in /dev/shm (Read-only file system)" in under(read_only, WORKERS)
    assert "warning: shared memory: /dev/shm is missing or cannot be written" in under(read_only, DOCTOR)
    assert "warning: shared memory: 4 MiB free" in under("mount -t tmpfs -o size=4m tmpfs /dev/shm", DOCTOR)
    assert "ok: shared memory: 64 MiB free" in under("mount -t tmpfs -o size=64m tmpfs /dev/shm", DOCTOR)


def test_a_disk_without_programs_is_told_by_the_doctor_and_where_one_is_preloaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code = f"""
from pathlib import Path
from benchbook.doctor import machine
from benchbook.engines import postgres, slow_calls
from benchbook.engines.storage import latency
print(latency.refusal(postgres.find(), Path({str(tmp_path)!r})))
print(*(f"{{check.state}}: {{check.detail}}" for check in machine.scratch()), sep="\\n")
slow_calls.slowed(Path("/bin/true"), Path({str(tmp_path)!r}), "slowed", 0)
"""
    monkeypatch.setenv("BENCHBOOK_SCRATCH", str(tmp_path))
    bound = f"mount --bind {tmp_path} {tmp_path} && mount -o remount,bind,noexec {tmp_path}"
    said = under(bound, code).splitlines()
    assert noexec.refusal(tmp_path) is None
    assert [f"the disk of {tmp_path} is mounted with noexec" in line for line in said].count(True) == 3


def test_an_account_without_a_name_is_refused_before_anything_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    without_a_name(monkeypatch)
    with pytest.raises(NoEngineError, match=r"54321, has no name.*; .*/etc/passwd"):
        postgres.identity()
    [check] = machine.account()
    assert (check.state, check.required) == (State.MISSING, True)


def test_an_account_without_a_home_has_every_command_and_its_scratch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    without_a_name(monkeypatch)
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("BENCHBOOK_SCRATCH", raising=False)
    assert Path("/var/tmp") in [*temporary.scratch_folders()], "also before a command has set one"
    monkeypatch.setenv("HOME", "")  # so that what is set is taken back
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(sys, "argv", ["benchbook", "--version"])
    with pytest.raises(SystemExit):
        main()
    assert os.environ["HOME"] == "/"
    monkeypatch.setenv("HOME", str(tmp_path))
    accounts.give_home()
    assert os.environ["HOME"] == str(tmp_path)


def test_the_doctor_shows_what_a_container_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {check.name: check for check in machine.computer()}
    assert "control group" not in found["cores"].detail + found["memory"].detail or limits.memory_bytes()
    monkeypatch.setattr(limits, "cores", lambda: 0.5)
    monkeypatch.setattr(limits, "memory_bytes", lambda: 2**30)
    bounded = {check.name: check for check in machine.computer()}
    assert bounded["cores"].state is State.WARNING
    assert bounded["cores"].detail.startswith("0.5, by affinity or a control group; the machine has ")
    assert " of 1.0 GiB available, by a control group" in bounded["memory"].detail


@pytest.mark.engine
def test_no_huge_page_is_asked_for_while_a_cluster_is_made(home: Path) -> None:
    with postgres.private_cluster(postgres.find(), bytes_needed=100_000_000) as cluster:
        settings = (cluster.data / "postgresql.conf").read_text().splitlines()
    assert any(line.startswith("huge_pages = off") for line in settings)
