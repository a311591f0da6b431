"""What the note's column of speed-ups is made of: the numbers behind it, and what each of its rows means."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.families.kv.note import SIZES, behind, printed
from benchbook.experiments.scale.arms import short


def mixed_behind() -> dict[int, float]:
    """The arithmetic mean of insert and query speed-up, by number of rows."""
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
