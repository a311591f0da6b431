"""Which code measured: the commit, whether it was changed, and hashes of lock file, ledger and measuring modules."""

from __future__ import annotations

import ast
import hashlib
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import benchbook
from benchbook import files, project

MEASURING = ("benchbook.engines", "benchbook.experiments", "benchbook.files", "benchbook.runner", "benchbook.workloads")
"""Modules under these names decide what is measured and how."""


def code(measuring: Iterable[str], *, but: Path | None = None) -> dict[str, Any]:
    """The code's identity; commit and dirty are None outside a git clone.

    measuring: as in measurement_sha256. but: as in dirty.
    """
    root = project.root()
    lock = root / "requirements.lock"
    commit = _git(root, "rev-parse", "HEAD")
    return {
        "benchbook_version": benchbook.__version__,
        "commit": commit or None,
        "dirty": dirty(root, but=but),
        "lock_sha256": files.sha256(lock) if lock.is_file() else None,
        "ledger_sha256": files.sha256(project.ledger()),
        "measurement_sha256": measurement_sha256(measuring),
    }


def dirty(root: Path, *, but: Path | None = None) -> bool | None:
    """Whether a file that git knows is changed, or a module is there that it does not know; None outside a clone.

    but: a file below the root whose own changes do not count, since it holds what is being measured.
    """
    left_out = [f":(exclude){but.as_posix()}"] if but else []
    changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", *left_out)
    added = _git(root, "ls-files", "--others", "--exclude-standard", "src")
    return None if changed is None else bool(changed or added)


def measurement_sha256(measuring: Iterable[str]) -> str:
    """Hash over the modules named and all that they import, as far as these decide what is measured.

    measuring: full names, such as that of the module in which an experiment's session stands.
    """
    package = Path(benchbook.__file__).parent
    sources = {path.relative_to(package).as_posix(): path for path in _imported(measuring, package)}
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(name.encode() + b"\0" + sources[name].read_bytes() + b"\0")
    return digest.hexdigest()


def _imported(names: Iterable[str], package: Path) -> set[Path]:
    found: set[Path] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        path = _source(name, package)
        if path is None or path in found:
            continue
        found.add(path)
        for named in _named(path, path.stat().st_mtime_ns):
            base = named.rpartition(".")[0]
            waiting.append(named if _source(named, package) else base)
    return found


@cache
def _named(path: Path, _moment: int) -> frozenset[str]:
    """What a file imports of the measuring modules: names of modules, and of what stands inside one."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(name for name in found if name.startswith(MEASURING))


def _source(name: str, package: Path) -> Path | None:
    """The file of a module; None for a name that is something inside a module."""
    path = package.parent.joinpath(*name.split("."))
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file()), None)


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
