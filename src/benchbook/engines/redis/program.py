"""Where a Redis server's program lies, and what it says of itself."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from benchbook import files, project
from benchbook.engines import packages
from benchbook.engines.printed import printed_version
from benchbook.errors import MachineError, NoEngineError, shortened

NAMES = ("redis-server", "valkey-server")
FOLDER = "BENCHBOOK_REDIS_BIN"
MEND = (
    "run `make redis` (as root it installs Debian's redis-tools, which starts no service), or set "
    f"{FOLDER} to the folder of any redis-server or valkey-server"
)


def find() -> Path:
    """The server's program: in the folder that ``BENCHBOOK_REDIS_BIN`` names, else of the project, else of the system.

    Raises NoEngineError where there is none, MachineError where the folder that is named has none.
    """
    named = os.environ.get(FOLDER)
    tools = [str(home / ".tools" / "redis") for home in project.homes()]
    for place in [named] if named else [*tools, *os.get_exec_path()]:
        for name in NAMES:
            if found := shutil.which(name, path=place):
                return Path(found)
    if named:
        raise MachineError(f"{FOLDER}={shortened(named)} holds neither of {', '.join(NAMES)}", "name another")
    raise NoEngineError("there is no Redis server", MEND)


def identity() -> dict[str, Any]:
    """Which server would be measured, as a run's record has it."""
    program = find()
    version = printed_version(program, r"v=(\S+)", MEND)
    kind = "Valkey" if "valkey" in version.string.lower() else "Redis"
    own = {"engine_sha256": files.sha256(program), "packages": packages.of(program)}
    return {"engine": kind, "engine_version": version[1], **own}
