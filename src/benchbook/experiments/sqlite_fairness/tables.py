"""The chapter's tables: the speed-ups that the note prints, and every configuration."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments import notes
from benchbook.experiments.families.kv import note as printed
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.experiments.sqlite_fairness.arms import (
    COMMITS,
    DEPENDENT,
    NOTE,
    ONE_WRITE,
    POWER_CUT,
    TIMED,
    WARM,
    WRITTEN,
)
from benchbook.experiments.sqlite_fairness.summary import SYNCS, TIME, WRITE, Summary
from benchbook.figures import with_interval

PARTS = {
    NOTE: "as the note",
    WARM: "warm, in batches",
    DEPENDENT: "warm, dependent",
    TIMED: "warm, timed one by one",
    COMMITS: "many commits, killed",
    ONE_WRITE: "one commit, killed",
    POWER_CUT: "one commit, power cut",
}


def note_claims(summary: Summary) -> pd.DataFrame:
    """The speed-ups over SQLite that the note and the report beside it print."""
    told_of = notes.table("omendb_speedup").set_index("scale_rows")
    rows = [
        {
            "rows": f"{rows:,}",
            "note, before": f"{told_of['before'][rows]:g}",
            "note, after": "" if pd.isna(told_of["after"][rows]) else f"{told_of['after'][rows]:g}",
            "look-ups alone": f"{look_ups:g}",
            "inserts alone": f"{printed.behind('insert')[rows]:g}",
        }
        for rows, look_ups in printed.behind("query").items()
    ]
    return pd.DataFrame(rows).set_index("rows")


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: look-ups and writes with intervals, syncs, memory, rows lost."""

    def settings_of(arm: str) -> tuple[str, int]:
        settings = summary.configurations[arm].settings
        return str(settings["part"]), int(settings["rows"] or 0)

    def written(arm: str) -> str:
        metric = WRITE if settings_of(arm)[0] in WRITTEN else "insert_ns_per_row"
        return with_interval(summary.us(arm, metric))

    def lost(arm: str) -> str:
        reported, found = summary.counted(arm)
        return f"{(reported - found).sum():,.0f}"

    columns: Columns = {
        **levels(summary, TIME, "query_p50_ns", "query_p99_ns"),
        "write (µs per row)": written,
        **means(summary, "insert_syncs", SYNCS),
        "rows lost": lost,
        **means(summary, "resident_bytes"),
    }

    def row(arm: str) -> dict[str, object]:
        part, rows = settings_of(arm)
        return {"what": PARTS[part], "rows": f"{rows:,}", "use": summary.label(arm)}

    return table([(row(arm), arm) for arm in summary.arms], columns)
