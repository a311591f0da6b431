"""Note 001's own numbers, read from data/notes: latencies of a burst, and what its cache counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from benchbook import notes

SLOW, FAST = "next-orly", "khatru-sqlite"
"""The labels of relays in the note: of the one that it tunes, and of the one that it compares it with."""


def burst_ms(label: str, metric: str) -> float:
    """What the note prints of a burst under a label: its "avg", its "p95", or a target of either."""
    return notes.number("badger_latency", "value_ms", test="Burst Pattern", relay_label=label, metric=metric)


def _burst(label: str) -> dict[str, float]:
    return {"mean": burst_ms(label, "avg"), "p95": burst_ms(label, "p95")}


WORDS: dict[str, Callable[[Any], Any]] = {
    "noted_slow": lambda summary: _burst(SLOW),
    "noted_fast": lambda summary: _burst(FAST),
}
"""Both, of each label."""


def counted() -> pd.Series:
    """The note's cache metrics by name, in the units of its table."""
    return notes.table("badger_metrics").set_index("metric")["value"]


def cost_per_key_bytes() -> float:
    """Total cost added over keys added: decimal terabytes, 54.8 MB a key."""
    found = counted()
    return float(found["total_cost_added"] * 1e12 / found["keys_added"])


def hit_ratio() -> float:
    """Hits over look-ups, as the note prints it."""
    found = counted()
    return float(found["hit"] / (found["hit"] + found["miss"]))


def keys_left() -> float:
    """Keys that were added and not evicted again."""
    found = counted()
    return float(found["keys_added"] - found["keys_evicted"])


def budget_mb() -> float:
    """The note's memory budget, as it adds it up itself."""
    return 1000 * notes.number("badger_memory_budget", "value_gb", component="total stated")
