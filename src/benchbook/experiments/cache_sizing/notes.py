"""The note's own numbers, read from data/notes."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments import notes


def metrics() -> pd.Series:
    """The note's cache metrics by name, in the units of its table."""
    return notes.table("badger_metrics").set_index("metric")["value"]


def cost_per_key_bytes() -> float:
    """Total cost added over keys added: decimal terabytes, 54.8 MB a key."""
    found = metrics()
    return float(found["total_cost_added"] * 1e12 / found["keys_added"])


def hit_ratio() -> float:
    """Hits over look-ups, as the note prints it."""
    found = metrics()
    return float(found["hit"] / (found["hit"] + found["miss"]))


def keys_left() -> float:
    """Keys that were added and not evicted again."""
    found = metrics()
    return float(found["keys_added"] - found["keys_evicted"])


def budget_mb() -> float:
    """The note's memory budget, as it adds it up itself."""
    return 1000 * notes.number("badger_memory_budget", "value_gb", component="total stated")


def claimed() -> pd.DataFrame:
    """What the note measured and what it expects, one row per number."""
    latency = notes.table("badger_latency")
    latency = latency[latency["relay_label"] == "next-orly"]
    values = dict(zip(latency["metric"], latency["value_ms"], strict=True))
    found = metrics()
    rows = [
        ("burst mean (ms)", f"{values['avg']:g}", f"below {values['avg target']:g}"),
        ("burst P95 (ms)", f"{values['p95']:g}", f"below {values['p95 target']:g}"),
        ("block cache hit ratio", f"{100 * found['hit_ratio']:.0f} %", "85 to 95 %"),
        ("keys evicted / added", f"{found['eviction_rate']:g} %", ""),
        ("life of a key, 90th percentile", f"{found['cache_life_expectancy_p90']:g} s", ""),
        ("cost added", f"{found['total_cost_added']:g} TB", ""),
        ("cost per key, from the two", f"{cost_per_key_bytes() / 1e6:.1f} MB", ""),
    ]
    return pd.DataFrame(rows, columns=["metric", "before (measured)", "after (expected)"]).set_index("metric")
