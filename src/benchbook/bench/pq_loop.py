"""The C loop on libpq: compiled where a compiler and libpq's header are, and asked for the time of one request."""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from benchbook import children, mishaps, project
from benchbook.engines import postgres
from benchbook.errors import BenchbookError, MachineError, NoEngineError

_COMPILERS = ("cc", "gcc", "clang")
_FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror")
_TIMEOUT_S = 600
MEND = "install a C compiler and libpq's header (Debian: apt-get install gcc libpq-dev), then the same command"


def built() -> Path:
    """The program, compiled anew into ``.tools/pqloop``; raises NoEngineError where that is not possible."""
    compiler = next((path for path in map(shutil.which, _COMPILERS) if path), None)
    if compiler is None:
        raise NoEngineError("there is no C compiler for the loop on libpq", MEND)
    root = project.root()
    source, program = root / "probes" / "pqloop" / "pqloop.c", root / ".tools" / "pqloop" / "pqloop"
    program.parent.mkdir(parents=True, exist_ok=True)
    said = "no libpq-fe.h was found"
    for header, library in _places():
        linked = [f"-L{library}", f"-Wl,-rpath,{library}", "-lpq"]
        new = program.with_suffix(".new")
        command = [compiler, *_FLAGS, f"-I{header}", str(source), "-o", str(new), *linked]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
        if done.returncode == 0 and _version(new):
            new.replace(program)
            return program
        said = next((line.strip() for line in done.stderr.splitlines() if "error" in line), "it does not start")
    raise NoEngineError(f"the loop on libpq cannot be compiled ({said})", MEND)


def version(program: Path) -> str:
    """Which libpq it uses, such as "18.6"."""
    return _version(program).removeprefix("libpq ").strip()


def seconds(program: Path, connection: str, *, requests: int, keys: int, seed: int) -> float:
    """Seconds that one request took. connection: libpq's words for it. keys: accounts that pgbench made.

    Raises MachineError when the server gives a wrong answer or none.
    """
    command = [str(program), connection, str(requests), str(keys), str(seed)]
    try:
        done = children.run(command, timeout_s=_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise MachineError(f"the loop on libpq did not end within {_TIMEOUT_S} s", "use fewer requests") from None
    if done.returncode < 0:
        raise mishaps.killed("the loop on libpq", -done.returncode)
    if done.returncode != 0:
        raise MachineError(f"the loop on libpq failed: {done.stderr.strip()}", "look at the server's message")
    try:
        answer = json.loads(done.stdout)
        return float(answer["seconds"]) / int(answer["requests"])
    except (ValueError, KeyError, TypeError) as error:
        raise BenchbookError(
            f"the loop on libpq wrote {done.stdout!r} ({error})", "compile it again: remove .tools/pqloop"
        ) from None


def _places() -> Iterator[tuple[str, str]]:
    """Folders of libpq's header and of the library itself: of the PostgreSQL that is measured, then of the system."""
    installation = postgres.find().folder.parent
    if (installation / "include" / "libpq-fe.h").is_file():
        yield str(installation / "include"), str(installation / "lib")
    system = Path("/usr/include/postgresql")
    if (system / "libpq-fe.h").is_file():
        yield str(system), f"/usr/lib/{sysconfig.get_config_var('MULTIARCH') or ''}"


def _version(program: Path) -> str:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""
