"""The note's own numbers, read from data/notes."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments import notes
from benchbook.experiments.families.kv.note import latency_us

COMPONENTS = {"index": "ALEX index lookup", "engine": "RocksDB get", "rest": "Overhead/other", "query": "Total"}
"""Name of a part here to its name in the note's breakdown."""


def breakdown_ns(part: str) -> float:
    """Mean time of a part in the note's breakdown."""
    return notes.number("omendb_breakdown", "before_ns", component=COMPONENTS[part])


def breakdown_share(part: str) -> float:
    """The part's share as the note prints it, from 0 to 1."""
    return notes.number("omendb_breakdown", "share_percent", component=COMPONENTS[part]) / 100


def benchmark_ns() -> float:
    """Mean time of a query in the note's benchmark, before the change."""
    return 1_000 * latency_us("OmenDB", "before")


def isolated_ns() -> float:
    """Mean time of a look-up in the note's index alone."""
    return 1_000 * notes.number("omendb_latency", "latency_us", system="ALEX", state="isolated")


def bytes_per_key() -> float:
    """What the project reported of its index's memory, a key: an estimate that counts the leaves' headers."""
    return notes.reading("alex_isolated_memory_mib") * 2**20 / notes.reading("alex_isolated_memory_keys")


def note_tables() -> pd.DataFrame:
    """The note's breakdown and the two other times that it prints for the same rows."""
    rows = [
        (name, f"{breakdown_ns(part):,.0f}", f"{100 * breakdown_share(part):.1f} %")
        for part, name in COMPONENTS.items()
    ]
    rows += [
        ("query in the benchmark", f"{benchmark_ns():,.0f}", ""),
        ("ALEX, isolated", f"{isolated_ns():,.0f}", ""),
    ]
    return pd.DataFrame(rows, columns=["10 million rows", "mean (ns)", "share"]).set_index("10 million rows")
