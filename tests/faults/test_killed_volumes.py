"""Whoever holds a capped volume is killed in the middle of its work: the machine is as before, by one way or another.

Kills: an owner that writes, one with its guardian, one with its guardian and a server on two volumes.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import parts_at_work as parts
import psutil
import pytest
from block_devices import odd_read_aheads, state

from benchbook import files
from benchbook.engines import kernel_settings
from benchbook.engines.storage import devices, leftovers, refusals, throttle

pytestmark = [pytest.mark.faults, pytest.mark.engine, pytest.mark.machine, pytest.mark.alone]

GUARDIANS = {"benchbook.engines.storage.leftovers", "benchbook.engines.kernel_settings"}
WRITES = """
import os
from benchbook.engines.storage.caps import Cap
from benchbook.engines.storage.volumes import volume
with volume(64, allowed=True, read_ahead_kib=64) as made, made.capped(Cap.of(100)):
    print(made.folder.parent, flush=True)
    with (made.folder / "file").open("wb") as file:
        while True:
            file.seek(0)
            file.write(os.urandom(8 << 20))
            file.flush()
            os.fdatasync(file.fileno())
"""
SERVES = """
from benchbook.engines import pgbench
from benchbook.engines.postgres import find, private_cluster
from benchbook.engines.storage.caps import Cap
from benchbook.engines.storage.volumes import volume
with (
    volume(160, allowed=True) as made, volume(96, allowed=True) as log,
    private_cluster(find(), bytes_needed=0, place=made.folder, wal_place=log.folder) as cluster,
):
    cluster.start({"shared_buffers": "8MB", "max_wal_size": "32MB", "min_wal_size": "32MB"})
    pgbench.initialise(cluster, 1)
    with made.capped(Cap.of(100)), log.capped(Cap.of(100)):
        print(made.folder.parent, log.folder.parent, flush=True)
        pgbench.run(cluster, pgbench.Workload(clients=2, duration_s=600))
"""


@pytest.fixture
def before(home: Path) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """The machine, whose free devices have a read-ahead that the kernel itself would not choose."""
    why = refusals.refusal(allowed=True)
    if why is not None:
        pytest.skip(str(why))
    with odd_read_aheads():
        yield state()


@pytest.fixture
def owners(before: object, started: list[subprocess.Popen[str]]) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that are ended with the test, and what they left is removed even where the test failed."""
    yield started
    for process in started:
        process.kill()
        process.wait()
    leftovers.remove()


def owner(owners: list[subprocess.Popen[str]], text: str) -> tuple[subprocess.Popen[str], list[Path]]:
    """A program that holds volumes, and the folders of these."""
    made = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    owners.append(made)
    folders = [Path(each) for each in made.stdout.readline().split()]
    assert folders, made.communicate()
    return made, folders


def guardians(pid: int) -> list[psutil.Process]:
    return [each for each in psutil.Process(pid).children() if GUARDIANS & {*each.cmdline()}]


def killed_with_its_guardian(owners: list[subprocess.Popen[str]]) -> list[Path]:
    """The folders that a writing owner left, with nobody to take them down."""
    killed, folders = owner(owners, WRITES)
    for guardian in guardians(killed.pid):
        guardian.kill()
    killed.kill()
    killed.wait()
    return folders


def attached(folders: list[Path]) -> list[tuple[devices.Device, Path]]:
    return [(device, file) for device, file in devices.attached() if file.parent in folders]


def test_the_guardian_takes_everything_down_after_kill_9(
    owners: list[subprocess.Popen[str]], before: tuple[list[str], ...]
) -> None:
    killed, folders = owner(owners, WRITES)
    [(device, _)] = attached(folders)
    assert throttle.find().rule(device.number).write_iops == 100
    assert state() != before
    assert (leftovers.remove(), kernel_settings.restore_leftovers()) == ([], []), "its owner lives"
    killed.kill()
    killed.wait()
    assert parts.eventually(lambda: state() == before and not kernel_settings.notes())
    assert parts.eventually(lambda: not folders[0].exists())


@pytest.mark.parametrize("command", ["runs", "clean", "queue"])
def test_the_next_command_does_so_and_says_so_when_the_guardians_were_killed_too(
    owners: list[subprocess.Popen[str]], before: tuple[list[str], ...], command: str
) -> None:
    folders = killed_with_its_guardian(owners)
    assert state() != before
    done = subprocess.run([*parts.COMMAND, command], check=False, capture_output=True, text=True)
    assert f"had left a volume in {folders[0]}" in done.stderr + done.stdout
    assert state() == before
    assert kernel_settings.notes() == []
    assert not folders[0].exists()


def test_two_volumes_with_a_server_on_them_go_as_well(
    owners: list[subprocess.Popen[str]], before: tuple[list[str], ...]
) -> None:
    killed, folders = owner(owners, SERVES)
    assert len(attached(folders)) == 2
    [server] = parts.postmasters(killed.pid)
    everybody = [server, *server.children()]
    server.suspend()  # so that it heeds nothing but SIGKILL
    for each in (*psutil.Process(killed.pid).children(), psutil.Process(killed.pid)):
        if each != server:
            each.kill()
    killed.wait()
    assert parts.working(server)
    said = leftovers.remove()
    assert len(said) == 2, said
    assert not any(map(parts.working, everybody))
    assert state() == before
    assert not any(folder.exists() for folder in folders)


def test_a_rule_is_removed_even_if_the_device_was_taken_away_by_hand(
    owners: list[subprocess.Popen[str]], before: tuple[list[str], ...]
) -> None:
    folders = killed_with_its_guardian(owners)
    [(device, file)] = attached(folders)
    for place in devices.mounts(device.number):
        devices.unmount(place, patience_s=60)
    devices.detach(device, file)
    assert parts.eventually(lambda: not attached(folders))
    assert throttle.find().rule(device.number).write_iops == 100
    assert len(leftovers.remove()) == 1
    assert state() == before


def test_a_killed_command_finds_volumes_on_a_disk_that_is_no_longer_the_scratch_disk(
    owners: list[subprocess.Popen[str]], before: tuple[list[str], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folders = killed_with_its_guardian(owners)
    assert folders[0].parent == files.scratch()
    monkeypatch.setenv("BENCHBOOK_SCRATCH", str(tmp_path))
    assert len(leftovers.remove()) == 1
    assert state() == before
