"""The machine as far as it matters for a latency: processor, memory, disk, kernel, timer, system calls."""

import fcntl
import os
import platform
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchbook import files, limits, plain
from benchbook.provenance.identity import machine_id

KDAMONDS = Path("/sys/kernel/mm/damon/admin/kdamonds")
_CALLS = 2_222
"""Of a round."""


def host(scratch: Path) -> dict[str, Any]:
    """The machine, its memory, the scratch disk's file system, Python, and what the timer and a system call cost."""
    return machine() | {
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "filesystem": files.filesystem(scratch),
        "direct_reads": files.direct_reads(scratch),
        "python": platform.python_version(),
        "timer_cost_ns": timer_cost_ns(),
        "system_call_ns": system_call_ns(),
        "idle_page_cache_dropped_after_s": dropped_after_s(),
        **_allowed(),
    }


def _allowed() -> dict[str, Any]:
    """What of the machine this process may use, and who bounds it: memory and scheduler only where there is one."""
    memory, scheduler = limits.memory_bytes(), limits.scheduler()
    found: dict[str, Any] = {"cores_allowed": limits.cores(), "container": limits.container()}
    if memory is not None:
        found["memory_allowed_gib"] = round(memory / 2**30, 1)
    return found | ({"scheduler": scheduler} if scheduler else {})


def machine() -> dict[str, Any]:
    """What tells one machine from another: its id, processor, cores and kernel.

    machine_id: as ``identity.machine_id`` gives it. processor_model: family, model, stepping and cache, since virtual
    machines call many processors alike; "" where the system does not say.
    """
    return {
        "machine_id": machine_id(),
        "processor": plain.plain(_told("model name") or platform.processor() or platform.machine()),
        "processor_model": "-".join(filter(None, map(_told, ("cpu family", "model", "stepping", "cache size")))),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
    }


def timer_cost_ns() -> float:
    """Median cost of one ``perf_counter_ns`` call, in ns."""
    return _cost_ns(time.perf_counter_ns)


def system_call_ns() -> float:
    """Median cost of one ``fcntl(F_GETFD)``, which does next to nothing in the kernel, in ns, Python's part included.

    Engines that lock files ask the kernel several times a look-up; what that costs depends on the host.
    """
    with Path(os.devnull).open("rb") as file:
        return _cost_ns(partial(fcntl.fcntl, file.fileno(), fcntl.F_GETFD))


def _cost_ns(call: Callable[[], object]) -> float:
    """Median over nine rounds of the mean cost of a call."""
    clock = time.perf_counter_ns
    rounds = []
    for _ in range(9):
        start = clock()
        for _ in range(_CALLS):
            call()
        rounds.append((clock() - start) / _CALLS)
    return round(float(np.median(rounds)), 1)


def _told(name: str) -> str:
    """What Linux says of the first processor, in its words; "" where it does not."""
    rows = (line.partition(":") for line in limits.told(Path("/proc/cpuinfo")).splitlines())
    return next((value.strip() for key, _, value in rows if key.strip() == name), "")


def dropped_after_s(admin: Path = KDAMONDS) -> float | None:
    """Seconds without access after which this kernel drops pages of the page cache; None where it keeps them.

    Some virtual machines drop them with DAMON, however much memory is free, to give it back to their host. A store that
    waits for a minute is then not warm any more. Of several schemes, the least.
    """
    return min(_ages(admin), default=None)


def _ages(admin: Path) -> Iterator[float]:
    for daemon in admin.glob("[0-9]*"):
        if limits.told(daemon / "state") != "on":
            continue
        for context in daemon.glob("contexts/[0-9]*"):
            step_us = _number(context / "monitoring_attrs/intervals/aggr_us")
            for scheme in context.glob("schemes/[0-9]*"):
                age = _number(scheme / "access_pattern/age/min")
                if limits.told(scheme / "action") == "pageout" and step_us is not None and age is not None:
                    yield age * step_us / 1e6


def _number(path: Path) -> int | None:
    text = limits.told(path)
    return int(text) if text.isdecimal() else None
