"""The builds of the Badger probe: where they lie, and which Badger each holds. `make probes` makes them."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from pathlib import Path
from typing import Any

from benchbook import files


class Build(StrEnum):
    """NOTE: the version of the note. CURRENT: the newest of the same major version.

    LENGTH: the note's version, changed so that a block is charged to the cache with its own length.
    """

    NOTE = "badger-note"
    CURRENT = "badger-current"
    LENGTH = "badger-length"


def find(build: Build) -> Path:
    """The program; raises NoEngineError when it is not built."""
    from benchbook.engines import probe  # late, as below: the builds are named where nothing is measured

    return probe.find(
        build, "probes", "run `make probes`; it needs Go, which `make setup` installs, and once a network"
    )


def versions(*builds: Build) -> dict[str, str]:
    """The version of Badger in each build, by default in all, as the build itself recorded it.

    Raises MachineError when one is missing.
    """
    from benchbook.engines import probe

    return {str(build): probe.version(find(build)).removeprefix("v") for build in builds or Build}


def identity(*builds: Build) -> dict[str, Any]:
    """Which Badger would be measured, as a run's record has it.

    builds: those that the trials use, of which the first gives the version. The hash is that of the programs' hashes in
    this order.
    """
    from benchbook.engines import probe

    programs = [find(build) for build in builds]
    hashes = "".join(map(files.sha256, programs))
    return {
        "engine": "Badger",
        "engine_version": probe.version(programs[0]).removeprefix("v"),
        "engine_sha256": hashlib.sha256(hashes.encode()).hexdigest(),
    }
