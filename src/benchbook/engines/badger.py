"""The builds of the Badger probe: where they lie, and which Badger each holds. `make probes` makes them."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from benchbook import project
from benchbook.errors import BenchbookError, MachineError, NoEngineError

FOLDER = "BENCHBOOK_PROBES"


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
    for folder in _folders():
        path = folder / build
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise NoEngineError(
        f"the measuring program {build} is not built",
        "run `make probes`; it needs Go, which `make setup` installs, and once a network",
    )


def versions() -> dict[str, str]:
    """The version of Badger in each build, as the build itself recorded it; raises MachineError when one is missing."""
    return {str(build): _version(find(build)) for build in Build}


def _folders() -> list[Path]:
    named = os.environ.get(FOLDER)
    if named:
        return [Path(named)]
    folders = [Path(__file__).resolve().parents[3]]
    with suppress(BenchbookError):
        folders.insert(0, project.root())
    return [folder / ".tools" / "probes" for folder in dict.fromkeys(folders)]


def _version(program: Path) -> str:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(f"{program.name} does not start ({error})", "build it again with `make probes`") from error
    if done.returncode != 0 or not done.stdout.strip():
        raise MachineError(f"{program.name} does not say its version", "build it again with `make probes`")
    return done.stdout.strip().removeprefix("v")
