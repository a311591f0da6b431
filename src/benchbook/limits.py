"""What this process may use of the machine: processors and memory, by affinity and control groups, as containers set.

Sources: Linux, Documentation/admin-guide/cgroup-v2.rst (cpu.max, memory.max) and cgroup-v1 (cpu.cfs_quota_us,
memory.limit_in_bytes).
"""

import os
from collections.abc import Iterator
from pathlib import Path

GROUPS, OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
_SIGNS = (Path("/.dockerenv"), Path("/run/.containerenv"))
_UNBOUNDED = 2**60
"""Version 1 tells no limit as a number of bytes that no machine has."""
_SCHEDULERS = {"SLURM_JOB_ID": "Slurm", "PBS_JOBID": "PBS", "LSB_JOBID": "LSF", "KUBERNETES_SERVICE_HOST": "Kubernetes"}


def cores(groups: Path = GROUPS, own: Path = OWN) -> float:
    """Processors that may be used at a time: those of the affinity mask, or less where a group has a quota."""
    allowed = float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    return min([allowed, *_quotas(groups, own)])


def memory_bytes(groups: Path = GROUPS, own: Path = OWN) -> int | None:
    """The least limit of memory of the groups around this process; None where none bounds it."""
    found = [
        int(text)
        for folder in _around(groups, own, "memory")
        for name in ("memory.max", "memory.limit_in_bytes")
        if (text := told(folder / name)).isdigit() and int(text) < _UNBOUNDED
    ]
    return min(found, default=None)


def container() -> bool:
    """Whether this is a container of Docker or Podman, by the file that they leave in it, or one that says so."""
    return any(sign.exists() for sign in _SIGNS) or "container" in os.environ


def scheduler() -> str:
    """Which scheduler started this process, by a variable that it sets; "" without one."""
    return next((name for variable, name in _SCHEDULERS.items() if os.environ.get(variable)), "")


def _quotas(groups: Path, own: Path) -> Iterator[float]:
    for folder in _around(groups, own, "cpu"):
        quota, _, period = told(folder / "cpu.max").partition(" ")
        if not quota:
            quota, period = told(folder / "cpu.cfs_quota_us"), told(folder / "cpu.cfs_period_us")
        if quota.isdigit() and period.isdigit() and int(quota) and int(period):
            yield int(quota) / int(period)


def _around(groups: Path, own: Path, controller: str) -> Iterator[Path]:
    """The group of this process and those around it, in both versions; the outermost is the mount itself."""
    for line in told(own).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        mount = groups / controllers if controllers else groups
        if controllers and not mount.is_dir():
            mount = groups / controller
        place = mount / path.lstrip("/")
        while True:
            yield place
            if place == mount or mount not in place.parents:
                break
            place = place.parent


def told(path: Path) -> str:
    """What a file of the kernel says; "" where there is none, or only root may look."""
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
