"""The builds of the Badger probe: where they lie, and which Badger each holds. `make probes` makes them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from benchbook.engines import probe


class Build(StrEnum):
    """NOTE: the version of the note. CURRENT: the newest of the same major version.

    LENGTH: the note's version, changed so that a block is charged to the cache with its own length.
    """

    NOTE = "badger-note"
    CURRENT = "badger-current"
    LENGTH = "badger-length"


def find(build: Build) -> Path:
    """The program; ``BENCHBOOK_PROBES`` names the folder, else ``.tools/probes`` of the project.

    Raises NoEngineError when it is not built.
    """
    return probe.find(
        build, "probes", "run `make probes`; it needs Go, which `make setup` installs, and once a network"
    )


def versions() -> dict[str, str]:
    """The version of Badger in each build, as the build itself recorded it; raises MachineError when one is missing."""
    return {str(build): probe.version(find(build)).removeprefix("v") for build in Build}
