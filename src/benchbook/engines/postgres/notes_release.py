"""The release of PostgreSQL that notes 002 and 003 ran, where `make postgres-16` has fetched it."""

from __future__ import annotations

import os
from pathlib import Path

from benchbook import project
from benchbook.engines.postgres.binaries import Binaries, program_version
from benchbook.errors import NoEngineError

SOURCE = "Maven Central, embedded-postgres-binaries"
_BUILT_IN = Path(".tools") / "postgres-16" / "bin"


def find_notes_release() -> Binaries:
    """Its programs; raises NoEngineError where they are not fetched, MachineError where they do not run."""
    for root in project.homes():
        folder = root / _BUILT_IN
        if all(os.access(folder / program, os.X_OK) for program in ("postgres", "initdb")):
            return Binaries(folder, program_version(folder / "postgres"), embedded=False)
    raise NoEngineError("PostgreSQL 16.11, the notes' release, is not here", "run `make postgres-16`")
