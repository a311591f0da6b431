"""Figures of times: look-ups and inserts of the four systems by size, and the tails of single look-ups."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.marks import add_dots, add_line
from benchbook.experiments.scale.arms import AS_RUN, BEFORE, SYSTEMS, name, short
from benchbook.experiments.scale.marks import axes, empty, interval, records
from benchbook.experiments.scale.speedups import INSERT, QUERY
from benchbook.experiments.scale.summary import Summary, single_lookups
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.model import Estimate

LOOKUPS, INSERTS, TAILS = "fig-scale-lookups", "fig-scale-inserts", "fig-scale-tails"
QUANTILES = {"uniform_p50_ns": "P50", "uniform_p99_ns": "P99", "uniform_p999_ns": "P99.9"}


def lookups(summary: Summary) -> Figure:
    """Mean time of a look-up of the four systems, by size."""
    return _by_size(summary, LOOKUPS, QUERY, "look-up, mean (µs)", "Mean time of a look-up")


def inserts(summary: Summary) -> Figure:
    """Time to insert a row of the four systems, by size."""
    return _by_size(summary, INSERTS, INSERT, "insert (µs a row)", "Time to insert a row, all rows in one go")


def _by_size(summary: Summary, identity: str, metric: str, quantity: str, title: str) -> Figure:
    plot = go.Figure()
    table: list[dict[str, object]] = []
    said = []
    drawn = []
    for place, (system, label) in enumerate(SYSTEMS.items()):
        found: dict[int, Estimate] = {
            rows: summary.level(name(system, rows), metric, 1e3 if metric == QUERY else 1e-6 * rows)
            for rows in summary.rows
            if summary.has(name(system, rows), metric)
        }
        if not found:
            continue
        add_line(plot, place, label, found, short)
        drawn.append(found)
        table += records(found, label, quantity)
        first, last = min(found), max(found)
        said.append(
            f"{label}: {with_interval(found[first])} µs at {short(first)} and {with_interval(found[last])} µs at "
            f"{short(last)} rows"
        )
    if not table:
        return empty(summary, identity, title, "Nothing was timed in this run")
    cut = axes(plot, summary.rows, quantity, drawn)
    text = "; ".join(said)
    return Figure(
        identity,
        f"{title}, sequential keys, by number of rows, both axes logarithmic. {text}. "
        f"95 % intervals (Student t on logs).{cut} {summary.origin()}.",
        f"Four lines over {len(summary.rows)} numbers of rows. {text}.",
        theme.apply(plot),
        pd.DataFrame(table),
        summary.run.id,
        interval=interval(drawn),
    )


def tails(summary: Summary) -> Figure:
    """Quantiles of single look-ups of uniform keys, warmed, at one size."""
    arms = single_lookups(summary)
    metrics = [metric for metric in QUANTILES if all(summary.has(arm, metric) for arm, _ in arms)]
    if not metrics:
        return empty(summary, TAILS, "Tails of single look-ups", "No quantile is estimable in this run")
    plot = go.Figure()
    table: list[dict[str, object]] = []
    found: dict[tuple[str, str], Estimate] = {}
    labels = [SYSTEMS[system] for _, system in arms]
    for place, metric in enumerate(metrics):
        estimates = [summary.level(arm, metric, 1e3) for arm, _ in arms]
        found |= {(system, metric): e for (_, system), e in zip(arms, estimates, strict=True)}
        add_dots(plot, place, QUANTILES[metric], dict(zip(labels, estimates, strict=True)))
        table += [
            {"system": label, "quantile": QUANTILES[metric], "look-up (µs)": e.point, "low": e.low, "high": e.high,
             "trials": e.n}
            for label, e in zip(labels, estimates, strict=True)
        ]  # fmt: skip
    plot.update_xaxes(
        **theme.ticks(end for e in found.values() for end in (e.low, e.high)), title="look-up, each timed (µs)"
    )
    plot.update_yaxes(autorange="reversed", categoryorder="array", categoryarray=labels)
    plot.update_layout(height=160 + 40 * len(labels))
    said = "; ".join(
        f"{SYSTEMS[system]}: "
        + ", ".join(f"{QUANTILES[metric]} {with_interval(found[system, metric])} µs" for metric in metrics)
        for system in (BEFORE, AS_RUN)
    )
    p = summary.parameters
    missing = "" if len(metrics) == len(QUANTILES) else " Quantiles with fewer than 100 look-ups beyond are not shown."
    return Figure(
        TAILS,
        f"Single look-ups of uniformly drawn keys among {short(p.tail_rows)} rows, {p.tail_lookups:,} a trial after "
        f"{p.tail_warm_lookups:,} to warm, logarithmic axis. Each holds one reading of the clock, so these times are "
        f"not those of the other figures. {said}.{missing} 95 % intervals (Student t on logs); {summary.origin()}.",
        f"Points of {len(metrics)} quantiles for {len(labels)} systems. {said}.",
        theme.apply(plot),
        pd.DataFrame(table),
        summary.run.id,
        interval=interval_name(found.values()),
    )
