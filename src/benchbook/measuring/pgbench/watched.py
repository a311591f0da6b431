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
SLACK_BYTES = 16 << 20
WAIT_TYPES = ("running", "IO", "LWLock", "Lock", "IPC", "Timeout", "Client", "Activity", "BufferPin", "Extension")
TOTALS = (
    "wal_bytes", "checkpoints_timed", "checkpoints_requested", "checkpoint_buffers", "cleaned_buffers",
    "backend_buffers", "allocated_buffers", "evictions", "disk_written_bytes", "disk_read_bytes", "disk_busy_ms",
    "server_cpu_s", "client_cpu_s", "machine_cpu_s",
)  # fmt: skip
ENDS = ("pool_dirty_buffers", "pool_used_buffers", "bound_cache_bytes", "bound_available_bytes")


def metrics(watched: Watched, seconds: float, slowing_bytes: float | None) -> dict[str, float | None]:
    """Metrics of what was watched over a trial's ``seconds``; what nobody told is None.

    slowing_bytes: dirty data from which the kernel slows writers. ``*_NN``: of part NN of 24, gauges in MiB at its
    middle, counters in MiB in it, checkpoints begun in it.
    """
    table = watched.table.assign(begun=watched.table[["checkpoints_timed", "checkpoints_requested"]].sum(axis=1))
    edges = np.linspace(0, seconds, PARTS + 1)

    def at(column: str, wanted: np.ndarray) -> np.ndarray | None:
        values = table[column].to_numpy(dtype=float)
        return None if np.isnan(values).any() else np.interp(wanted, table["elapsed_s"].to_numpy(), values)

    def grown(column: str, ends: np.ndarray) -> np.ndarray | None:
        values = at(column, ends)
        return None if values is None else np.diff(values)

    def first(values: np.ndarray | None) -> float | None:
        return None if values is None else float(values[0])

    found: dict[str, float | None] = {"looks": float(watched.looks), "look_share": watched.seconds / seconds}
    found |= _limits(table, seconds, slowing_bytes)
    found |= {column: first(grown(column, np.array([0.0, seconds]))) for column in TOTALS}
    found |= {f"{column}_end": first(at(column, np.array([seconds]))) for column in ENDS}
    parts = {f"{name}_mib": at(f"{name}_bytes", (edges[:-1] + edges[1:]) / 2) for name in ("dirty", "writeback")}
    parts |= {f"{name}_mib": grown(f"{name}_bytes", edges) for name in ("wal", "disk_written", "disk_read")}
    for name, values in {**parts, "checkpoints": grown("begun", edges)}.items():
        unit = 1 / MIB if name.endswith("_mib") else 1.0
        found |= {
            f"{name}_{part + 1:02}": None if values is None else float(values[part]) * unit for part in range(PARTS)
        }
    waits = dict.fromkeys(WAIT_TYPES, 0.0)
    for event, count in watched.waits.items():  # written "Type:Event" or "running"
        kind = event.split(":")[0]
        waits[kind] = waits.get(kind, 0.0) + count
    return found | {f"waits_{kind.lower()}": value for kind, value in waits.items()}


def over_handed(table: pd.DataFrame) -> float | None:
    """Data that wait to be written over what the pool handed to the kernel, at most; above 1 it counts more than that.

    Each look is held against the next one's counters, which come up to a second late, without SLACK_BYTES for what
    else is written. None where the pool handed over less than that, or nobody told.
    """
    waiting = (table["dirty_bytes"] + table["writeback_bytes"]).to_numpy(dtype=float)
    pages = table[["backend_buffers", "cleaned_buffers", "checkpoint_buffers"]].sum(axis=1, skipna=False)
    handed = 8192 * (pages - pages.iloc[0]).to_numpy(dtype=float)[1:]
    much = handed >= SLACK_BYTES
    if not much.any() or np.isnan(waiting).any():
        return None
    return float(np.max((waiting[:-1] - waiting[0] - SLACK_BYTES)[much] / handed[much]))


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
