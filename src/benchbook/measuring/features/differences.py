"""What of the note's setting was otherwise here, and which way that should move the numbers."""

from __future__ import annotations

import pandas as pd

from benchbook.measuring.features.summary import Summary

COLUMNS = ("setting", "in the note", "here", "expected effect here")


def differences(summary: Summary, *others: tuple[str, str, str, str]) -> pd.DataFrame:
    """One row for each setting: in the note, here, and its expected effect. others: further rows of a chapter."""
    p = summary.parameters
    rows = summary.run.provenance.get("rows") or [p.rows_per_table]
    fewest, most = min(rows), max(rows)
    direct = summary.run.provenance.get("direct_io")
    lookups = "in one pipeline" if p.client_mode == "pipeline" else "one round trip each"
    found = [
        ("server", "Lakebase, a managed PostgreSQL of unnamed version, 32 compute units", summary.on(), "unknown"),
        (
            "storage", "behind a network", f"own disk, {'past' if direct else 'through'} the page cache",
            "a miss costs less, so cold is closer to hot",
        ),
        ("client and server", "on two machines", "on one machine, a core each", "shorter hot requests"),
        ("look-ups of a request", "in one pipeline by its code, in turn by its text", lookups,
         "shorter requests than in turn, by a round trip per table"),
        ("rows", "15.6 billion in 30 tables, 1.5 TB", f"{fewest:,} to {most:,} in each of {p.n_tables} tables",
         "fewer inner index pages to read: cold is faster"),
        ("pages", "filled to the default of 90 to 100 %", f"filled to {p.fillfactor_percent} %",
         "two keys share pages as seldom as in larger tables"),
        ("feature columns", "NUMERIC, timestamps and others, 146 to 218 bytes a row",
         f"{p.n_features} of double precision, {p.row_bytes - 4} bytes a row", "little"),
        ("keys", "by TABLESAMPLE of whole pages of the first table", "each by itself, in every table",
         "fewer pages shared: colder"),
        ("state before a run", "a server in use", "a server just started, pool empty", "colder"),
        ("io_method", "unknown", "sync, from PostgreSQL 18 on", "none: look-ups read one block at a time"),
        ("autovacuum", "off for these tables", "off", "none"),
        ("measured requests", "1,000, once", f"{p.measured_requests:,} a trial, {summary.run.blocks} blocks",
         "none on the middle; tails become estimable"),
        *others,
    ]  # fmt: skip
    return pd.DataFrame(found, columns=list(COLUMNS)).set_index(COLUMNS[0])
