"""The note's own speed-ups, and the two that lie behind its column, read from data/notes."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments import notes
from benchbook.experiments.scale.arms import short

SIZES = {10_000: "10k", 100_000: "100k", 1_000_000: "1m", 10_000_000: "10m"}
"""The note's numbers of rows, and how the readings from its repository name them."""


def printed() -> dict[int, float]:
    """The note's column "Before Speedup", by number of rows."""
    return {rows: notes.number("omendb_speedup", "before", scale_rows=rows) for rows in SIZES}


def behind(what: str) -> dict[int, float]:
    """Speed-ups of one kind, "query" or "insert", in the report that the note sums up; by number of rows."""
    return {rows: notes.reading(f"{what}_speedup_{word}") for rows, word in SIZES.items()}


def mixed_behind() -> dict[int, float]:
    """The arithmetic mean of the two."""
    query, insert = behind("query"), behind("insert")
    return {rows: (query[rows] + insert[rows]) / 2 for rows in SIZES}


def definition(rows: int) -> str:
    """Which number the printed one is: the mean of insert and query, or the query's alone."""
    return min(
        (abs(mixed_behind()[rows] - printed()[rows]), "mean of insert and query"),
        (abs(behind("query")[rows] - printed()[rows]), "query alone"),
    )[1]


def note_table() -> pd.DataFrame:
    """The printed column beside the numbers behind it."""
    query, insert, mixed = behind("query"), behind("insert"), mixed_behind()
    rows = [
        {
            "rows": short(each),
            "printed speed-up": f"{value:.2f}",
            "query speed-up": f"{query[each]:.2f}",
            "insert speed-up": f"{insert[each]:.2f}",
            "mean of the two": f"{mixed[each]:.2f}",
            "what was printed": definition(each),
        }
        for each, value in printed().items()
    ]
    return pd.DataFrame(rows).set_index("rows")
