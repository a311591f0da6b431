"""Figures of what else an engine does: order, writes that wait for the disk, opening again, and bytes a key."""

from __future__ import annotations

import plotly.graph_objects as go

from benchbook.experiments.read_path.arms import (
    ALEX_PRESENT,
    DURABLE,
    DURABLE_VALUE_FILE,
    HASH_PRESENT,
    INDEX,
    UNIFORM,
    VALUE_FILE,
    VALUE_FILE_AGAIN,
    VALUE_FILE_HASH,
    VALUE_FILE_HASH_SMALL,
    VALUE_FILE_SMALL,
)
from benchbook.experiments.read_path.judgements import INDEXES, MEAN
from benchbook.experiments.read_path.marks import INTERVALS, dots, empty, interval, table
from benchbook.experiments.read_path.summary import Summary
from benchbook.figures import Figure, theme, with_interval
from benchbook.model import Estimate

SCANS, WRITES, OPENING, MEMORY = (
    "fig-read-path-scans",
    "fig-read-path-writes",
    "fig-read-path-opening",
    "fig-read-path-bytes",
)
IN_HUGE_PAGES = {VALUE_FILE, VALUE_FILE_AGAIN, VALUE_FILE_HASH}


def indexes(summary: Summary) -> Figure:
    """Each index alone: the time of a look-up that waits for the one before."""
    arms = summary.having(MEAN, INDEX)
    if not arms:
        return empty(summary, INDEXES, "Indexes alone", "Nothing was timed in this run")
    labels = [summary.labels[arm] for arm in arms]
    series = {"mean": [summary.level(arm, MEAN) for arm in arms]}
    plot = dots(labels, series, 1.0)
    plot.update_xaxes(**theme.decades(), title="mean time of a dependent look-up (ns)")
    said = "; ".join(f"{label} {with_interval(e)} ns" for label, e in zip(labels, series["mean"], strict=True))
    if {ALEX_PRESENT, HASH_PRESENT} <= set(arms):
        ratio = summary.times_faster(HASH_PRESENT, ALEX_PRESENT, MEAN)
        said += f". For keys that exist ALEX takes {with_interval(ratio)} times as long as the hash table"
    return Figure(
        INDEXES,
        f"Indexes without any values, {summary.parameters.existence_keys:,} random 64-bit keys, where the next key is "
        f"known only when the last answer is there, logarithmic axis. {said}. An absent key has no value to wait for, "
        f"and the processor goes on before it is sure: those look-ups overlap. {INTERVALS}; {summary.origin()}.",
        f"Points with intervals for {len(arms)} indexes on a logarithmic axis. {said}.",
        theme.apply(plot),
        table(labels, series, "mean (ns)", 1.0),
        summary.run.id,
        interval=interval(series),
    )


def scans(summary: Summary) -> Figure:
    """P50 of range scans; what keeps no order has no row."""
    rows = summary.parameters.scan_rows
    return _durable(
        summary, SCANS, "scan_p50_ns", 1e-3, f"P50 of a scan of {rows:,} rows (µs)",
        f"Range scans of {rows:,} rows from a random key on, each timed by itself; rows are counted and the lengths of "
        "values added up, and the value file compares every checksum. A hash table, and CuckooTable, do not keep their "
        "keys in order, and have no row here.",
    )  # fmt: skip


def writes(summary: Summary) -> Figure:
    """What a row costs when every batch must have reached the disk before the next begins."""
    batch = summary.parameters.durable_batch_rows
    calls = "; ".join(
        f"{summary.labels[arm]} {summary.values(arm, 'syncs_per_batch').mean():.2g}"
        for arm in summary.having("syncs_per_batch", DURABLE)
    )
    return _durable(
        summary, WRITES, "write_ns_per_row", 1e-3, "time of a durable write, per row (µs)",
        f"Writes of {batch:,} rows, each of which waits until it is on the disk. Syncs counted per write: {calls}. "
        "LMDB also writes its first pages through a file that was opened for synchronous writing, which is no call.",
    )  # fmt: skip


def opening(summary: Summary) -> Figure:
    """The time until a store that was closed answers again."""
    return _durable(
        summary, OPENING, "reopen_s", 1e3, "time until the store is open again (ms)",
        "Opening a store whose files are in the page cache. The value file is read whole, every checksum checked and "
        "its index built anew; the others read what their formats ask for.",
    )  # fmt: skip


