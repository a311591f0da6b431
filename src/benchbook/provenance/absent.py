"""Commits that published runs name and that this repository's history does not hold.

They were made where the runs were measured, and the history that was published later is another one. What measured is
then known by the declared version of the measurement alone.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from benchbook import nofollow, project

FILE = "absent-commits.csv"


def absent(commit: str | None) -> bool:
    """Whether nobody can look a run's commit up here."""
    return commit in _listed(project.ledger().with_name(FILE))


@cache
def _listed(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    return frozenset(row["commit"] for row in nofollow.rows(path))
