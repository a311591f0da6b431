"""Read the list of the notes' experiments, each by its id; a claim that names another is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from benchbook.claims.cells import read_rows
from benchbook.errors import BenchbookError, suggestion

EXPERIMENTS_FILE = "experiments.csv"
"""Its name, beside the ledger."""

ID = re.compile(r"[A-Z]\d+")


@dataclass(frozen=True)
class PlannedExperiment:
    """One experiment that claims refer to. id: such as "L1". chapter: the one that is about it, measured or not."""

    id: str
    title: str
    note: str
    chapter: str


def load_experiments(path: Path) -> dict[str, PlannedExperiment]:
    """All experiments by id, in the file's order.

    Raises BenchbookError, naming file and row, for a missing file, other columns, a duplicate id or an empty cell.
    """
    found: dict[str, PlannedExperiment] = {}
    for row in read_rows(path, tuple(field.name for field in fields(PlannedExperiment))):
        place = f"{path.name} row {row['id']!r}"
        if not ID.fullmatch(row["id"]):
            raise BenchbookError(f"{place} has no id of an experiment", "use an id such as L1")
        if row["id"] in found:
            raise BenchbookError(f"{path.name} holds {row['id']} twice", "give every experiment its own id")
        empty = [column for column, value in row.items() if not value.strip()]
        if empty:
            raise BenchbookError(f"{place} has no {empty[0]}", "fill it in")
        found[row["id"]] = PlannedExperiment(**row)
    return found


def check_experiments(named: str, known: Mapping[str, PlannedExperiment], place: str) -> None:
    """Raise BenchbookError when a ledger's cell such as "L1;L9" names an experiment that is not known."""
    for name in filter(None, named.split(";")):
        if name not in known:
            raise BenchbookError(
                f"{place} names the experiment {name!r}, which is not in {EXPERIMENTS_FILE}{suggestion(name, known)}",
                f"correct the id, or add the experiment to {EXPERIMENTS_FILE}",
            )
