"""The PgBouncer of this machine: what BENCHBOOK_PGBOUNCER names, else the unpacked package, else an installed one."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook import files, project
from benchbook.engines import packages
from benchbook.engines.printed import printed_version
from benchbook.errors import NoEngineError, shortened

NAMED = "BENCHBOOK_PGBOUNCER"
BUILD = "run `make pooler`, which unpacks Debian's package, or name a program: BENCHBOOK_PGBOUNCER=/path/to/pgbouncer"
PREPARED_SINCE = (1, 21)
"""From this release on it keeps track of prepared statements while server connections change hands."""
_VERSION = r"PgBouncer (\d+\.\d+\.\d+)"


@dataclass(frozen=True)
class Program:
    """path: of the executable. libraries: the folder of those that came with it, if any. version: such as 1.18.0."""

    path: Path
    libraries: Path | None
    version: str

    @property
    def prepares(self) -> bool:
        """Whether prepared statements work where a transaction gets any server connection."""
        return tuple(int(part) for part in self.version.split(".")[:2]) >= PREPARED_SINCE


def find() -> Program:
    """The program. Raises NoEngineError where there is none, MachineError where it does not start."""
    named = os.environ.get(NAMED)
    tools = [str(home / ".tools/pooler/usr/sbin/pgbouncer") for home in project.homes()]
    for place in [named] if named else [*tools, "pgbouncer", "/usr/sbin/pgbouncer"]:
        if found := shutil.which(place):
            return _asked(Path(found))
    raise NoEngineError(f"{NAMED}={shortened(named)} is no program" if named else "there is no PgBouncer", BUILD)


def identity() -> dict[str, Any]:
    found = find()
    own = {"pooler_sha256": files.sha256(found.path), "pooler_packages": packages.of(found.path)}
    return {"pooler": f"PgBouncer {found.version}", **own}


def environment(libraries: Path | None) -> dict[str, str]:
    """Variables with which it finds the libraries that came with it."""
    return {"LC_ALL": "C"} | ({} if libraries is None else {"LD_LIBRARY_PATH": str(libraries)})


def _asked(path: Path) -> Program:
    own = sorted(path.parent.parent.glob("lib/*-linux-gnu/libcares.so*")) if path.parent.name == "sbin" else []
    libraries = own[0].parent if own and not path.is_relative_to("/usr") else None
    return Program(path, libraries, printed_version(path, _VERSION, BUILD, environment(libraries))[1])
