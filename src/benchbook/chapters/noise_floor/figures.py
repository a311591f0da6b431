"""The figures: trials in order of time, a configuration against itself, and what blocks can tell from noise.

Their words stand in the page.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.chapters.noise_floor.arms import WORKLOADS
from benchbook.chapters.noise_floor.numbers import METRICS, PLAIN, Summary
from benchbook.chapters.noise_floor.tables import PAIRED
from benchbook.drawing.drawn import Drawn
from benchbook.drawing.marks import COLOURS
from benchbook.drawing.regular import Ask, Dots, Lines
from benchbook.figures import theme
from benchbook.model import Estimate
from benchbook.numbers.summary import NotEstimableError

BLOCKS = (3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40)
SAMPLERS = "TPC-B-like, plain command over sampled"


def trials(summary: Summary) -> Drawn:
    """Every trial of both workloads in order of time, as a share of its workload's geometric mean."""
    plot, rows, said = go.Figure(), [], {}
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
        said[workload] = percent.min(), percent.max()
    plot.update_xaxes(title="trial, in order of time")
    plot.update_yaxes(title="TPS (% of the workload's mean)")
    return Drawn(plot, pd.DataFrame(rows), said)


def autocorrelations(summary: Summary) -> Drawn:
    """Correlation of a trial's TPS with that of the trial one, two, ... places later."""
    plot, rows, said, bound = go.Figure(), [], {}, 0.0
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
        said[workload] = found[0], int((np.abs(found) > bound).sum()), lags
    for edge in (-bound, bound):
        plot.add_hline(y=edge, line={"color": theme.COLOURS["grey"], "dash": "dash"})
    plot.update_xaxes(title="lag (trials of the same workload)", dtick=1)
    plot.update_yaxes(title="autocorrelation of ln TPS")
    return Drawn(plot, pd.DataFrame(rows), said)


def _rows_of(comparison: str) -> Ask:
    """The ratios of one comparison, in the rows that are its own."""

    def ask(summary: Summary, key: tuple[str, str]) -> Estimate:
        if key[0] != comparison:
            raise NotEstimableError("the row is for another comparison", "look there")
        return summary.ratio(*PLAIN) if comparison == SAMPLERS else summary.aa_ratio(*key)

    return ask


pairs = Dots(
    rows={(workload, each): f"{METRICS[each].brief} ({workload})" for workload in WORKLOADS for each in PAIRED}
    | {(SAMPLERS, "report_tps"): METRICS["report_tps"].brief},
    series={f"{workload}, again over first": _rows_of(workload) for workload in WORKLOADS}
    | {SAMPLERS: _rows_of(SAMPLERS)},
    axis="ratio (1 = the same)", row="metric", heading="comparison", quantity="ratio", scale="plain", rule=1,
    replicates="blocks",
)  # fmt: skip


def _smallest(workload: str) -> Ask:
    return lambda summary, blocks: summary.detectable(workload, blocks)


detectable = Lines(
    over=lambda summary: BLOCKS, across="blocks", rows=True, heading="workload",
    series={workload: _smallest(workload) for workload in WORKLOADS},
    axis="smallest difference shown (%)", quantity="difference (%)", factor=100, replicates="A/A pairs",
)  # fmt: skip

FIGURES = {"trials": trials, "aa": pairs, "autocorrelation": autocorrelations, "detectable": detectable}