def _durable(summary: Summary, identity: str, metric: str, factor: float, title: str, what: str) -> Figure:
    """One quantity of the stores that were written durably, by engine."""
    arms = summary.having(metric, DURABLE)
    if not arms:
        return empty(summary, identity, title, "No store was written durably in this run")
    labels = [summary.labels[arm] for arm in arms]
    series = {title: [summary.level(arm, metric) for arm in arms]}
    plot = dots(labels, series, factor)
    ends = (end * factor for e in series[title] for end in (e.low, e.high))
    plot.update_xaxes(**theme.ticks(ends), title=title)
    said = "; ".join(f"{label} {with_interval(e, factor)}" for label, e in zip(labels, series[title], strict=True))
    if DURABLE_VALUE_FILE in arms and len(arms) > 1:
        others = [arm for arm in arms if arm != DURABLE_VALUE_FILE]
        ratios = "; ".join(
            f"{summary.labels[arm]} {with_interval(summary.times_faster(DURABLE_VALUE_FILE, arm, metric))}"
            for arm in others
        )
        said += f". As a multiple of ALEX + value file: {ratios}"
    return Figure(
        identity,
        f"{what} {summary.parameters.durable_rows:,} rows with values of {summary.parameters.value_bytes} bytes, "
        f"logarithmic axis. {said}. {INTERVALS}; {summary.origin()}.",
        f"Points with intervals for {len(arms)} engines on a logarithmic axis of the {title}. {said}.",
        theme.apply(plot),
        table(labels, series, title, factor),
        summary.run.id,
        interval=interval(series),
    )


def memory(summary: Summary) -> Figure:
    """Bytes a key in the files and in the index over them, keys and values included."""
    # Bytes do not depend on the pages in which they lie.
    arms = [arm for arm in summary.having("disk_bytes_per_key", UNIFORM) if arm not in IN_HUGE_PAGES]
    if not arms:
        return empty(summary, MEMORY, "Bytes a key", "No store counted its bytes in this run")
    labels = [summary.labels[arm] for arm in arms]
    counted: dict[str, Estimate] = {
        arm: summary.level(arm, "index_bytes_per_key") for arm in arms if summary.has(arm, "index_bytes_per_key")
    }
    alone = "index_bytes_per_key"
    if VALUE_FILE_HASH_SMALL in arms and VALUE_FILE_HASH_SMALL not in counted and summary.has(HASH_PRESENT, alone):
        counted[VALUE_FILE_HASH_SMALL] = summary.level(HASH_PRESENT, alone)
    series: dict[str, list[Estimate | None]] = {
        "files": [summary.level(arm, "disk_bytes_per_key") for arm in arms],
        "index in memory": [counted.get(arm) for arm in arms],
    }
    plot = dots(labels, series, 1.0)
    plot.add_trace(_values_line(summary, labels))
    plot.update_xaxes(title="bytes a key", rangemode="tozero")
    parts = []
    for label, on_disk, index in zip(labels, series["files"], series["index in memory"], strict=True):
        text = f"{label} {on_disk.point:.1f}" if on_disk is not None else label
        parts.append(text + (f" and {index.point:.1f} of index" if index is not None else ""))
    said = "; ".join(parts)
    own = ""
    if VALUE_FILE_SMALL in counted:
        whole = summary.level(VALUE_FILE_SMALL, "disk_bytes_per_key").point + counted[VALUE_FILE_SMALL].point
        own = f" ALEX and the value file together: {whole:.1f}."
    return Figure(
        MEMORY,
        f"Bytes a key with its value of {summary.parameters.value_bytes} bytes: in the files, and in an index beside "
        f"them that is counted in full. {said}.{own} The hash table counts nothing itself; its number is what the heap "
        f"grew by where it stood alone. {summary.origin()}.",
        f"Points for {len(arms)} configurations: bytes a key in the files and in the index. {said}.{own}",
        theme.apply(plot),
        table(labels, series, "bytes a key", 1.0),
        summary.run.id,
        interval=interval(series),
    )


def _values_line(summary: Summary, labels: list[str]) -> go.Scatter:
    """Key and value without any engine."""
    bare = 8 + summary.parameters.value_bytes
    return go.Scatter(
        x=[bare, bare], y=[labels[0], labels[-1]], mode="lines", name="key and value alone", line={"dash": "dash"}
    )
