"""What of a machine's block devices a volume could leave changed: loop devices, their read-ahead, mounts, rules."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchbook.engines.storage import devices

BLKIO = Path("/sys/fs/cgroup/blkio")
ODD_KIB = 256
LOOP = "7:"
"""Major number of loop devices; what else is mounted belongs to other tests, which run beside."""


def state() -> tuple[list[str], list[str], list[str]]:
    rules = [f"{file.name} {line}" for file in BLKIO.glob("blkio.throttle.*_device") for line in lines(file)]
    return (
        sorted(f"{device.path} {file}" for device, file in devices.attached()) + read_aheads(),
        sorted(" ".join(each) for line in lines(devices.MOUNTS) if (each := line.split()[2:5])[0].startswith(LOOP)),
        sorted(rules),
    )


def read_aheads() -> list[str]:
    """Every loop device that there is, in use or not, with the kernel's read-ahead for it."""
    every = sorted(devices.SYSTEM.glob("loop*"))
    return [f"{folder.name} {(folder / 'queue/read_ahead_kb').read_text().strip()}" for folder in every]


@contextmanager
def odd_read_aheads() -> Iterator[None]:
    """Let the free loop devices have a read-ahead that the kernel itself would not choose."""
    free = [each for each in devices.SYSTEM.glob("loop*") if not (each / "loop/backing_file").exists()]
    were = {each / "queue/read_ahead_kb": (each / "queue/read_ahead_kb").read_text() for each in free}
    try:
        for file in were:
            file.write_text(str(ODD_KIB))
        yield
    finally:
        for file, content in were.items():
            file.write_text(content)


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines()
