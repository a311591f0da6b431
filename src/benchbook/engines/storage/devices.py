"""Loop devices and mounts as the kernel lists them; reserved, attached, mounted, unmounted and detached."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from benchbook import children
from benchbook.engines import kernel_places, kernel_settings
from benchbook.engines.printed import last_line
from benchbook.errors import MachineError

SYSTEM = kernel_places.SYSTEM / "block"
MOUNTS = Path("/proc/self/mountinfo")
PROGRAMS = ("losetup", "mkfs.ext4", "mount")
PLACES = os.pathsep.join(("/usr/sbin", "/sbin", "/usr/bin", "/bin"))
"""Where these lie; an account's own search path may leave out the first two."""
_LOOP_CLR_FD = 0x4C01
_MNT_DETACH = 2
_DELETED = " (deleted)"


@dataclass(frozen=True)
class Device:
    """A loop device. path: such as /dev/loop0. number: its major and minor one, such as "7:0"."""

    path: Path
    number: str


def attached() -> Iterator[tuple[Device, Path]]:
    """Every loop device in use on this machine, and the file behind it, also where that was deleted."""
    for folder in sorted(SYSTEM.glob("loop*")):
        with suppress(OSError):
            yield Device(Path("/dev") / folder.name, (folder / "dev").read_text().strip()), _backing(folder)


def mounts(number: str) -> list[Path]:
    """Where the file system of a device is mounted, first mount first."""
    return [place for device, place in _mounted() if device == number]


def mounted_below(folder: Path) -> list[Path]:
    """Where anything is mounted in a folder."""
    resolved = folder.resolve()
    return [place for _, place in _mounted() if place.is_relative_to(resolved)]


@contextmanager
def reserved() -> Iterator[Device]:
    """A device that no file is behind; how it was is noted, and put back when the file that came is detached.

    Where all are in use another one is made, which goes at the end. Raises MachineError when none can be had.
    """
    with ExitStack() as stack:
        name = _noted(stack)
        try:
            number = (SYSTEM / name / "dev").read_text().strip()
        except OSError as error:
            raise MachineError(f"there is no loop device ({error.strerror})", "mount sysfs on /sys") from error
        yield Device(Path("/dev") / name, number)


def attach(device: Device, file: Path) -> None:
    """Put a file behind a free device, past the page cache; raises MachineError where that is not possible."""
    _run("losetup", "--direct-io=on", device.path, file)
    if (SYSTEM / device.path.name / "loop/dio").read_text().strip() != "1":
        raise MachineError(
            f"files in {file.parent.parent} cannot be read past the page cache by a loop device",
            "set BENCHBOOK_SCRATCH to a folder on a disk such as ext4 or xfs",
        )


def set_read_ahead(device: Device, kib: int) -> None:
    """How much the kernel reads at once for a reader that it takes for a sequential one, or that maps files.

    It holds until the device, which is a ``reserved`` one, is attached again.
    """
    try:
        kernel_settings.put(_read_ahead(device.path.name), kib)
    except OSError as error:
        raise MachineError(
            f"the read-ahead of {device.path} cannot be set ({error.strerror})", "mount sysfs on /sys writable"
        ) from error


def make_file_system(device: Device, place: Path) -> None:
    """Make an empty ext4 on a device, with nothing left to be done in the background, and mount it."""
    _run(
        "mkfs.ext4", "-q", "-F", "-m", "0", "-b", "4096", "-i", "32768",
        "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", device.path,
    )  # fmt: skip
    mount(device.path, place)


def mount(device: Path, place: Path) -> None:
    """Mount the ext4 of a device; raises MachineError where that fails."""
    _run("mount", "-t", "ext4", "-o", "noatime,nodev,nosuid", device, place)


def unmount(place: Path, *, patience_s: float) -> None:
    """Take a mount away; one that is still in use after patience_s goes with the last who uses it."""
    deadline = time.monotonic() + patience_s
    while (number := _umount(place, 0)) == errno.EBUSY and time.monotonic() < deadline:
        time.sleep(0.05)
    if number == errno.EBUSY:
        number = _umount(place, _MNT_DETACH)
    if number not in (0, errno.EINVAL, errno.ENOENT):  # the latter two: it is gone
        raise MachineError(f"{place} cannot be unmounted ({os.strerror(number)})", f"umount {place}")


def detach(device: Device, file: Path) -> None:
    """Free a device as long as this file is behind it, and no other; one in use is freed by its last user."""
    with suppress(FileNotFoundError):
        descriptor = os.open(device.path, os.O_RDONLY | os.O_CLOEXEC)
        try:  # while it is open here, nobody can put another file behind it
            with suppress(OSError):
                if _backing(SYSTEM / device.path.name) == file:
                    fcntl.ioctl(descriptor, _LOOP_CLR_FD)
        finally:
            os.close(descriptor)


def _noted(stack: ExitStack) -> str:
    """Name of a device whose settings are noted until the stack ends: a free one, else a new one."""
    names = [folder.name for folder in sorted(SYSTEM.glob("loop[0-9]*"))]
    for name in names:
        with suppress(kernel_settings.HeldError):  # another volume's, which is just being attached or detached
            if not (SYSTEM / name / "loop/backing_file").exists():
                stack.enter_context(kernel_settings.kept(_read_ahead(name), patience_s=0))
                return name
    number = max((int(name.removeprefix("loop")) for name in names), default=-1) + 1
    name = f"loop{number}"
    stack.enter_context(kernel_settings.kept(f"block/{name}"))
    try:
        kernel_settings.put(f"block/{name}", 1)
    except OSError as error:
        raise MachineError(f"no loop device is free ({error.strerror})", "detach one: losetup --list") from error
    return name


def _read_ahead(name: str) -> str:
    return f"block/{name}/{kernel_places.AHEAD}"


def _backing(folder: Path) -> Path:
    return Path((folder / "loop/backing_file").read_text().rstrip("\n").removesuffix(_DELETED))


def _mounted() -> Iterator[tuple[str, Path]]:
    try:
        lines = MOUNTS.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, _, number, _, place, *_ = line.split()
        yield number, Path(re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), place))


def _umount(place: Path, flags: int) -> int:
    """The error's number, 0 for none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return ctypes.get_errno() if libc.umount2(os.fsencode(place), flags) else 0


def _run(program: str, *arguments: str | Path) -> None:
    surroundings = os.environ | {"PATH": PLACES, "LC_ALL": "C"}
    done = children.run(["env", program, *map(str, arguments)], timeout_s=300, env=surroundings)
    if done.returncode:
        raise MachineError(
            f"{program} failed: {last_line(done.stderr)}",
            "run as root outside of a container, or leave the storage as it is",
        )
