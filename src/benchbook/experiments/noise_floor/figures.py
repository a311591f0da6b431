"""The figures: trials in order of time, a configuration against itself, and what blocks can tell from noise.

Their words stand in page.md.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.experiments.noise_floor.arms import WORKLOADS
from benchbook.experiments.noise_floor.numbers import METRICS, PLAIN, PLANNED_BLOCKS, Summary
from benchbook.experiments.noise_floor.tables import PAIRED
from benchbook.experiments.shape.drawn import Drawn
from benchbook.experiments.shape.marks import COLOURS
from benchbook.experiments.shape.regular import Ask, Dots, Found, Lines
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import theme, with_interval
from benchbook.figures.prose import digits
from benchbook.model import Estimate

BLOCKS = (3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40)
SAMPLERS = "TPC-B-like, plain command over sampled"


def trials(summary: Summary) -> Drawn:
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
    return Drawn(plot, pd.DataFrame(rows), "; ".join(said))


def autocorrelations(summary: Summary) -> Drawn:
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
    return Drawn(plot, pd.DataFrame(rows), "; ".join(said))


def _again(workload: str) -> Ask:
    """A workload's second label over its first, in the rows that are its own."""

    def ask(summary: Summary, key: tuple[str, str]) -> Estimate:
        if key[0] != workload:
            raise NotEstimableError("the row is for another comparison", "look there")
        return summary.aa_ratio(*key)

    return ask


def _plain(summary: Summary, key: tuple[str, str]) -> Estimate:
    if key[0] != SAMPLERS:
        raise NotEstimableError("the row is for another comparison", "look there")
    return summary.ratio(*PLAIN)


def _missed(summary: Summary, found: Found) -> str:
    repeats = [e for name, marks in found.items() if name != SAMPLERS for e in marks.values()]
    missed = sum(not e.low <= 1 <= e.high for e in repeats)
    said = f"{missed} of {len(repeats)} intervals of identical configurations miss 1"
    for e in found.get(SAMPLERS, {}).values():
        said += f". The plain command has {with_interval(e)} times the TPS of the sampled one"
    return said


pairs = Dots(
    rows={(workload, each): f"{METRICS[each].brief} ({workload})" for workload in WORKLOADS for each in PAIRED}
    | {(SAMPLERS, "report_tps"): METRICS["report_tps"].brief},
    series={f"{workload}, again over first": _again(workload) for workload in WORKLOADS} | {SAMPLERS: _plain},
    axis="ratio (1 = the same)", row="metric", heading="comparison", quantity="ratio", scale="plain", rule=1,
    said=_missed,
    replicates="blocks",
)  # fmt: skip


def _smallest(workload: str) -> Ask:
    return lambda summary, blocks: summary.detectable(workload, blocks)


def _planned(summary: Summary, found: Found) -> str:
    said = [f"{workload} {digits(100 * marks[str(PLANNED_BLOCKS)].point)} %" for workload, marks in found.items()]
    return f"With {PLANNED_BLOCKS} blocks the smallest is: {', '.join(said)}"


detectable = Lines(
    over=lambda summary: BLOCKS,
    across="blocks", rows=True, heading="workload",
    series={workload: _smallest(workload) for workload in WORKLOADS},
    axis="smallest difference shown (%)", quantity="difference (%)", factor=100,
    said=_planned,
    replicates="A/A pairs",
)  # fmt: skip

FIGURES = {"trials": trials, "aa": pairs, "autocorrelation": autocorrelations, "detectable": detectable}
