"""Figures: throughput beside reads from disk, throughput along each run, and what a transaction takes of processors.

Their words stand in the page.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook import notes
from benchbook.chapters.rounds_reanalysis.numbers import Summary
from benchbook.drawing.drawn import Drawn
from benchbook.drawing.marks import COLOURS
from benchbook.figures import theme
from benchbook.notes.r8g_reports import CPU, REPORTS, STEP_S, TPS, Report

COLUMNS = 3
TICKS_S = [0, 20, 40, 60]
SOURCES = {"reads": (REPORTS,), "course": (REPORTS, TPS), "processors": (REPORTS, TPS, CPU)}
"""Tables of data/notes/raw behind each figure; their hash names the data that it shows."""
SHORT = {"": "unmentioned", "Warming (ended at 9.4K)": "rising to 9.4K", "Reset by CHECKPOINT": "reset"}
"""Where the note's name of a run is too long."""


def called(report: Report) -> str:
    """Clock and name, such as "11:24 round 2"."""
    name = SHORT.get(report.name, report.name)
    return f"{report.clock[:5]} {name[:1].lower()}{name[1:]}"


def reads(summary: Summary) -> Drawn:
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
    return _drawn(
        "reads",
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


def course(summary: Summary) -> Drawn:
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
    plot.update_yaxes(title="transactions per second", row=2, col=1)
    return _drawn(
        "course",
        plot,
        pd.concat(rows).rename(columns={"t_s": "end of the 5 s", "tps": "TPS"}),
        "; ".join(_ends(report) for report in summary.runs.values()),
    )


def processors(summary: Summary) -> Drawn:
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
    plot.update_yaxes(title="µs per transaction", row=2, col=1)
    return _drawn(
        "processors",
        plot,
        pd.concat(rows).rename(
            columns={"t_s": "end of the 5 s", "user_us": "user time (µs)", "system_us": "system time (µs)"}
        ),
        "; ".join(f"{called(each)} {each.user_us:.0f} and {each.system_us:.0f}" for each in summary.runs.values()),
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


def _drawn(name: str, plot: go.Figure, data: pd.DataFrame, said: str = "") -> Drawn:
    return Drawn(plot, data, said, run_id=notes.run_id(*SOURCES[name]))


FIGURES = {"reads": reads, "course": course, "processors": processors}
