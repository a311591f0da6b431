"""The notes' own numbers as tables and single values, read from data/notes, with a name for what was read."""

import hashlib
import io
from typing import Any

import pandas as pd

from benchbook import nofollow, project
from benchbook.errors import BenchbookError, suggestion

TEXTS = {"note": str, "run_id": str, "id": str}
"""Columns that look like numbers and are names."""


def table(name: str) -> pd.DataFrame:
    """The table ``data/notes/<name>.csv``; an empty cell is missing. Raises BenchbookError when there is none."""
    folder = project.root() / "data" / "notes"
    path = folder / f"{name}.csv"
    if not path.is_file():
        known = sorted(each.stem for each in folder.glob("*.csv"))
        raise BenchbookError(
            f"data/notes has no table {name!r}{suggestion(name, known)}", "restore it with `git checkout`"
        )
    return pd.read_csv(io.StringIO(nofollow.words(path, levels=nofollow.RUN)), dtype=TEXTS)


def rows(name: str, /, **where: object) -> pd.DataFrame:
    """Those of a table in which each named column has the given value, without these columns."""
    found = table(name)
    for key, value in where.items():
        found = found[found[key] == value]
    return found.drop(columns=[*where]).reset_index(drop=True)


def number(name: str, column: str, /, **where: object) -> float:
    """The one number of a table's column in the row where each named column has the given value.

    ``number("prices", "price", name="lakebase_usd_day")``. Raises BenchbookError when no row or more than one
    fits, when the table has no such column, or when the cell is empty.
    """
    for missing in {column, *where} - set(table(name).columns):
        raise BenchbookError(f"data/notes/{name}.csv has no column {missing!r}", "restore it with `git checkout`")
    found = rows(name, **where)
    place = ", ".join(f"{key}={value}" for key, value in where.items())
    if len(found) != 1:
        raise BenchbookError(f"data/notes/{name}.csv has {len(found)} rows with {place}", "name exactly one row")
    try:
        value = float(found[column].iloc[0])
    except ValueError:
        raise BenchbookError(
            f"{column} of {place} in data/notes/{name}.csv is not a number", "choose a number"
        ) from None
    if not pd.notna(value):
        raise BenchbookError(f"the note states no {column} for {place}", "leave it out, and say so")
    return value


def reading(name: str) -> float:
    """A fact that was read in one of the notes' repositories."""
    return number("readings", "value", id=name)


def source(row: Any) -> str:
    """Where a row of a raw table was read, such as "owner/name at 0123456"."""
    return f"{row['repository']} at {row['commit'][:7]}"


def run_id(*names: str) -> str:
    """What stands for a run where nothing was run: "notes " and 12 hex digits over the tables used, in any order."""
    digest = hashlib.sha256()
    for name in sorted(set(names)):
        path = project.root() / "data" / "notes" / f"{name}.csv"
        digest.update(f"{name} {nofollow.sha256(path, nofollow.RUN)}\n".encode())
    return f"notes {digest.hexdigest()[:12]}"
