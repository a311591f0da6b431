"""Which code measured: the commit, whether it was changed, and hashes of lock file, ledger and measuring modules."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path
from typing import Any

import benchbook
from benchbook import project


def code(experiment: str) -> dict[str, Any]:
    """The code's identity. commit and dirty are None outside a git clone."""
    root = project.root()
    commit = _git(root, "rev-parse", "HEAD")
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    return {
        "benchbook_version": benchbook.__version__,
        "commit": commit or None,
        "dirty": None if changes is None else bool(changes),
        "lock_sha256": _sha256(root / "requirements.lock"),
        "ledger_sha256": _sha256(project.ledger()),
        "measurement_sha256": measurement_sha256(experiment),
    }


def measurement_sha256(experiment: str) -> str:
    """Hash over the modules that decide what is measured: engines, workloads, runner and the experiment itself."""
    package = Path(benchbook.__file__).parent
    digest = hashlib.sha256()
    for part in ("engines", "workloads", "runner", f"experiments/{experiment}"):
        module = package / f"{part}.py"
        files = [module] if module.is_file() else sorted((package / part).rglob("*.py"))
        for path in files:
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _sha256(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
