"""The probe of the key-value engines: where it lies, and which engines it holds. `make probe-kv` makes it."""

from __future__ import annotations

from pathlib import Path

from benchbook.engines import probe

PROGRAM = "kv"


def find() -> Path:
    """The program; ``BENCHBOOK_PROBES`` names the folder, else ``.tools/kv`` of the project.

    Raises NoEngineError when it is not built.
    """
    return probe.find(
        PROGRAM, "kv", "run `make probe-kv`; it needs a C++ compiler and the engines' packages, which it names"
    )


def versions() -> dict[str, str]:
    """Engine to the version that its library says; raises MachineError when the probe is missing or does not start."""
    pairs = (each.rsplit(" ", 1) for each in probe.version(find()).split(", "))
    return dict(pairs)
