"""The four runs of one minute, one beside the other: throughput, Dirty under its limit, and what backends wait for."""

from __future__ import annotations

import pandas as pd
from plotly.subplots import make_subplots

from benchbook.experiments import notes
from benchbook.experiments.cliff_reanalysis.falls import limit_gib
from benchbook.experiments.cliff_reanalysis.reports import BASELINE, SOURCES, A, B, C, Report
from benchbook.experiments.cliff_reanalysis.summary import Summary
from benchbook.experiments.shape.drawn import Drawn
from benchbook.experiments.shape.marks import COLOURS
from benchbook.figures import theme

SHOWN = (BASELINE, A, B, C)
WAITS = {"wal_write": "waits for the log", "data_file_write": "waits to write", "data_file_read": "waits to read"}
LENGTH_S = 60
SMOOTH = 5
"""Waits are of single moments and jump; the line is their mean over so many samples."""


def timelines(summary: Summary) -> Drawn:
    """One column per run, one row per quantity, one time axis."""
    plot = make_subplots(
        rows=3, cols=len(SHOWN), shared_xaxes=True, shared_yaxes="rows", vertical_spacing=0.06,
        horizontal_spacing=0.02, column_titles=[name if name == BASELINE else f"run {name}" for name in SHOWN],
    )  # fmt: skip
    percent, rows, tops = summary.parameters.dirty_limit_percent, [], dict.fromkeys((1, 2, 3), 0.0)
    for column, name in enumerate(SHOWN, start=1):
        report = summary.reports[name]
        for row, (label, frame, look) in enumerate(_series(report, percent), start=1):
            tops[row] = max(tops[row], *(float(values.loc[:LENGTH_S].max()) for values in frame.values()))
            for place, (series, values) in enumerate(frame.items()):
                plot.add_scatter(
                    x=values.index, y=values, name=series, legendgroup=series, showlegend=column == 1, mode="lines",
                    line={"color": COLOURS[(look + place) % 6], "dash": theme.DASHES[place]}, row=row, col=column,
                )  # fmt: skip
                rows += [{"run": name, "what": f"{label}: {series}", "time (s)": t, "value": v}
                         for t, v in values.dropna().items()]  # fmt: skip
        held = summary.falls[name].plateau
        if held is not None:
            for row in (1, 2, 3):
                plot.add_vline(x=held.second, line={"dash": "dot", "color": theme.COLOURS["grey"]}, row=row, col=column)
    for row, title in enumerate(("TPS", "Dirty (GiB)", "waiting backends"), start=1):
        plot.update_yaxes(title=title, row=row, col=1)
        plot.update_yaxes(range=[0, 1.05 * tops[row]], row=row)
    plot.update_xaxes(range=[0, LENGTH_S], tickvals=[10, 30, 50])
    plot.update_xaxes(title="time (s)", row=3)
    plot.update_layout(height=620)
    said = "; ".join(f"{name}: {_said(summary, name)}" for name in SHOWN)
    return Drawn(plot, pd.DataFrame(rows), said, run_id=notes.run_id(*SOURCES["timelines"]))


def _said(summary: Summary, name: str) -> str:
    found = summary.falls[name]
    if found.plateau is None or found.tps_s is None:
        return f"Dirty never exceeds {1024 * found.highest_gib:.1f} MiB and throughput does not fall"
    return (
        f"Dirty reaches {found.plateau.gib:.2f} GiB in second {found.plateau.second}, throughput falls at "
        f"{found.tps_s:.0f} s"
    )


def _series(report: Report, percent: float) -> list[tuple[str, dict[str, pd.Series], int]]:
    """Label, series by name and first colour of each row."""
    dirty = report.dirty[report.dirty["t_s"].between(0, LENGTH_S)].set_index("t_s")["gib"]
    limit = pd.Series({second: limit_gib(report, int(second), percent) for second in dirty.index})
    waits = report.waits.set_index("t_s")
    smooth = {text: waits[column].rolling(SMOOTH, min_periods=1).mean() for column, text in WAITS.items()}
    return [
        ("throughput", {"TPS": report.throughput.set_index("t_s")["tps"]}, 0),
        ("memory", {"Dirty": dirty, f"{percent:g} % of available memory": limit}, 1),
        ("backends", smooth, 3),
    ]
