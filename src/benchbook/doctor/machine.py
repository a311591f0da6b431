"""The machine itself: PostgreSQL and its account, disk, slow storage, clock, memory, room for the profiles."""

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import psutil

from benchbook import accounts, files, lab, limits, mishaps
from benchbook.engines import noexec, postgres
from benchbook.engines.storage import latency, volumes
from benchbook.errors import BenchbookError
from benchbook.parameters.needs import Needs
from benchbook.parameters.profiles import profile
from benchbook.provenance import timer_cost_ns

SLOW_TIMER_NS = 200.0
LEAST_SHARED_MIB = 16
"""Free in /dev/shm: PostgreSQL takes one at its start, and more for parallel queries."""


class State(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"


@dataclass(frozen=True)
class Check:
    """One thing looked at. detail: what was found. mend: what to do unless it is ok. required: nothing runs without."""

    name: str
    state: State
    detail: str
    mend: str = ""
    required: bool = False


def servers() -> Iterator[Check]:
    try:
        found = postgres.find()
    except BenchbookError as error:
        yield Check("PostgreSQL", State.MISSING, error.problem, error.mend, required=True)
        return
    where = "the embedded one" if found.embedded else f"in {found.folder}"
    yield Check("PostgreSQL", State.OK, f"{found.version}, {where}", required=True)
    if os.access(found.folder / "pgbench", os.X_OK):
        yield Check("pgbench", State.OK, f"beside PostgreSQL {found.version}")
    else:
        mend = "install the package that holds PostgreSQL's client programs, or unset BENCHBOOK_PG_BIN"
        yield Check("pgbench", State.WARNING, f"not in {found.folder}", mend)


def account() -> Iterator[Check]:
    root, name = os.geteuid() == 0, ""
    try:
        if root:
            name = accounts.unprivileged().pw_name
        else:
            accounts.check_named()
    except BenchbookError as error:
        yield Check("account", State.MISSING, error.problem, error.mend, required=True)
        return
    if not root:
        yield Check("account", State.OK, "not root, so PostgreSQL runs under it", required=True)
    elif name == accounts.OWN:
        yield Check("account", State.OK, f"root; PostgreSQL runs as {name}, an account of its own", required=True)
    else:
        detail = f"root; PostgreSQL runs as {name}, under which other services may run too"
        yield Check("account", State.WARNING, detail, accounts.MAKE, required=True)


def scratch() -> Iterator[Check]:
    mend = "set BENCHBOOK_SCRATCH to a writable folder on a disk such as ext4 or xfs, not in memory"
    try:
        folder = files.scratch(0)
    except BenchbookError as error:
        yield Check("scratch disk", State.MISSING, error.problem, mend, required=True)
        return
    free = psutil.disk_usage(str(folder)).free / 2**30
    yield Check(
        "scratch disk", State.OK, f"{free:.0f} GiB free in {folder} ({files.filesystem(folder)})", required=True
    )
    if why := noexec.refusal(folder):
        yield Check("programs in scratch", State.WARNING, why.problem, why.mend)
    with files.direct_reader(folder, file_mib=32) as read:
        latencies = None if read is None else read(2000)
    if latencies is None:
        detail = "not possible there: the page cache is evicted instead, and cold reads are labelled by what it held"
        yield Check("direct I/O", State.WARNING, detail, mend)
        return
    p50, p99 = np.quantile(latencies, [0.5, 0.99]) / 1000
    yield Check("direct I/O", State.OK, f"reads can bypass the page cache{_servers_direct_io()}")
    yield Check("disk reads", State.OK, f"8 KiB at random: P50 {p50:.0f} µs, P99 {p99:.0f} µs")


def storage() -> Iterator[Check]:
    """Whether storage can be made slow; without it the arms that need it are left out."""
    yield _unless(volumes.trial(), "slow storage", "volumes can be made and capped")
    try:
        why = latency.refusal(postgres.find(), files.scratch())
    except BenchbookError:
        return  # said already
    yield _unless(why, "slow reads", "PostgreSQL's direct reads and flushes can be delayed")


def _unless(why: BenchbookError | None, title: str, good: str) -> Check:
    return Check(title, State.OK, good) if why is None else Check(title, State.WARNING, why.problem, why.mend)


def _servers_direct_io() -> str:
    """What an older PostgreSQL makes of it, since the disk alone does not say; "" where it is as good."""
    try:
        found = postgres.find()
    except BenchbookError:
        return ""
    return "" if found.has_direct_io else f", but PostgreSQL {found.version} cannot: it reads through the page cache"


def computer() -> Iterator[Check]:
    cost = timer_cost_ns()
    slow = "a virtual machine without a fast clock source? see /sys/devices/system/clocksource"
    yield Check("timer", State.OK if cost < SLOW_TIMER_NS else State.WARNING, f"{cost:.0f} ns a call", slow)
    cores, whole = limits.cores(), os.cpu_count() or 1
    less = f", by affinity or a control group; the machine has {whole}" if cores < whole else ""
    one = "client and server would share one core; use a machine with two or more"
    yield Check("cores", State.OK if cores > 1 else State.WARNING, f"{cores:g}{less}", one)
    memory, bound = psutil.virtual_memory(), limits.memory_bytes()
    total = memory.total if bound is None else min(bound, memory.total)
    free = f"{min(memory.available, total) / 2**30:.1f} of {total / 2**30:.1f} GiB available"
    around = "" if total == memory.total else f", by a control group; the machine has {memory.total / 2**30:.1f}"
    yield Check("memory", State.OK, free + around)
    yield _shared_memory()
    python, system = platform.python_version(), f"{platform.system()} {platform.release()}"
    yield Check("system", State.OK, f"{system}, Python {python}")


def _shared_memory() -> Check:
    """Room in /dev/shm, where PostgreSQL's processes share memory."""
    place = mishaps.SHARED
    mend = f"mount -o remount,rw,size=1g {place}; in a container, start it with --shm-size 1g"
    if not os.access(place, os.W_OK | os.X_OK):
        return Check("shared memory", State.WARNING, f"{place} is missing or cannot be written", mend)
    free = psutil.disk_usage(str(place)).free / 2**20
    state = State.OK if free >= LEAST_SHARED_MIB else State.WARNING
    return Check("shared memory", state, f"{free:,.0f} MiB free in {place}", mend)


def profiles() -> Iterator[Check]:
    """Whether disk and memory suffice: for the quick profiles they must, for the standard ones they should."""
    try:
        postgres.find()
    except BenchbookError:
        return  # said already, and no experiment gets further
    for name, state in (("quick", State.MISSING), ("standard", State.WARNING)):
        title, lacking = f"room for {name} runs", []
        for experiment in sorted({*lab.names()} - {*lab.analyses()}):
            module = lab.experiment(experiment)
            needs = module.needs(module.Parameters.given(profile(experiment, name)))
            if not _engine_found(needs):
                continue  # said already
            try:
                needs.check()
            except BenchbookError as error:
                lacking.append((experiment, error))
        if lacking:
            detail = "; ".join(f"{experiment}: {error.problem}" for experiment, error in lacking)
            yield Check(title, state, detail, lacking[0][1].mend, required=name == "quick")
        else:
            yield Check(title, State.OK, "disk and memory suffice", required=name == "quick")


def _engine_found(needs: Needs) -> bool:
    try:
        needs.engine()
    except BenchbookError:
        return False
    return True
