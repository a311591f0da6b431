"""Debian's packages that a measured program and the engines in its libraries are from, with their versions."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from benchbook import children

ENGINES = ("liblmdb", "librocksdb", "libsqlite3", "pgbouncer", "postgresql", "redis", "valkey")
"""Beginnings of the names of packages that hold an engine or a pooler."""
UNPACKED = "benchbook-packages.txt"
"""Beside what was unpacked from packages and not installed: a name and a version in each line."""
_TIMEOUT_S = 30
_LOADED = re.compile(r"(/\S+) \(0x")
_OWNED = re.compile(r"^([^:\s]+)(?::\w+)?: (/.+)$", re.MULTILINE)


@cache
def of(program: Path) -> dict[str, str]:
    """Name to version, such as "postgresql-16": "16.4-1"; empty where program and engines came in another way."""
    for folder in program.parents:
        if (folder / UNPACKED).is_file():
            return _named((folder / UNPACKED).read_text("utf-8"))
    if not (shutil.which("dpkg-query") and shutil.which("ldd")):
        return {}
    loaded = _LOADED.findall(_said("ldd", program.resolve()))
    owners = {name for name, _ in _OWNED.findall(_said("dpkg-query", "-S", *_places([program.resolve(), *loaded])))}
    if not owners:
        return {}
    return _named(_said("dpkg-query", "-W", "-f", "${Package} ${Version}\\n", *sorted(owners)))


def _places(paths: Iterable[Path | str]) -> list[str]:
    """Each file as it is and as its package may have it, since /lib has become a link into /usr."""
    names = [str(path) for path in paths]
    return list(dict.fromkeys([*names, *(name.removeprefix("/usr") for name in names), *(f"/usr{n}" for n in names)]))


def _named(lines: str) -> dict[str, str]:
    pairs = (line.split(" ", 1) for line in lines.splitlines() if " " in line)
    return {name: version for name, version in sorted(pairs) if name.startswith(ENGINES)}


def _said(*command: str | Path) -> str:
    """What a program wrote; dpkg-query fails where one of several files is nobody's, and names the others."""
    try:
        return children.run(command, timeout_s=_TIMEOUT_S).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
