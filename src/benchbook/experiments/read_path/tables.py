"""The chapter's tables: what the note expects of its options, and every configuration."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments import notes
from benchbook.experiments.read_path.summary import INDEX_BYTES, MEAN, P50, Summary
from benchbook.experiments.shape.tables import levels, means, table

WAYS = {
    "stride": "fixed stride",
    "uniform": "uniform gets",
    "index": "index alone",
    "durable": "durable",
    "half": "half in memory",
}


def note_claims(summary: Summary) -> pd.DataFrame:
    """The note's three options with what it expects of each, beside what it had measured."""
    options = notes.table("omendb_options").set_index("id")
    rows = [
        {
            "option": f"{name}: {row['name']}",
            "speed-up over SQLite": _range(row["expected_speedup_lo"], row["expected_speedup_hi"]),
            "kind": "expected",
        }
        for name, row in options.iterrows()
    ]
    speed = notes.table("omendb_speedup").set_index("scale_rows").loc[10_000_000]
    for state in ("before", "after"):
        rows.append(
            {"option": f"measured {state} tuning", "speed-up over SQLite": f"{speed[state]:g}", "kind": "measured"}
        )
    return pd.DataFrame(rows).set_index("option")


def _range(low: float, high: float) -> str:
    return f"{low:g} or more" if pd.isna(high) else f"{low:g} to {high:g}"


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: times with intervals, bytes per key, memory, and how long filling the store took."""
    columns = levels(summary, MEAN, P50, "query_p99_ns", "query_p999_ns", "scan_p50_ns")
    columns |= means(summary, "disk_bytes_per_key", INDEX_BYTES, "anonymous_bytes", "load_s")
    rows = [
        ({"measured with": WAYS[summary.way_of(arm)], "configuration": summary.label(arm)}, arm) for arm in summary.arms
    ]
    return table(rows, columns).reset_index("configuration")
