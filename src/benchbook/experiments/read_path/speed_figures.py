"""Figures of look-ups: along the note's stride, the speed-up over each SQLite, and every engine side by side."""

from __future__ import annotations

import math

from benchbook import statistics
from benchbook.experiments import notes
from benchbook.experiments.read_path.arms import (
    BESIDES,
    BYPASS,
    RIVALS,
    SQLITE_AS_RUN,
    SQLITE_AUTOCOMMIT,
    SQLITE_BEST,
    STRIDE,
    UNIFORM,
    VALUE_FILE,
)
from benchbook.experiments.read_path.judgements import MEAN, SPEED_UPS, STRIDES
from benchbook.experiments.read_path.marks import INTERVALS, dots, empty, interval, mark, table
from benchbook.experiments.read_path.summary import Summary
from benchbook.figures import Figure, theme, with_interval
from benchbook.model import Estimate

GETS = "fig-read-path-gets"
P50 = "query_p50_ns"
QUANTILES = {"query_p50_ns": "P50", "query_p99_ns": "P99", "query_p999_ns": "P99.9"}


def target() -> float:
    """The note's target at ten million rows, as a speed-up over SQLite."""
    return notes.number("omendb_options", "expected_speedup_lo", id="A+C")


def forecast() -> tuple[float, float]:
    """What the note expects of Option B, as a speed-up over SQLite."""
    low, high = (notes.number("omendb_options", f"expected_speedup_{end}", id="B") for end in ("lo", "hi"))
    return low, high


def strides(summary: Summary) -> Figure:
    """Mean latency along the note's stride: one path with the index changed, one with the storage changed."""
    arms = summary.having(MEAN, STRIDE)
    if not arms:
        return empty(summary, STRIDES, "Look-ups along the note's stride", "Nothing was timed in this run")
    labels = [summary.labels[arm] for arm in arms]
    series = {"mean": [summary.level(arm, MEAN) for arm in arms]}
    plot = dots(labels, series, 1e-3)
    plot.update_xaxes(**theme.decades(), title="mean time of a look-up (µs)")
    said = "; ".join(f"{label} {with_interval(e, 1e-3)} µs" for label, e in zip(labels, series["mean"], strict=True))
    return Figure(
        STRIDES,
        f"The note's rows and its pattern: every {summary.parameters.stride:,}th key once, in rising order, timed in "
        f"batches without a timer inside, logarithmic axis. {said}. {INTERVALS}; {summary.origin()}.",
        f"Points with intervals for {len(arms)} configurations on a logarithmic axis. {said}.",
        theme.apply(plot),
        table(labels, series, "mean (µs)", 1e-3),
        summary.run.id,
        interval=interval(series),
    )


def speed_ups(summary: Summary) -> Figure:
    """How many times faster the value file is than SQLite, by how SQLite was used; the note's target and forecast."""
    found: dict[str, Estimate] = {}
    if summary.has(SQLITE_AS_RUN, MEAN) and summary.has(BYPASS, MEAN):
        found["as the note ran it (mean, stride)"] = summary.times_faster(BYPASS, SQLITE_AS_RUN, MEAN)
    for arm, name in ((SQLITE_AUTOCOMMIT, "autocommit (P50, uniform)"), (SQLITE_BEST, "best (P50, uniform)")):
        if summary.has(arm, P50) and summary.has(VALUE_FILE, P50):
            found[name] = summary.times_faster(VALUE_FILE, arm, P50)
    if not found:
        return empty(summary, SPEED_UPS, "Speed-up over SQLite", "Nothing was timed in this run")
    labels, series = list(found), {"speed-up": list(found.values())}
    low, high = forecast()
    plot = dots(labels, series, 1.0)
    mark(plot, target(), labels, "the note's target", "dash")
    mark(plot, low, labels, "forecast, low end", "dot")
    mark(plot, high, labels, "forecast, high end", "dashdot")
    ends = [target(), low, high, *(end for e in found.values() for end in (e.low, e.high))]
    plot.update_xaxes(
        **theme.ticks(ends), title="time of SQLite / time of ALEX + value file",
        range=[math.log10(min(ends) / 1.2), math.log10(max(ends) * 1.2)],
    )  # fmt: skip
    said = "; ".join(f"SQLite {name}: {with_interval(e)} times" for name, e in found.items())
    return Figure(
        SPEED_UPS,
        f"Speed-up of ALEX over a value file, paired within blocks, by how SQLite is used, logarithmic axis. {said}. "
        f"Dashed: the note's target of {target():g} at ten million rows; the other lines: its forecast for Option B, "
        f"{low:g} to {high:g}. Random look-ups find the index in huge pages, those along the stride in small ones. "
        f"{INTERVALS}; {summary.origin()}.",
        f"{len(labels)} points with intervals beside lines at {target():g}, {low:g} and {high:g}. {said}.",
        theme.apply(plot),
        table(labels, series, "speed-up", 1.0),
        summary.run.id,
        interval=interval(series),
    )


def gets(summary: Summary) -> Figure:
    """P50, P99 and P99.9 of uniform look-ups for every engine."""
    arms = summary.having(P50, UNIFORM)
    if VALUE_FILE not in arms:
        return empty(summary, GETS, "Uniform look-ups", "Nothing was timed in this run")
    labels = [summary.labels[arm] for arm in arms]
    series: dict[str, list[Estimate | None]] = {
        name: [summary.level(arm, metric) if summary.has(arm, metric) else None for arm in arms]
        for metric, name in QUANTILES.items()
        if any(summary.has(arm, metric) for arm in arms)
    }
    plot = dots(labels, series, 1e-3)
    plot.update_xaxes(**theme.decades(), title="time of a look-up (µs)")
    rivals = [arm for arm in (*RIVALS, *BESIDES) if arm in arms]
    compared = statistics.many_to_one(
        summary.values(VALUE_FILE, P50), {arm: summary.values(arm, P50) for arm in rivals}
    ) if rivals else {}  # fmt: skip
    said = "; ".join(f"{summary.labels[arm]} {with_interval(effect)}" for arm, effect in compared.items())
    timer = summary.run.provenance.get("probe_timer_ns")
    clock = f" A time holds one reading of the clock, {timer:.0f} ns." if timer is not None else ""
    return Figure(
        GETS,
        f"Random present keys, values of {summary.parameters.value_bytes} bytes, every look-up timed by itself and "
        f"every value compared, logarithmic axis. P50 as a multiple of “{summary.labels[VALUE_FILE]}” (simultaneous "
        f"intervals): "
        f"{said}.{clock} {INTERVALS}; {summary.origin()}.",
        f"Points with intervals for {len(arms)} configurations and {len(series)} quantiles on a logarithmic axis. "
        f"P50 as a multiple of “{summary.labels[VALUE_FILE]}”: {said}.",
        theme.apply(plot),
        table(labels, series, "time (µs)", 1e-3),
        summary.run.id,
        interval=interval(series),
    )
