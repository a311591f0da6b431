"""Figure of memory: what the process really held beside what the note's budget reserves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.experiments.cache_sizing.arms import MEDIUM, MINIMAL, TUNED
from benchbook.experiments.cache_sizing.judgements import MEMORY
from benchbook.experiments.cache_sizing.marks import empty
from benchbook.experiments.cache_sizing.notes import note_budget
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.marks import COLOURS, add_dots
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.model import Estimate

BUDGETS_MB = {MEDIUM: 1500.0, MINIMAL: 512.0}
PARTS = (
    ("peak_resident_bytes", "resident, mapped files included"),
    ("peak_anonymous_bytes", "anonymous"),
    ("peak_go_heap_bytes", "heap of Go, garbage included"),
    ("peak_badger_heap_bytes", "of it Badger's own, without caches"),
)


def memory(summary: Summary) -> Figure:
    """Peaks over the whole suite per setting, and the note's budget."""
    arms = summary.having(*(metric for metric, _ in PARTS))
    if not arms:
        return empty(summary, MEMORY, "Memory", "No trial went through the whole suite")
    budgets = BUDGETS_MB | {TUNED: 1000 * float(note_budget().set_index("component")["value_gb"]["total stated"])}
    labels = [summary.labels[arm] for arm in arms]
    rows = []
    drawn: list[Estimate] = []
    plot = go.Figure()
    for place, (metric, name) in enumerate(PARTS):
        estimates = [summary.level(arm, metric, 1e6) for arm in arms]
        drawn += estimates
        rows += [
            {"setting": label, "quantity": name, "peak (MB)": e.point, "low": e.low, "high": e.high, "trials": e.n}
            for label, e in zip(labels, estimates, strict=True)
        ]
        add_dots(plot, place, name, dict(zip(labels, estimates, strict=True)))
    shown = [arm for arm in arms if arm in budgets]
    rows += [
        {"setting": summary.labels[arm], "quantity": "the note's total", "peak (MB)": budgets[arm]} for arm in shown
    ]
    bar = {"color": COLOURS[5], "symbol": "line-ns", "size": 20, "line": {"width": 4, "color": COLOURS[5]}}
    plot.add_scatter(
        x=[budgets[arm] for arm in shown], y=[summary.labels[arm] for arm in shown], mode="markers",
        name="the note's total", marker=bar,
    )  # fmt: skip
    plot.update_xaxes(title="peak over the suite (MB)", rangemode="tozero")
    plot.update_yaxes(autorange="reversed")
    plot.update_layout(height=180 + 45 * len(arms))
    store = float(np.mean([summary.values(arm, "tables_bytes").mean() for arm in arms])) / 1e6
    if TUNED in arms:
        peak = statistics.geometric_mean(summary.values(TUNED, "peak_resident_bytes") / 1e6)
        said = f"The tuned setting peaks at {with_interval(peak)} MB; the note budgets {budgets[TUNED]:,.0f} MB."
    else:
        said = "The tuned setting was not measured."
    return Figure(
        MEMORY,
        f"Peak memory over the whole suite (rounds: {summary.parameters.rounds}), by block and index cache size in "
        f"MiB. {said} The tables that a cache could hold come to {store:,.0f} MB at the end of the first burst. 95 % "
        f"intervals (Student t on logs); {summary.origin()}.",
        f"Points for {len(PARTS)} kinds of memory and {len(arms)} settings, with the note's totals. {said}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
    )
