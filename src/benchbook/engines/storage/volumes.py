"""A file system of its own on a loop device, which can be made slow for a while; gone at the end, whatever happens."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchbook import files, mishaps
from benchbook.engines import guardian
from benchbook.engines.storage import devices, folders, leftovers, refusals, throttle
from benchbook.engines.storage.caps import Cap
from benchbook.engines.storage.devices import Device
from benchbook.errors import BenchbookError, MachineError

SMALLEST_MIB = 32


@dataclass(frozen=True)
class Volume:
    """What is put into ``folder`` lies on the device, and only there. number: the device's, such as "7:0"."""

    folder: Path
    device: Path
    number: str
    size_mib: int

    @contextmanager
    def capped(self, cap: Cap) -> Iterator[None]:
        """Hold reads and writes of this device to ``cap`` until the end; load and restore outside of it.

        Raises MachineError where the kernel refuses or while it is capped already, BenchbookError for a wrong cap.
        """
        cap.check()
        if not cap:
            yield
            return
        own, found = self.folder.parent, throttle.find()
        if found.rule(self.number):
            raise MachineError(f"{self.device} is capped already", "end that cap first")
        leftovers.note_rule(own, self.number, cap)
        try:
            found.put(self.number, cap)
            if found.rule(self.number) != cap:
                raise MachineError(
                    f"the kernel made {found.rule(self.number)} of a cap of {cap}", "give what it can keep"
                )
            yield
        finally:
            found.put(self.number, Cap())
            leftovers.forget_rule(own)


@contextmanager
def volume(size_mib: int, *, allowed: bool, read_ahead_kib: int | None = None) -> Iterator[Volume]:
    """An empty volume, not capped; unmounted, detached and removed at the end, however that comes.

    allowed: whether a parameter of the run permits it. Its file lies on a scratch disk with room.
    read_ahead_kib: the kernel's for this device, by default what it takes for a loop device, which may be some MiB.
    Raises MachineError with the reason where there can be none (``refusal`` says it before), and when it is full.
    """
    if size_mib < SMALLEST_MIB:
        raise BenchbookError(f"a volume of {size_mib} MiB is below {SMALLEST_MIB}", "ask for more")
    why = refusals.refusal(allowed=allowed)
    if why is not None:
        raise MachineError(f"storage cannot be made slow here: {why.problem}", why.mend)
    leftovers.remove()
    place = files.scratch(size_mib * 2**20)
    with (
        mishaps.disk_told(), devices.reserved() as device, folders.made(place) as folder,
        guardian.guarded(folder, leftovers.take_down, leftovers.after_a_kill),
    ):  # fmt: skip
        made = _mounted(folder, device, size_mib, read_ahead_kib)
        with _fullness_told(made):
            yield made


def trial() -> MachineError | None:
    """Make and cap a small volume, since a container's kernel may refuse it; why that failed, or None."""
    try:
        with volume(SMALLEST_MIB, allowed=True) as made, made.capped(Cap.of(1000, 100_000_000)):
            return None
    except MachineError as why:
        return why


def _mounted(folder: Path, device: Device, size_mib: int, read_ahead_kib: int | None) -> Volume:
    file, place = folder / folders.IMAGE, folder / folders.MOUNT
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, size_mib * 2**20)  # so that it cannot run out of room while it is measured
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    devices.attach(device, file)
    rule = throttle.find().rule(device.number)
    if rule:
        raise MachineError(
            f"{device.path} has a cap that is not ours ({rule})", "have whoever set it remove it, then the same command"
        )
    if read_ahead_kib is not None:
        devices.set_read_ahead(device, read_ahead_kib)
    devices.make_file_system(device, place)
    (place / "lost+found").rmdir()  # a data directory must be empty
    place.chmod(0o755)
    return Volume(place, device.path, device.number, size_mib)


@contextmanager
def _fullness_told(made: Volume) -> Iterator[None]:
    """Turn the words for a full disk into those for a full volume, whose mend is another."""
    try:
        yield
    except OSError as error:
        name = "" if error.filename is None else os.fsdecode(error.filename)
        if error.errno not in mishaps.FULL or not Path(name).is_relative_to(made.folder):
            raise
        raise _full(made, os.strerror(error.errno)) from error
    except MachineError as error:
        if str(made.folder) not in error.problem or "is full" not in error.problem:
            raise
        raise _full(made, error.problem.partition("is full: ")[2]) from error


def _full(made: Volume, said: str) -> MachineError:
    return MachineError(
        f"the volume of {made.size_mib} MiB is full: {said}", f"give it more room; then {mishaps.AGAIN}"
    )
