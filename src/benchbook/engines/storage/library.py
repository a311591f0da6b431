"""The library that delays a server's reads and flushes: compiled on first use into ``.tools/latency``."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchbook import files, project
from benchbook.errors import NoEngineError

_COMPILERS = ("cc", "gcc", "clang")
_FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared")
_TIMEOUT_S = 120
_SOURCE = Path("probes") / "latency" / "latency.c"
MEND = "install a C compiler on Linux (Debian: apt-get install gcc libc6-dev), then the same command"


def built() -> Path:
    """The library of the present source; raises NoEngineError where it cannot be compiled."""
    root = next((each for each in project.homes() if (each / _SOURCE).is_file()), None)
    if root is None:
        raise NoEngineError("the source of the delaying library is missing", f"git checkout -- {_SOURCE}")
    source = root / _SOURCE
    library = root / ".tools" / "latency" / f"latency-{files.sha256(source)[:12]}.so"
    if library.is_file():
        return library
    compiler = next((path for path in map(shutil.which, _COMPILERS) if path), None)
    if compiler is None:
        raise NoEngineError("there is no C compiler for the delaying library", MEND)
    library.parent.mkdir(parents=True, exist_ok=True)
    descriptor, new = tempfile.mkstemp(dir=library.parent)  # its own, since two may compile it at once
    os.close(descriptor)
    try:
        command = [compiler, *_FLAGS, str(source), "-o", new, "-ldl"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
        if done.returncode:
            said = next((line.strip() for line in done.stderr.splitlines() if "error" in line), "the compiler failed")
            raise NoEngineError(f"the delaying library cannot be compiled ({said})", MEND)
        Path(new).chmod(0o755)
        Path(new).replace(library)
    finally:
        Path(new).unlink(missing_ok=True)
    return library
