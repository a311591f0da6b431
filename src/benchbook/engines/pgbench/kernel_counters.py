"""What the kernel says of memory, disk and processor while pgbench runs: the part of a look that asks no server."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from benchbook.engines.bounds import MemoryBound

SECTOR_BYTES = 512
_BUSY = ("user", "nice", "system", "irq", "softirq")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def device(folder: Path) -> tuple[int, int]:
    """Major and minor number of the device on which a folder lies."""
    number = folder.stat().st_dev
    return os.major(number), os.minor(number)


def memory(path: Path = Path("/proc/meminfo")) -> dict[str, float]:
    """Bytes of the whole machine that wait to be written, and that are being written; empty where nobody says."""
    try:
        lines = dict(line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)
        return {
            "dirty_bytes": float(lines["Dirty"].split()[0]) * 1024,
            "writeback_bytes": float(lines["Writeback"].split()[0]) * 1024,
        }
    except (OSError, KeyError, ValueError, IndexError):
        return {}


def bounded(bound: MemoryBound | None) -> dict[str, float | None]:
    """Bytes in a bound: waiting to be written or being so, cached, and still free; empty without one."""
    read = None if bound is None else bound.reading()
    if read is None:
        return {}
    return {
        "bound_dirty_bytes": float(read.dirty_bytes + read.writeback_bytes),
        "bound_cache_bytes": float(read.cache_bytes),
        "bound_available_bytes": float(read.available_bytes),
    }


def disk(number: tuple[int, int], path: Path = Path("/proc/diskstats")) -> dict[str, float]:
    """What a device has read and written since ever, and how long it was busy; empty where nobody says."""
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return {}
    for fields in lines:
        if (int(fields[0]), int(fields[1])) == number:
            return {
                "disk_reads": float(fields[3]),
                "disk_read_bytes": float(fields[5]) * SECTOR_BYTES,
                "disk_writes": float(fields[7]),
                "disk_written_bytes": float(fields[9]) * SECTOR_BYTES,
                "disk_busy_ms": float(fields[12]),
            }
    return {}


def processor(server: int | None) -> dict[str, float | None]:
    """Seconds of processor time: of a server's living processes, of our pgbench, and of the whole machine.

    server: its process number; None where none runs.
    """
    machine = psutil.cpu_times()
    found: dict[str, float | None] = {"machine_cpu_s": sum(float(getattr(machine, name, 0.0)) for name in _BUSY)}
    if server is None:
        return found
    try:
        own = os.getpid()
        found["server_cpu_s"] = sum(_spent(pid) for pid in (server, *_children(server))) + _spent(server, ended=True)
        clients = [pid for pid in _children(own) if _said(Path(f"/proc/{pid}/comm")) == "pgbench\n"]
        found["client_cpu_s"] = sum(map(_spent, clients)) + _spent(own, ended=True)
    except (OSError, ValueError, IndexError):
        pass
    return found


def _children(pid: int) -> list[int]:
    """Numbers of a process's living children, whichever of its threads started them."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for each in lists for child in _said(each).split()]


def _spent(pid: int, *, ended: bool = False) -> float:
    """Seconds of processor time of a process, or of its ended children: the kernel adds theirs to their parent."""
    fields = _said(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    if not fields:
        return 0.0
    user, system = (fields[13], fields[14]) if ended else (fields[11], fields[12])
    return (int(user) + int(system)) / _TICKS_PER_S


def _said(path: Path) -> str:
    """What the kernel says of a process or thread; "" when it has ended since it was listed."""
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
