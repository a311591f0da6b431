"""The note's two labels, read from data/notes: their burst latencies, and how far apart they are."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments import notes

TABLE = "badger_latency"
SLOW, FAST = "next-orly", "khatru-sqlite"
METRICS = {"burst_mean_ns": "avg", "burst_p95_ns": "p95"}


def apart(metric: str) -> float:
    """The note's slow label over its fast one, 9.35 / 3.61 for ``burst_mean_ns``; metric: one of METRICS."""
    return _value(SLOW, METRICS[metric]) / _value(FAST, METRICS[metric])


def tail() -> float:
    """P95 over mean of the label that the note tuned."""
    return _value(SLOW, "p95") / _value(SLOW, "avg")


def table() -> pd.DataFrame:
    """What the note printed: one row per label and their ratio, in ms."""
    rows = [[label, *(f"{_value(label, name):g}" for name in METRICS.values())] for label in (SLOW, FAST)]
    rows.append(["the first over the second", *(f"{apart(metric):.2f}" for metric in METRICS)])
    columns = ["label in the note", "burst mean (ms)", "burst P95 (ms)"]
    return pd.DataFrame(rows, columns=columns).set_index("label in the note")


def _value(label: str, metric: str) -> float:
    return notes.number(TABLE, "value_ms", test="Burst Pattern", relay_label=label, metric=metric)
