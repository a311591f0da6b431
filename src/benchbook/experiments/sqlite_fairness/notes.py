"""The note's own numbers, read from data/notes."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments import notes

SHORT = {10_000: "10k", 100_000: "100k", 1_000_000: "1m", 10_000_000: "10m"}
"""Rows to the ending of the readings' names."""


def latency_us(system: str, state: str) -> float:
    """Mean look-up at 10 million rows; state: before, after."""
    return notes.number("omendb_latency", "latency_us", system=system, operation="query", state=state)


def speedup_after() -> float:
    """SQLite's look-up over the note's engine's, after its change, at 10 million rows."""
    return latency_us("SQLite", "after") / latency_us("OmenDB", "after")


def speedups(kind: str) -> dict[int, float]:
    """Rows to the note's speed-up before its change; kind: query, insert."""
    return {rows: notes.reading(f"{kind}_speedup_{short}") for rows, short in SHORT.items()}


def note_tables() -> pd.DataFrame:
    """The speed-ups over SQLite that the note and the report beside it print."""
    printed = notes.table("omendb_speedup").set_index("scale_rows")
    rows = [
        {
            "rows": f"{rows:,}",
            "note, before": f"{printed['before'][rows]:g}",
            "note, after": "" if pd.isna(printed["after"][rows]) else f"{printed['after'][rows]:g}",
            "look-ups alone": f"{look_ups:g}",
            "inserts alone": f"{speedups('insert')[rows]:g}",
        }
        for rows, look_ups in speedups("query").items()
    ]
    return pd.DataFrame(rows).set_index("rows")
