"""What of a machine's block devices a volume could leave changed: loop devices, mounts, rules of the throttle."""

from __future__ import annotations

from pathlib import Path

from benchbook.engines.storage import devices

BLKIO = Path("/sys/fs/cgroup/blkio")
LOOP = "7:"
"""Major number of loop devices; what else is mounted belongs to other tests, which run beside."""


def state() -> tuple[list[str], list[str], list[str]]:
    rules = [f"{file.name} {line}" for file in BLKIO.glob("blkio.throttle.*_device") for line in lines(file)]
    return (
        sorted(f"{device.path} {file}" for device, file in devices.attached()),
        sorted(" ".join(each) for line in lines(devices.MOUNTS) if (each := line.split()[2:5])[0].startswith(LOOP)),
        sorted(rules),
    )


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines()
