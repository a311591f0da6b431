"""Small libraries in C, preloaded into a server: compiled on first use into ``.tools``, from sources in ``probes``."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchbook import files, project
from benchbook.engines.postgres import Cluster
from benchbook.errors import MachineError, NoEngineError

_COMPILERS = ("cc", "gcc", "clang")
_FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared")
_TIMEOUT_S = 120
MEND = "install a C compiler on Linux (Debian: apt-get install gcc libc6-dev), then the same command"


def compiled(name: str) -> Path:
    """The library of ``probes/{name}/{name}.c`` as it is now; raises NoEngineError where it cannot be compiled."""
    source_name = Path("probes") / name / f"{name}.c"
    root = next((each for each in project.homes() if (each / source_name).is_file()), None)
    if root is None:
        raise NoEngineError(f"the source {source_name} is missing", f"git checkout -- {source_name}")
    source = root / source_name
    library = root / ".tools" / name / f"{name}-{files.sha256(source)[:12]}.so"
    if library.is_file():
        return library
    compiler = next((path for path in map(shutil.which, _COMPILERS) if path), None)
    if compiler is None:
        raise NoEngineError(f"there is no C compiler for {source_name}", MEND)
    library.parent.mkdir(parents=True, exist_ok=True)
    descriptor, new = tempfile.mkstemp(dir=library.parent)  # its own, since two may compile it at once
    os.close(descriptor)
    try:
        command = [compiler, *_FLAGS, str(source), "-o", new, "-ldl"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
        if done.returncode:
            said = next((line.strip() for line in done.stderr.splitlines() if "error" in line), "the compiler failed")
            raise NoEngineError(f"{source_name} cannot be compiled ({said})", MEND)
        Path(new).chmod(0o755)
        Path(new).replace(library)
    finally:
        Path(new).unlink(missing_ok=True)
    return library


def put_into(cluster: Cluster, name: str) -> Path:
    """A copy of the library in the cluster's folder, where the server's account can read it."""
    copy = cluster.folder / f"{name}.so"
    copy.unlink(missing_ok=True)  # a server may still run with an earlier one
    shutil.copyfile(compiled(name), copy)
    copy.chmod(0o755)
    return copy


def check_loaded(cluster: Cluster, name: str) -> None:
    """Raise MachineError unless the cluster's server runs with its copy of the library."""
    try:
        loaded = Path("/proc", str(cluster.pid), "maps").read_text()
    except OSError as error:
        raise MachineError("no server runs whose reads could take longer", "ask before it is stopped") from error
    if str(cluster.folder / f"{name}.so") not in loaded:
        raise MachineError(
            f"the server runs without the library {name}.so, by which its reads take longer",
            "start it with the environment that preloads it",
        )
