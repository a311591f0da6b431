"""Figures of the trials in order of time: each one against the mean, and how much it remembers the one before."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.experiments.marks import COLOURS
from benchbook.experiments.noise_floor.arms import WORKLOADS
from benchbook.experiments.noise_floor.judgements import TRIALS
from benchbook.experiments.noise_floor.summary import Summary
from benchbook.figures import Figure, theme

AUTOCORRELATION = "fig-noise-autocorrelation"


def trials(summary: Summary) -> Figure:
    """Every trial of both workloads in order of time, as a share of its workload's geometric mean."""
    rows, said = [], []
    plot = go.Figure()
    for place, workload in enumerate(WORKLOADS):
        numbers, values = summary.in_time(workload, "tps")
        level = float(np.exp(np.log(values).mean()))
        percent = 100 * values / level
        rows += [
            {"workload": workload, "trial": number, "TPS": value, "percent of the mean": share}
            for number, value, share in zip(numbers.tolist(), values.tolist(), percent.tolist(), strict=True)
        ]
        plot.add_scatter(
            x=numbers, y=percent, mode="lines+markers", name=f"{workload} (mean {level:,.0f} TPS)",
            line={"color": COLOURS[place], "dash": theme.DASHES[place], "width": 1},
            marker={"symbol": theme.SYMBOLS[place], "size": 8},
        )  # fmt: skip
        said.append(f"{workload} runs from {percent.min():.1f} to {percent.max():.1f} % of its mean")
    plot.update_xaxes(title="trial, in order of time")
    plot.update_yaxes(title="TPS (% of the workload's mean)")
    seen = "; ".join(said)
    return Figure(
        TRIALS,
        "Every trial of the same two configurations, in order of time; each has restored data, a fresh server, empty "
        f"caches. What differs is the machine. {seen}. {summary.origin()}.",
        f"Two lines of trials around 100 percent. {seen}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
    )


def autocorrelations(summary: Summary) -> Figure:
    """Correlation of a trial's TPS with that of the trial one, two, ... places later."""
    rows, said = [], []
    plot = go.Figure()
    bound = 0.0
    for place, workload in enumerate(WORKLOADS):
        _, values = summary.in_time(workload, "tps")
        lags = max(1, values.size // 4)
        found = statistics.autocorrelation(np.log(values), lags)
        bound = statistics.autocorrelation_bound(values.size)
        rows += [
            {"workload": workload, "lag (trials)": lag, "autocorrelation": value, "bound for independence": bound}
            for lag, value in enumerate(found.tolist(), start=1)
        ]
        plot.add_scatter(
            x=np.arange(1, lags + 1), y=found, mode="markers", name=workload,
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
        )  # fmt: skip
        said.append(f"{workload} {found[0]:.2f} at lag 1, {int((np.abs(found) > bound).sum())} of {lags} lags beyond")
    for edge in (-bound, bound):
        plot.add_hline(y=edge, line={"color": theme.COLOURS["grey"], "dash": "dash"})
    plot.update_xaxes(title="lag (trials of the same workload)", dtick=1)
    plot.update_yaxes(title="autocorrelation of ln TPS")
    seen = "; ".join(said)
    return Figure(
        AUTOCORRELATION,
        "Does a trial remember the one before? Autocorrelation of the logarithm of TPS over trials in order of time; "
        f"of independent trials 19 in 20 points lie between the dashed lines at ±{bound:.2f}. {seen}. "
        f"{summary.origin()}.",
        f"Points of autocorrelation by lag with two dashed lines at plus and minus {bound:.2f}. {seen}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
    )
