"""Figures of the breakdown: shares, times of the parts, what leaving a part out saves, the way to the benchmark."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.alex_rocksdb import growth, notes
from benchbook.experiments.alex_rocksdb.arms import (
    BENCHMARK,
    BTREE_FIRST,
    LOOP,
    NO_ENGINE,
    NO_INDEX,
    NOTHING,
    PARTS,
    POINT,
    POINT_PARTS,
    TOOL,
    TOOL_UNIFORM,
    TOOL_WHOLE,
)
from benchbook.experiments.alex_rocksdb.judgements import BREAKDOWN, REMOVED
from benchbook.experiments.alex_rocksdb.marks import dots, empty, interval, rows, spoken
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.marks import COLOURS
from benchbook.figures import Figure, theme, with_interval
from benchbook.model import Estimate

TIMES, WAY = "fig-alex-times", "fig-alex-way-to-benchmark"
PARTS_OF_QUERY = {"index": "ALEX", "engine": "RocksDB get", "rest": "rest"}
QUANTILES = {"mean_ns": "mean", "p50_ns": "P50", "p99_ns": "P99", "p999_ns": "P99.9"}
TIMED = {TOOL: "diagnostic program", PARTS: "engine's store, keys over all rows", POINT_PARTS: "with the row cache"}
STEPS = (TOOL_WHOLE, TOOL, TOOL_UNIFORM, LOOP, PARTS, POINT, BENCHMARK)


def shares(summary: Summary) -> Figure:
    """The shares of the parts, as the clock gives them and less the clock's own time, beside the note's."""
    series: dict[str, dict[str, Estimate]] = {}
    labels: list[str] = []
    note: list[float] = []
    for part, word in PARTS_OF_QUERY.items():
        for arm, name in TIMED.items():
            for metric, words in (("share", "as timed"), ("net_share", "less the clock")):
                if summary.has(arm, f"{part}_{metric}"):
                    series.setdefault(words, {})[f"{word}, {name}"] = summary.share(arm, f"{part}_{metric}")
            if any(f"{word}, {name}" in found for found in series.values()):
                labels.append(f"{word}, {name}")
                note.append(notes.breakdown_share(part))
    if not series:
        return empty(summary, BREAKDOWN, "Shares of a query", "No part was timed in this run")
    plot = dots(series, labels, factor=100)
    plot.add_scatter(
        x=[100 * share for share in note], y=labels, mode="markers", name="the note",
        marker={"symbol": "line-ns", "size": 18, "line": {"width": 4, "color": COLOURS[5]}, "color": COLOURS[5]},
    )  # fmt: skip
    plot.update_xaxes(title="share of a query's mean time (%)")
    said = "; ".join(
        f"{name}: " + ", ".join(f"{label} {with_interval(e, 100)} %" for label, e in found.items())
        for name, found in series.items()
    )
    printed = ", ".join(f"{label} {100 * notes.breakdown_share(part):.1f}" for part, label in PARTS_OF_QUERY.items())
    return Figure(
        BREAKDOWN,
        "Where the mean time of a point query goes: the note's diagnostic program re-enacted, the engine's own store "
        "asked over the whole key space, and the same with the row cache; as timed, and less what reading the clock "
        f"adds. Bars: the note. 95 % intervals (Student t on logits, or of the mean); {summary.origin()}.",
        f"Points for {len(labels)} parts of queries, with bars at the note's. {said}. The note has {printed} percent.",
        theme.apply(plot),
        rows(series, labels, "part", "share (%)", factor=100),
        summary.run.id,
        interval=interval(series),
    )


def times(summary: Summary) -> Figure:
    """Mean, median and tail of every part."""
    series: dict[str, dict[str, Estimate]] = {}
    labels = []
    for arm in (TOOL, PARTS):
        for part, word in {"query": "whole query", **PARTS_OF_QUERY}.items():
            label = f"{word}, {TIMED[arm]}"
            found = {
                name: summary.time(arm, f"{part}_{metric}")
                for metric, name in QUANTILES.items()
                if summary.has(arm, f"{part}_{metric}") and summary.values(arm, f"{part}_{metric}").min() > 0
            }
            if found:
                labels.append(label)
            for name, estimate in found.items():
                series.setdefault(name, {})[label] = estimate
    if not labels:
        return empty(summary, TIMES, "Times of the parts", "No part was timed in this run")
    plot = dots(series, labels)
    plot.update_xaxes(**theme.decades(), title="time (ns), the clock included")
    whole = f"whole query, {TIMED[PARTS]}"
    said = ", ".join(f"{name} {spoken(found[whole])}" for name, found in series.items() if whole in found)
    missing = [name for name in QUANTILES.values() if name not in series]
    left_out = (
        f" {' and '.join(missing)}" + (" need" if len(missing) > 1 else " needs") + " more look-ups a trial."
        if missing
        else ""
    )
    return Figure(
        TIMES,
        "Times of a query's parts: mean, median and tail, logarithmic axis; each time holds about one reading of the "
        f"clock, a query about five. Whole query over all rows: {said or 'not estimable'}.{left_out} 95 % intervals "
        f"(Student t on logs); {summary.origin()}.",
        f"Points with intervals for {len(labels)} parts and {len(series)} quantities. Whole query over all rows: "
        f"{said or 'not estimable'}.",
        theme.apply(plot),
        rows(series, labels, "part", "time (ns)"),
        summary.run.id,
        interval=interval(series),
    )


def left_out(summary: Summary) -> Figure:
    """A query with a part left out or replaced, over the query that has both."""
    arms = [arm for arm in (NO_ENGINE, NO_INDEX, BTREE_FIRST) if summary.has(arm, "mean_ns")]
    if not arms or not summary.has(LOOP, "mean_ns"):
        return empty(summary, REMOVED, "Parts left out", "No query was timed in this run")
    labels = [summary.labels[arm] for arm in arms]
    effects = {
        label: summary.ratio((arm, "mean_ns"), (LOOP, "mean_ns")) for arm, label in zip(arms, labels, strict=True)
    }
    series = {"time, as a ratio to ALEX, then RocksDB": effects}
    plot = dots(series, labels)
    plot.add_vline(x=1, line={"color": COLOURS[5], "dash": "dot"})
    plot.update_xaxes(title="mean time / that of the whole query", rangemode="tozero")
    said = "; ".join(f"{label}: {with_interval(e)}" for label, e in effects.items())
    added = ""
    if summary.has(NOTHING, "mean_ns"):
        added = f" What the parts take one by one adds up to {with_interval(growth.additivity(summary))} of the query."
    return Figure(
        REMOVED,
        f"What a part costs, found by leaving it out, with no clock inside the query. {said}.{added} 95 % intervals "
        f"(Student t on paired log differences); {summary.origin()}.",
        f"Points with intervals for {len(arms)} changes to a query. {said}.{added}",
        theme.apply(plot),
        rows(series, labels, "query", "ratio"),
        summary.run.id,
        interval=interval(series),
    )


def way(summary: Summary) -> Figure:
    """Step by step from the diagnostic program's query to the benchmark's, beside the note's two times."""
    arms = [arm for arm in STEPS if summary.has(arm, "mean_ns")]
    if not arms:
        return empty(summary, WAY, "From breakdown to benchmark", "No query was timed in this run")
    labels = [summary.labels[arm] for arm in arms]
    found = {label: summary.time(arm) for arm, label in zip(arms, labels, strict=True)}
    series = {"mean time of a query": found}
    plot = dots(series, labels)
    for value, name, dash in (
        (notes.breakdown_ns("query"), "the note's breakdown", "dash"), (notes.benchmark_ns(), "its benchmark", "dot"),
    ):  # fmt: skip
        plot.add_scatter(
            x=[value, value], y=[labels[0], labels[-1]], mode="lines", name=name, line={"dash": dash, "width": 2}
        )
    plot.update_xaxes(title="mean time of a query (ns)", rangemode="tozero")
    said = "; ".join(f"{label} {spoken(e)}" for label, e in found.items())
    return Figure(
        WAY,
        "From the diagnostic program to the benchmark: the same look-up under other programs, keys, caches and clocks. "
        f"The note's own two times belong to its machine. 95 % intervals (Student t on logs); {summary.origin()}.",
        f"Points with intervals for {len(arms)} ways to time a query. {said}. The note has "
        f"{notes.breakdown_ns('query'):,.0f} and {notes.benchmark_ns():,.0f} ns.",
        theme.apply(plot),
        pd.concat([rows(series, labels, "query", "mean (ns)"), _note_rows()], ignore_index=True),
        summary.run.id,
        interval=interval(series),
    )


def _note_rows() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"query": "breakdown", "series": "the note", "mean (ns)": notes.breakdown_ns("query")},
            {"query": "benchmark", "series": "the note", "mean (ns)": notes.benchmark_ns()},
        ]
    )
