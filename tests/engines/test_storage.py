"""A volume is a disk of its own that keeps its cap while it has one, says what it cannot do, and leaves nothing."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from block_devices import state

from benchbook import doctor, files, temporary
from benchbook.doctor import machine
from benchbook.engines.pgbench import kernel_counters
from benchbook.engines.postgres import find, private_cluster
from benchbook.engines.storage import devices, leftovers, presets, refusals, throttle, volumes
from benchbook.engines.storage.caps import Cap
from benchbook.engines.storage.certificates import Certificate, certify
from benchbook.engines.storage.devices import Device
from benchbook.engines.storage.volumes import Volume, volume
from benchbook.errors import BenchbookError, MachineError

pytestmark = [pytest.mark.engine, pytest.mark.machine]

SMALL_MIB = 64


@pytest.fixture
def before(slow_storage: None) -> Iterator[tuple[list[str], ...]]:
    """The machine as it is, and must be again at the end."""
    found = state()
    yield found
    assert state() == found
    assert not list(files.scratch().glob("benchbook-disk-*"))


@pytest.fixture
def made(before: tuple[list[str], ...]) -> Iterator[Volume]:
    with volume(SMALL_MIB, allowed=True) as found:
        yield found


def test_what_is_put_into_a_volume_lies_on_its_device_past_the_page_cache(made: Volume) -> None:
    (made.folder / "file").write_text("x")
    assert kernel_counters.device(made.folder / "file") == tuple(map(int, made.number.split(":")))
    assert files.direct_reads(made.folder)
    assert (devices.SYSTEM / made.device.name / "loop/dio").read_text().strip() == "1"
    room = os.statvfs(made.folder)
    assert room.f_bsize == 4096, "as on a large volume, so that a server's page is one request"
    assert SMALL_MIB * 0.7 < room.f_bavail * 4096 / 2**20 < SMALL_MIB


def test_two_volumes_have_devices_and_caps_of_their_own(made: Volume) -> None:
    with volume(SMALL_MIB, allowed=True) as other:
        assert other.number != made.number
        with made.capped(Cap.of(700)), other.capped(Cap(write_iops=900, read_bytes_per_s=5_000_000)):
            assert throttle.find().rule(made.number) == Cap.of(700)
            assert throttle.find().rule(other.number) == Cap(write_iops=900, read_bytes_per_s=5_000_000)


def test_a_capped_volume_does_no_more_than_the_cap_says_and_an_uncapped_one_does(made: Volume) -> None:
    """How much less than the cap a busy disk does is the disk's matter; that it does not do more is the kernel's."""
    cap = Cap.of(100, 8_000_000)
    with made.capped(cap):
        held = certify(made, duration_s=1.0)
    assert 0 < held.read_iops < 150
    assert 0 < held.write_iops < 150
    free = certify(made, duration_s=1.0)
    assert free.read_iops > held.read_iops
    assert free.departures(cap)
    with pytest.raises(MachineError, match="does not keep its cap"):
        free.confirm(cap)


def test_a_cap_ends_with_its_block_even_by_an_error_and_there_is_one_at_a_time(made: Volume) -> None:
    with pytest.raises(RuntimeError), made.capped(Cap.of(500)):
        raise RuntimeError
    assert not throttle.find().rule(made.number)
    with made.capped(Cap()):
        assert not throttle.find().rule(made.number)
    with made.capped(Cap.of(500)), pytest.raises(MachineError, match="capped already"), made.capped(Cap.of(600)):
        pass


def test_a_cap_that_the_kernel_cannot_keep_is_refused(made: Volume) -> None:
    for cap in (Cap.of(0), Cap.of(19), Cap(read_bytes_per_s=1000), Cap(write_iops=-5)):
        with pytest.raises(BenchbookError, match="is below"), made.capped(cap):
            pass


@pytest.mark.faults
def test_a_full_volume_is_one_clear_error(before: tuple[list[str], ...]) -> None:
    with pytest.raises(MachineError) as told, volume(SMALL_MIB, allowed=True) as found:  # noqa: PT012
        room = os.statvfs(found.folder)
        with (found.folder / "large").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_bsize - 4 * 2**20)
        certify(found, duration_s=0.1)
    assert told.value.problem == f"the volume of {SMALL_MIB} MiB is full: No space left on device"
    assert "more room" in told.value.mend


@pytest.mark.faults
def test_a_server_on_a_full_volume_is_the_same_error(before: tuple[list[str], ...]) -> None:
    with pytest.raises(MachineError, match="the volume of 96 MiB is full: ") as told:
        overfill()
    assert "more room" in told.value.mend


def overfill() -> None:
    with (
        volume(96, allowed=True) as found,
        private_cluster(find(), bytes_needed=0, place=found.folder) as cluster,
    ):
        cluster.start({"shared_buffers": "8MB", "max_wal_size": "32MB"})
        with cluster.connect() as connection:
            connection.execute("CREATE TABLE large AS SELECT repeat('x', 900) FROM generate_series(1, 200000)")


@pytest.mark.faults
def test_a_full_disk_elsewhere_is_told_as_such(before: tuple[list[str], ...], tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="the disk of"), volume(SMALL_MIB, allowed=True):
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "file"))


@contextmanager
def attached(device: Device, image: Path) -> Iterator[None]:
    """A file behind a device, whatever becomes of the test."""
    devices.attach(device, image)
    try:
        yield
    finally:
        throttle.find().put(device.number, Cap())
        for place in devices.mounts(device.number):
            devices.unmount(place, patience_s=10)
        devices.detach(device, image)


@pytest.mark.faults
def test_a_device_that_is_not_ours_is_never_touched(before: tuple[list[str], ...], tmp_path: Path) -> None:
    foreign = tmp_path / "benchbook-disk-foreign"  # by its name it could be ours; it has no lock
    foreign.mkdir()
    image, place = foreign / "volume.img", tmp_path / "mounted"
    with image.open("wb") as file:
        file.truncate(16 * 2**20)
    place.mkdir()
    with devices.reserved() as device, attached(device, image):
        devices.make_file_system(device, place)
        throttle.find().put(device.number, Cap.of(777))
        theirs = state()
        assert leftovers.remove() == []
        assert leftovers.remove() == [], "nor the second time"
        with volume(SMALL_MIB, allowed=True) as found, found.capped(Cap.of(500)):
            assert found.device != device.path
        assert state() == theirs
        assert image.exists()
        devices.detach(device, tmp_path / "another file")
        assert device in [each for each, _ in devices.attached()], "it is detached only with the file that is behind it"


@pytest.mark.faults
def test_what_somebody_mounts_in_a_folder_of_ours_stays_and_is_said(before: tuple[list[str], ...]) -> None:
    folder = files.scratch() / "benchbook-disk-left"
    folder.mkdir()
    (folder / temporary.OWNER_LOCK).touch()
    (folder / "mount").mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder / "mount"], check=True)
    try:
        (folder / "mount" / "theirs").touch()
        [said] = leftovers.remove()
        assert "not ours" in said
        assert (folder / "mount" / "theirs").exists()
    finally:
        subprocess.run(["umount", folder / "mount"], check=True)
    assert "removed" in leftovers.remove()[0]
    assert not folder.exists()


def test_a_device_with_somebody_elses_rule_is_not_used(
    before: tuple[list[str], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle.Throttle, "rule", lambda self, number: Cap.of(123))
    with pytest.raises(MachineError, match="not ours"), volume(SMALL_MIB, allowed=True):
        pass


def test_why_there_is_no_slow_storage_is_said_in_a_line_with_the_mend(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def why(owner: object, name: str, value: object) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, value)
            found = str(refusals.refusal(allowed=True))
        assert "\n" not in found
        return found

    assert "not allowed" in str(refusals.refusal(allowed=False))
    assert "needs root" in why(os, "geteuid", lambda: 1000)
    if os.geteuid() == 0:
        assert "loop devices" in why(refusals, "LOOP_CONTROL", tmp_path / "none")
        lacking = why(devices, "PLACES", str(tmp_path)).replace("losetup, ", "").replace(", mount", "")
        assert "mkfs.ext4 not found" in lacking
        assert "page cache" in why(files, "direct_reads", lambda folder: False)
    with pytest.raises(MachineError, match="not allowed"), volume(SMALL_MIB, allowed=False):
        pass
    with pytest.raises(BenchbookError, match="below 32"), volume(1, allowed=True):
        pass


def test_doctor_makes_one_and_says_so(before: tuple[list[str], ...], monkeypatch: pytest.MonkeyPatch) -> None:
    [check] = [each for each in machine.storage() if each.name == "slow storage"]
    assert (check.state, check.detail) == (doctor.State.OK, "volumes can be made and capped")
    monkeypatch.setattr(volumes.refusals, "refusal", lambda allowed: MachineError("no loop", "modprobe loop"))
    [check] = [each for each in machine.storage() if each.name == "slow storage"]
    assert check.state is doctor.State.WARNING
    assert "no loop" in check.detail
    assert check.mend == "modprobe loop"


def test_a_cap_is_told_by_what_it_holds() -> None:
    assert [presets.iops("gp3_16000"), presets.mb_per_s("gp3_16000"), presets.iops(70)] == [16_000, 1_000, 70]
    assert str(Cap(read_iops=700, write_bytes_per_s=125_000_000)) == "700 reads/s, 125 MB/s of writes"
    assert str(Cap()) == "not capped"


def test_departures_are_judged_by_the_limit_that_binds() -> None:
    kept = Certificate(32, 1, 2, 3000, 125e6, 1, 2, 3000, 125e6)
    gp3 = Cap.of(3000, 125_000_000)
    assert kept.departures(gp3) == []
    kept.confirm(gp3)
    assert kept.departures(Cap()) == []
    by_bytes = Cap(write_bytes_per_s=8_192_000)  # a thousand blocks
    assert kept.departures(by_bytes) == [
        "3,000 writes of 8 KiB a second instead of 1,000",
        "119 writes of 1 MiB a second instead of 8",
    ]
    assert Certificate(32, 1, 2, 2390, 125e6, 1, 2, 3610, 125e6).departures(gp3) == [
        "2,390 reads of 8 KiB a second instead of 3,000",
        "3,610 writes of 8 KiB a second instead of 3,000",
    ]
