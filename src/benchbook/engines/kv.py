"""The probe of the key-value engines: where it lies, and which engines it holds. `make probe-kv` makes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.engines import packages, probe

PROGRAM = "kv"
NOTES_PROGRAM = "kv-rocksdb-10"
"""The same with RocksDB 10.4.2, the release of note 004, which `make rocksdb-10` builds."""
REDB_PROGRAM = "kv-redb"
"""The same as the first, with redb in it, which `make redb` builds."""
NOTES_SOURCE = "crates.io, librocksdb-sys 0.17.3+10.4.2"


def find() -> Path:
    """The program; raises NoEngineError when it is not built."""
    return probe.find(
        PROGRAM, "kv", "run `make probe-kv`; it needs a C++ compiler and the engines' packages, which it names"
    )


def versions(program: Path | None = None) -> dict[str, str]:
    """Engine to the version that its library says; raises MachineError when the probe is missing or does not start.

    program: another probe than that of the book's releases.
    """
    pairs = (each.rsplit(" ", 1) for each in probe.version(program or find()).split(", "))
    return dict(pairs)


def identity(engine: str, *libraries: str) -> dict[str, Any]:
    """Which engine would be measured, as a run's record has it; the hash is that of the probe.

    engine: what the chapter calls it. libraries: those whose versions count, all of them when none is named.
    """
    found = versions()
    named = libraries or tuple(found)
    several = ", ".join(f"{name} {found[name]}" for name in named)
    return {
        "engine": engine,
        "engine_version": several if len(named) > 1 else found[named[0]],
        "engine_sha256": files.sha256(find()),
        "packages": packages.of(find()),
    }


def find_notes_release() -> Path:
    """The program with the notes' release of RocksDB; raises NoEngineError when it is not built."""
    return probe.find(NOTES_PROGRAM, NOTES_PROGRAM, "run `make rocksdb-10`; it needs Cargo and some twenty minutes")


def find_redb() -> Path:
    """The program that has redb; raises NoEngineError when it is not built."""
    return probe.find(REDB_PROGRAM, REDB_PROGRAM, "run `make redb`; it needs Cargo")


def notes_release() -> dict[str, str]:
    """Which release that is, as a run's record has it beside the identity of the book's own."""
    program = find_notes_release()
    return {
        "notes_version": versions(program)["RocksDB"],
        "notes_sha256": files.sha256(program),
        "notes_source": NOTES_SOURCE,
    }
