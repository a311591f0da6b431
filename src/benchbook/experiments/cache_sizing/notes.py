"""The note's own numbers, read from data/notes."""

from __future__ import annotations

import pandas as pd

from benchbook import project


def note_metrics() -> pd.Series:
    """The note's cache metrics by name, in the units of its table."""
    return pd.read_csv(project.root() / "data" / "notes" / "badger_metrics.csv").set_index("metric")["value"]


def note_cost_per_key_bytes() -> float:
    """Total cost added over keys added: decimal terabytes, 54.8 MB a key."""
    metrics = note_metrics()
    return float(metrics["total_cost_added"] * 1e12 / metrics["keys_added"])


def note_hit_ratio() -> float:
    """Hits over look-ups, as the note prints it."""
    metrics = note_metrics()
    return float(metrics["hit"] / (metrics["hit"] + metrics["miss"]))


def note_resident_charge_bytes() -> float:
    """What the keys that were neither evicted nor missing were charged together, at the mean charge."""
    metrics = note_metrics()
    return float(metrics["keys_added"] - metrics["keys_evicted"]) * note_cost_per_key_bytes()


def note_budget() -> pd.DataFrame:
    """The note's memory budget: component, GB."""
    return pd.read_csv(project.root() / "data" / "notes" / "badger_memory_budget.csv")


def note_tables() -> pd.DataFrame:
    """What the note measured and what it expects, one row per number."""
    latency = pd.read_csv(project.root() / "data" / "notes" / "badger_latency.csv")
    latency = latency[latency["relay_label"] == "next-orly"]
    values = {row["metric"]: row["value_ms"] for row in latency.to_dict("records")}
    metrics = note_metrics()
    rows = [
        ("burst mean (ms)", f"{values['avg']:g}", f"below {values['avg target']:g}"),
        ("burst P95 (ms)", f"{values['p95']:g}", f"below {values['p95 target']:g}"),
        ("block cache hit ratio", f"{100 * metrics['hit_ratio']:.0f} %", "85 to 95 %"),
        ("keys evicted / added", f"{metrics['eviction_rate']:g} %", ""),
        ("life of a key, 90th percentile", f"{metrics['cache_life_expectancy_p90']:g} s", ""),
        ("cost added", f"{metrics['total_cost_added']:g} TB", ""),
        ("cost per key, from the two", f"{note_cost_per_key_bytes() / 1e6:.1f} MB", ""),
    ]
    return pd.DataFrame(rows, columns=["metric", "before (measured)", "after (expected)"]).set_index("metric")
