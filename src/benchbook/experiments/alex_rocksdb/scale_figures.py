"""Figures of rows and key patterns: the parts over the rows, and under other patterns and from compacted files."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.alex_rocksdb.arms import LAWS, patterned, sized
from benchbook.experiments.alex_rocksdb.judgements import SCALE
from benchbook.experiments.alex_rocksdb.marks import dots, empty, interval, lines, rows, spoken
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.figures import Figure, theme
from benchbook.model import Estimate

PATTERNS = "fig-alex-patterns"
PARTS = {"query": "whole query", "engine": "RocksDB get", "index": "ALEX"}


def scale(summary: Summary) -> Figure:
    """The parts of a query from the fewest to the most rows."""
    p = summary.parameters
    series: dict[str, dict[float, Estimate]] = {}
    for part, name in PARTS.items():
        found = {
            float(n): summary.time(sized(p, n), f"{part}_net_ns")
            for n in p.ladder
            if summary.has(sized(p, n), f"{part}_net_ns") and summary.values(sized(p, n), f"{part}_net_ns").min() > 0
        }
        if found:
            series[name] = found
    if not series:
        return empty(summary, SCALE, "Parts over rows", "No part was timed in this run")
    plot = lines(series)
    plot.update_yaxes(title="mean time less the clock's (ns)")
    said = "; ".join(
        f"{name} from {spoken(found[min(found)])} to {spoken(found[max(found)])}"
        for name, found in series.items()
        if len(found) > 1
    )
    return Figure(
        SCALE,
        "Mean time of a query's parts over the number of rows, all in the memtable, a fixed stride over all keys; both "
        f"axes logarithmic. A part that the clock's own cost hides has no point. {said}. 95 % intervals (Student t on "
        f"logs); {summary.origin()}.",
        f"Lines for {len(series)} parts from {p.ladder[0]:,} to {p.ladder[-1]:,} rows. {said}.",
        theme.apply(plot),
        pd.DataFrame(
            [
                {"part": name, "rows": int(n), "mean (ns)": e.point, "low": e.low, "high": e.high, "trials": e.n}
                for name, found in series.items()
                for n, e in found.items()
            ]
        ),
        summary.run.id,
        interval=interval(series),
    )


def patterns(summary: Summary) -> Figure:
    """RocksDB's part and ALEX's under three key patterns, from the memtable and from compacted files."""
    p = summary.parameters
    labels = []
    series: dict[str, dict[str, Estimate]] = {}
    for compacted in (False, True):
        for law in LAWS:
            arm = patterned(p, law, compacted=compacted)
            label = f"{law}, {'compacted files' if compacted else 'memtable'}"
            for part in ("engine", "index"):
                metric = f"{part}_net_ns"
                if summary.has(arm, metric) and summary.values(arm, metric).min() > 0:
                    series.setdefault(PARTS[part], {})[label] = summary.time(arm, metric)
            labels.append(label)
    if not series:
        return empty(summary, PATTERNS, "Key patterns", "No part was timed in this run")
    plot = dots(series, labels)
    plot.update_xaxes(**theme.decades(), title="mean time less the clock's (ns)")
    said = "; ".join(
        f"{name}: " + ", ".join(f"{label} {spoken(e)}" for label, e in found.items()) for name, found in series.items()
    )
    return Figure(
        PATTERNS,
        f"The parts of a query at {p.law_rows:,} rows: fixed stride, uniform and Zipf keys (exponent "
        f"{p.zipf_exponent:g}), read from the memtable as the note's engine left it and from fully compacted files. "
        f"Logarithmic axis; 95 % intervals (Student t on logs); {summary.origin()}.",
        f"Points with intervals for {len(labels)} combinations. {said}.",
        theme.apply(plot),
        rows(series, labels, "pattern and place", "mean (ns)"),
        summary.run.id,
        interval=interval(series),
    )
