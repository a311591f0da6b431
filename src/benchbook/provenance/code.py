"""Which code measured: the commit, whether it was changed, and hashes of lock file, ledger and measuring modules."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import benchbook
from benchbook import files, project
from benchbook.provenance import git
from benchbook.provenance.measured import measurement_sha256

_PUBLISHED = Path("data") / "published"


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

    Published runs and their list do not count: a run that was just published decides nothing that is measured next.
    but: a file below the root whose own changes do not count, since it holds what is being measured.
    """
    left_out = [f":(exclude){name.as_posix()}" for name in (_PUBLISHED, *([but] if but else []))]
    changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", *left_out)
    added = _git(root, "ls-files", "--others", "--exclude-standard", "src")
    return None if changed is None else bool(changed or added)


def _git(root: Path, *arguments: str) -> str | None:
    answer = git.ask(root, *arguments)
    return None if answer is None else answer.decode("utf-8", "surrogateescape").strip()
