"""The verdicts that the book published by its earlier rules, as they stood; nothing computes them any more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchbook import project
from benchbook.claims.cells import choice, read_rows
from benchbook.errors import BenchbookError
from benchbook.model import Outcome

FILE = "verdicts-earlier.csv"
"""Beside the ledger."""
COLUMNS = ("until", "id", "outcome", "run_id")


@dataclass(frozen=True)
class Earlier:
    """One verdict by an earlier rule. until: the date of its change. run_id: of the run that it was computed from."""

    until: str
    claim_id: str
    outcome: Outcome
    run_id: str


def load_earlier(path: Path | None = None) -> dict[str, dict[str, Earlier]]:
    """The date until which a rule was in force to its verdicts by claim, in the order of time.

    Claims that no run answered then are not among them. path: by default the project's file. Raises BenchbookError,
    naming the row, for another outcome, no date or a repeated claim.
    """
    path = path or project.ledger().with_name(FILE)
    found: dict[str, dict[str, Earlier]] = {}
    for row in read_rows(path, COLUMNS):
        place = f"{path.name} row {row['until']!r}, {row['id']!r}"
        try:
            date.fromisoformat(row["until"])
        except ValueError as error:
            raise BenchbookError(f"{place} has no date", "write it as 2026-01-31") from error
        verdicts = found.setdefault(row["until"], {})
        if row["id"] in verdicts:
            raise BenchbookError(f"{path.name} holds {row['id']} twice until {row['until']}", "keep one of them")
        outcome = choice(Outcome, row["outcome"], place, "outcome")
        verdicts[row["id"]] = Earlier(row["until"], row["id"], outcome, row["run_id"])
    return dict(sorted(found.items()))
