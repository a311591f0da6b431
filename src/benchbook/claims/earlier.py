"""The verdicts that the book published by its earlier rule, as they stood; nothing computes them any more."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchbook import project
from benchbook.claims.cells import choice, read_rows
from benchbook.errors import BenchbookError
from benchbook.model import Outcome

FILE = "verdicts-earlier.csv"
"""Beside the ledger."""
UNTIL = "2026-11-22"
"""When the rule was changed; data had been seen."""
COLUMNS = ("id", "outcome", "run_id")


@dataclass(frozen=True)
class Earlier:
    """One verdict by the earlier rule. run_id: of the run that it was computed from."""

    claim_id: str
    outcome: Outcome
    run_id: str


def load_earlier(path: Path | None = None) -> dict[str, Earlier]:
    """Claim to its verdict by the earlier rule; claims that no run answered then are not among them.

    path: by default the project's file. Raises BenchbookError, naming the row, for another outcome or a repeated claim.
    """
    path = path or project.ledger().with_name(FILE)
    found: dict[str, Earlier] = {}
    for row in read_rows(path, COLUMNS):
        place = f"{path.name} row {row['id']!r}"
        if row["id"] in found:
            raise BenchbookError(f"{path.name} holds {row['id']} twice", "keep one of them")
        found[row["id"]] = Earlier(row["id"], choice(Outcome, row["outcome"], place, "outcome"), row["run_id"])
    return found
