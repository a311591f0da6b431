"""Figures: throughput beside reads from disk, throughput along each run, and what a transaction takes of processors."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook.experiments import notes
from benchbook.experiments.r8g_reported import number, throughputs
from benchbook.experiments.r8g_reports import RISING, STEP_S, Report
from benchbook.experiments.rounds_reanalysis.places import COURSE, PROCESSORS, READS, TABLES
from benchbook.experiments.rounds_reanalysis.summary import Summary
from benchbook.experiments.rounds_reanalysis.words import called
from benchbook.experiments.shape.marks import COLOURS
from benchbook.figures import Figure, theme

COLUMNS = 3
TICKS_S = [0, 20, 40, 60]


def reads(summary: Summary) -> Figure:
    """Throughput of each run, with its reads from disk beside it."""
    plot, every, warm = go.Figure(), list(summary.runs.values()), summary.warm
    few = summary.parameters.few_reads
    rest = [each for each in every if each not in warm]
    for place, (name, found) in enumerate(((f"at most {few:,} reads", warm), (f"more than {few:,} reads", rest))):
        plot.add_scatter(
            x=[each.tps for each in found], y=[called(each) for each in found], name=name, mode="markers+text",
            text=[f"{each.reads:,}" for each in found], textposition="middle right",
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 12}, cliponaxis=False,
            hovertemplate="%{y}: %{x:,.0f} TPS with %{text} reads from disk<extra></extra>",
        )  # fmt: skip
    plot.update_yaxes(categoryorder="array", categoryarray=[called(each) for each in reversed(every)])
    plot.update_xaxes(title="transactions per second", range=[0, 10_500])
    low, high = (pick(each.tps for each in warm) for pick in (min, max))
    return _figure(
        READS,
        "Runs that read nothing from disk are slow as well as fast",
        "Throughput of the nine runs of a minute. The number at each point is how often the data volume was read in "
        f"the run. {number(len(warm)).capitalize()} runs read next to nothing and have {low:,.0f} to {high:,.0f} TPS. "
        "One run each, so there are no intervals.",
        f"Nine points, one a row. Runs with at most {few:,} reads: {throughputs(warm)} TPS. Runs with more: "
        f"{throughputs(rest)} TPS.",
        plot,
        pd.DataFrame(
            {
                "run": [called(each) for each in every],
                "TPS": [each.tps for each in every],
                "reads from disk": [each.reads for each in every],
                "scale": [each.scale for each in every],
            }
        ),
    )


def course(summary: Summary) -> Figure:
    """Throughput every 5 s, a panel for each run."""
    plot, rows = _panels(summary), []
    for report, row, column in _placed(summary):
        found = report.course
        plot.add_scatter(
            x=found["t_s"], y=found["tps"], name=called(report), mode="lines+markers", showlegend=False,
            line={"color": COLOURS[0], "dash": "solid"}, marker={"symbol": "circle", "size": 5}, row=row, col=column,
        )  # fmt: skip
        rows.append(found[["t_s", "tps"]].assign(run=called(report)))
    plot.update_yaxes(range=[0, 10_000])
    plot.update_yaxes(title="TPS", col=1)
    rising = summary.runs[RISING].course["tps"]
    return _figure(
        COURSE,
        "Throughput changes within single runs too",
        "Means of 5 s, as pgbench prints them, a panel for each run, called as in the note. Within one run throughput "
        f"rises from {rising.iloc[0]:,.0f} to {rising.iloc[-1]:,.0f} TPS, and in another it drops three times for some "
        "seconds. Round 1 has 2.5 times the data of the others.",
        "Nine panels. " + "; ".join(_ends(report) for report in summary.runs.values()) + ".",
        plot,
        pd.concat(rows).rename(columns={"t_s": "end of the 5 s", "tps": "TPS"}),
    )


def processors(summary: Summary) -> Figure:
    """User and system time of a transaction every 5 s, stacked, a panel for each run."""
    plot, rows = _panels(summary), []
    for report, row, column in _placed(summary):
        found = report.course
        for place, name in enumerate(("user", "system")):
            plot.add_bar(
                x=found["t_s"] - STEP_S / 2, y=found[f"{name}_us"], name=f"{name} time", legendgroup=name,
                showlegend=(row, column) == (1, 1), marker={"color": COLOURS[place], "pattern": {"shape": "/" * place}},
                width=4, row=row, col=column,
            )  # fmt: skip
        rows.append(found[["t_s", "user_us", "system_us"]].assign(run=called(report)))
    plot.update_layout(barmode="stack")
    plot.update_yaxes(range=[0, 650])
    plot.update_yaxes(title="µs", col=1)
    fast, slow = summary.fast, summary.slow[0]
    return _figure(
        PROCESSORS,
        "Slow runs take more processor time for each transaction",
        "Processor time over transactions, every 5 s, a panel for each run. A transaction of round 2 takes "
        f"{fast.user_us:.0f} µs of user and {fast.system_us:.0f} µs of system time; in a slow run, equally warm, "
        f"{slow.user_us:.0f} and {slow.system_us:.0f} µs.",
        "Nine panels of stacked bars. Mean user and system time in µs: "
        + "; ".join(f"{called(each)} {each.user_us:.0f} and {each.system_us:.0f}" for each in summary.runs.values())
        + ".",
        plot,
        pd.concat(rows).rename(
            columns={"t_s": "end of the 5 s", "user_us": "user time (µs)", "system_us": "system time (µs)"}
        ),
    )


def _panels(summary: Summary) -> go.Figure:
    runs = list(summary.runs.values())
    rows = -(-len(runs) // COLUMNS)
    plot = make_subplots(
        rows=rows, cols=COLUMNS, shared_xaxes=True, shared_yaxes=True, vertical_spacing=0.09, horizontal_spacing=0.03,
        subplot_titles=[called(each) for each in runs],
    )  # fmt: skip
    plot.update_xaxes(range=[0, 62], tickvals=TICKS_S)
    plot.update_xaxes(title="time (s)", row=rows)
    plot.update_layout(height=620)
    plot.update_annotations(font={"size": 13})
    return plot


def _placed(summary: Summary) -> Iterator[tuple[Report, int, int]]:
    for place, report in enumerate(summary.runs.values()):
        yield report, place // COLUMNS + 1, place % COLUMNS + 1


def _ends(report: Report) -> str:
    tps = report.course["tps"]
    return f"{called(report)} from {tps.iloc[0]:,.0f} to {tps.iloc[-1]:,.0f} TPS"


def _figure(identity: str, title: str, caption: str, alt: str, plot: go.Figure, data: pd.DataFrame) -> Figure:
    return Figure(identity, caption, alt, theme.apply(plot), data, notes.run_id(*TABLES[identity]), title=title)


FIGURES = {"reads": reads, "course": course, "processors": processors}
