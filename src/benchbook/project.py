"""Where things lie: the project's root folder and the folders below it, computed in one place."""

from __future__ import annotations

import os
from pathlib import Path

from benchbook.errors import BenchbookError


def root() -> Path:
    """The folder that holds ``_config.yml`` and ``data``.

    ``BENCHBOOK_HOME`` names it; else the first such folder from the working directory upwards; else the one that
    the package was installed from. Raises BenchbookError when there is none.
    """
    named = os.environ.get("BENCHBOOK_HOME")
    if named:
        if not _is_root(Path(named)):
            raise BenchbookError(f"BENCHBOOK_HOME={named} holds no Benchbook", "set it to a clone of the project")
        return Path(named).resolve()
    here = Path.cwd().resolve()
    for folder in (here, *here.parents, *Path(__file__).resolve().parents):
        if _is_root(folder):
            return folder
    raise BenchbookError("no Benchbook folder found", "run this inside a clone, or set BENCHBOOK_HOME to one")


def _is_root(folder: Path) -> bool:
    return (folder / "_config.yml").is_file() and (folder / "data").is_dir() and (folder / "notebooks").is_dir()


def runs() -> Path:
    """Runs measured here; not in git."""
    return root() / "runs"


def published() -> Path:
    """Runs that the book cites; never overwritten."""
    return root() / "data" / "published"


def notebooks() -> Path:
    """The chapters' sources."""
    return root() / "notebooks"


def ledger() -> Path:
    """The pre-registered claims."""
    return root() / "data" / "claims.csv"
