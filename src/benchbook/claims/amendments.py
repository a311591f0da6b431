"""Apply the file of amendments to the ledger's rows, and list every change, also of rules."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from benchbook.claims.cells import Row, read_rows, yes_or_no
from benchbook.claims.record import Amendment
from benchbook.errors import BenchbookError

AMENDMENT_COLUMNS = ("id", "column", "old", "new", "date", "reason", "data_seen")


PROTOCOL = "protocol"
"""Stands for a claim's id where a rule for all claims was changed; its column is the item of the protocol."""


def protocol_amendments(path: Path) -> list[Amendment]:
    """The changes to the rules themselves, in the order in which they were made; errors as ``apply_amendments``."""
    rows = list(enumerate(read_rows(path, AMENDMENT_COLUMNS), start=1))
    return [_amendment(line, _place(path, number, line)) for number, line in rows if line["id"] == PROTOCOL]


def apply_amendments(rows: Mapping[str, Row], path: Path, columns: tuple[str, ...]) -> dict[str, list[Amendment]]:
    """Apply the amendments of a file to the rows, in its order; the amendments of each claim by its id.

    columns: those of the ledger. Raises BenchbookError when a line names no cell, gives another old value than the
    cell has, or lacks its date, its reason or whether data had been seen.
    """
    found: dict[str, list[Amendment]] = {}
    for number, line in enumerate(read_rows(path, AMENDMENT_COLUMNS), start=1):
        place = _place(path, number, line)
        amendment = _amendment(line, place)
        if amendment.claim_id == PROTOCOL:
            continue
        row = rows.get(line["id"])
        if row is None or line["column"] not in columns or line["column"] == "id":
            raise BenchbookError(f"{place} names no claim and column of the ledger", "correct the id or the column")
        if row[line["column"]] != line["old"]:
            raise BenchbookError(
                f"{place} says that the value was {line['old']!r}, but it is {row[line['column']]!r}",
                "copy the old value from the ledger or from the amendment before",
            )
        row[line["column"]] = line["new"]
        found.setdefault(line["id"], []).append(amendment)
    return found


def _place(path: Path, number: int, line: Row) -> str:
    return f"{path.name} row {number} ({line['id']}, {line['column']})"


def _amendment(line: Row, place: str) -> Amendment:
    """One row, checked by itself."""
    try:
        date.fromisoformat(line["date"])
    except ValueError as error:
        raise BenchbookError(f"{place} has the date {line['date']!r}", "write it as 2026-01-31") from error
    if not line["reason"].strip():
        raise BenchbookError(f"{place} gives no reason", "say why the ledger was wrong")
    seen = yes_or_no(line["data_seen"], place, "data_seen")
    return Amendment(line["id"], line["column"], line["old"], line["new"], line["date"], line["reason"], seen)
