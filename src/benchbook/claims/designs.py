"""What would decide a claim that this book's design does not, and which claims no design can test here (item 4)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from benchbook import project
from benchbook.claims.cells import read_rows, yes_or_no

FILE = "designs.csv"
"""Beside the ledger."""
COLUMNS = ("id", "testable_here", "design")


@cache
def _load(path: Path, _changed: int) -> dict[str, tuple[bool, str]]:
    rows = read_rows(path, COLUMNS)
    return {
        row["id"]: (yes_or_no(row["testable_here"], f"{path.name} {row['id']}", COLUMNS[1]), row["design"])
        for row in rows
    }


def _of(claim: str) -> tuple[bool, str]:
    path = project.ledger().with_name(FILE)
    if not path.is_file():  # a note on trial has none
        return True, ""
    return _load(path, path.stat().st_mtime_ns).get(claim, (True, ""))


def of(claim: str) -> str:
    """The design that would decide a claim; "" where none is named."""
    return _of(claim)[1]


def not_testable(claim: str) -> str:
    """Why no design can test a claim here, in a sentence; "" where one can."""
    here, design = _of(claim)
    return "" if here else f"{design.rstrip('.')}."
