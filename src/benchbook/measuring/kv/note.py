"""What note 004, which these chapters put on trial, and the report beside it print of speed-ups and times."""

from __future__ import annotations

from benchbook import notes

SIZES = {10_000: "10k", 100_000: "100k", 1_000_000: "1m", 10_000_000: "10m"}
"""The note's numbers of rows, and how the readings from its repository name them."""


def printed() -> dict[int, float]:
    """The note's column "Before Speedup", by number of rows."""
    return {rows: notes.number("omendb_speedup", "before", scale_rows=rows) for rows in SIZES}


def behind(what: str) -> dict[int, float]:
    """Speed-ups of one kind, "query" or "insert", in the report that the note sums up; by number of rows."""
    return {rows: notes.reading(f"{what}_speedup_{word}") for rows, word in SIZES.items()}


def mixed_behind() -> dict[int, float]:
    """The arithmetic mean of insert and query speed-up in the note's report, by number of rows."""
    query, insert = behind("query"), behind("insert")
    return {rows: (query[rows] + insert[rows]) / 2 for rows in SIZES}


def definition(rows: int) -> str:
    """Which number the note prints: the mean of insert and query, or the query's alone."""
    return min(
        (abs(mixed_behind()[rows] - printed()[rows]), "mean of insert and query"),
        (abs(behind("query")[rows] - printed()[rows]), "query alone"),
    )[1]


def latency_us(system: str, state: str) -> float:
    """Mean look-up at 10 million rows. state: before or after the note's change."""
    return notes.number("omendb_latency", "latency_us", system=system, operation="query", state=state)


def speedup_after() -> float:
    """SQLite's look-up over the note's engine's, after its change, at 10 million rows."""
    return latency_us("SQLite", "after") / latency_us("OmenDB", "after")
