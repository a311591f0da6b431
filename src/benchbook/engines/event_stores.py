"""The probe of the event stores: where it lies, and which engines it holds. `make probe-stores` makes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.engines import packages, probe

PROGRAM = "event-stores"


def find() -> Path:
    """The program; raises NoEngineError when it is not built."""
    return probe.find(
        PROGRAM, "probes", "run `make probe-stores`; it needs Go, a C compiler, and the packages of SQLite and LMDB"
    )


def versions() -> dict[str, str]:
    """Engine to its version in the program; raises MachineError when it is missing or does not start."""
    return dict(each.rsplit(" ", 1) for each in probe.version(find()).split(", "))


def identity() -> dict[str, Any]:
    """Which engines would be measured, as a run's record has it; the hash is that of the program."""
    return {
        "engine": "event stores",
        "engine_version": ", ".join(f"{name} {version}" for name, version in versions().items()),
        "engine_sha256": files.sha256(find()),
        "packages": packages.of(find()),
    }
