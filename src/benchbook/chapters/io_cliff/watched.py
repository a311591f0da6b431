"""Metrics of a whole trial and of each part of it, from what was sampled while it ran."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchbook.engines.pgbench import Watched

PARTS = 24
"""Parts of a trial for which gauges and counters are stored."""
MIB = 2**20
NEAR = 0.9
"""Dirty data count as having reached a limit from here on: the kernel holds them below it, and looks miss peaks."""
WAIT_TYPES = ("running", "IO", "LWLock", "Lock", "IPC", "Timeout", "Client", "Activity", "BufferPin", "Extension")
GAUGES = {"dirty_bytes": "dirty_mib", "writeback_bytes": "writeback_mib"}
COUNTERS = {"wal_bytes": "wal_mib", "disk_written_bytes": "disk_written_mib", "disk_read_bytes": "disk_read_mib"}
TOTALS = (
    "wal_bytes",
    "checkpoints_timed",
    "checkpoints_requested",
    "checkpoint_buffers",
    "cleaned_buffers",
    "backend_buffers",
    "allocated_buffers",
    "evictions",
    "disk_written_bytes",
    "disk_read_bytes",
    "disk_busy_ms",
    "server_cpu_s",
    "client_cpu_s",
    "machine_cpu_s",
)


def metrics(watched: Watched, seconds: float, slowing_bytes: float | None) -> dict[str, float | None]:
    """Metrics of what was watched over a trial's ``seconds``; what nobody told is None.

    slowing_bytes: dirty data from which the kernel slows writers. ``*_NN``: of part NN of 24, gauges in MiB at its
    middle, counters in MiB in it, checkpoints begun in it.
    """
    table = watched.table
    at = table["elapsed_s"].to_numpy()
    edges = np.linspace(0, seconds, PARTS + 1)
    found: dict[str, float | None] = {"looks": float(watched.looks), "look_share": watched.seconds / seconds}
    found |= _limits(table, seconds, slowing_bytes)
    for column in TOTALS:
        found[column] = _difference(table, column, at, seconds)
    for column in ("pool_dirty_buffers", "pool_used_buffers", "bound_cache_bytes", "bound_available_bytes"):
        last = _at(table, column, at, np.array([seconds]))
        found[f"{column}_end"] = None if last is None else float(last[0])
    for column, name in GAUGES.items():
        found |= _parts(name, _at(table, column, at, (edges[:-1] + edges[1:]) / 2), 1 / MIB)
    for column, name in COUNTERS.items():
        values = _at(table, column, at, edges)
        found |= _parts(name, None if values is None else np.diff(values), 1 / MIB)
    begun = _at(table[["checkpoints_timed", "checkpoints_requested"]].sum(axis=1).to_frame("begun"), "begun", at, edges)
    found |= _parts("checkpoints", None if begun is None else np.diff(begun), 1.0)
    return found | _waits(watched.waits)


def _limits(table: pd.DataFrame, seconds: float, slowing_bytes: float | None) -> dict[str, float | None]:
    waiting = table["dirty_bytes"] + table["writeback_bytes"]
    if waiting.isna().any():
        return {}
    found: dict[str, float | None] = {"dirty_peak_bytes": float(waiting.max()), "dirty_slowing_bytes": slowing_bytes}
    if slowing_bytes is None:
        return found
    reached = table.loc[waiting >= NEAR * slowing_bytes, "elapsed_s"]
    return found | {
        "dirty_peak_over_slowing": float(waiting.max()) / slowing_bytes,
        "limit_reached": float(len(reached) > 0),
        "limit_reached_at": None if reached.empty else float(min(1.0, reached.iloc[0] / seconds)),
    }


def _at(table: pd.DataFrame, column: str, at: np.ndarray, wanted: np.ndarray) -> np.ndarray | None:
    values = table[column].to_numpy(dtype=float)
    return None if np.isnan(values).any() else np.interp(wanted, at, values)


def _difference(table: pd.DataFrame, column: str, at: np.ndarray, seconds: float) -> float | None:
    ends = _at(table, column, at, np.array([0.0, seconds]))
    return None if ends is None else float(ends[1] - ends[0])


def _parts(name: str, values: np.ndarray | None, factor: float) -> dict[str, float | None]:
    return {f"{name}_{part + 1:02}": None if values is None else float(values[part]) * factor for part in range(PARTS)}


def _waits(counts: dict[str, int]) -> dict[str, float | None]:
    """How often a connection was seen in each kind of wait; an event is written "Type:Event" or "running"."""
    found = dict.fromkeys(WAIT_TYPES, 0.0)
    for event, count in counts.items():
        kind = event.split(":")[0]
        found[kind] = found.get(kind, 0.0) + count
    return {f"waits_{kind.lower()}": value for kind, value in found.items()}
