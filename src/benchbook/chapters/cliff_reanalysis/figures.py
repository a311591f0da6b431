"""Figures: the runs on one time axis, the devices' writes, the pool by simulation, and where the gain comes from."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook import notes
from benchbook.chapters.cliff_reanalysis import pool
from benchbook.chapters.cliff_reanalysis.numbers import Summary
from benchbook.chapters.cliff_reanalysis.reports import BASELINE, SOURCES, STEP_S, A, B, C, Report, limit_gib
from benchbook.drawing.drawn import Drawn
from benchbook.drawing.marks import COLOURS
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
        horizontal_spacing=0.02, column_titles=[*map(_titled, SHOWN)],
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
    for row, title in enumerate(("transactions/s", "Dirty (GiB)", "connections"), start=1):
        plot.update_yaxes(title=title, row=row, col=1)
        plot.update_yaxes(range=[0, 1.05 * tops[row]], row=row)
    plot.update_xaxes(range=[0, LENGTH_S], tickvals=[10, 30, 50])
    plot.update_xaxes(title="time (s)", row=3)
    plot.update_layout(height=620)
    return _drawn("timelines", plot, pd.DataFrame(rows))


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


def devices(summary: Summary) -> Drawn:
    """Writes of all disks together, second by second."""
    plot, rows = go.Figure(), []
    for place, name in enumerate((BASELINE, A, B)):
        found = summary.reports[name].devices
        plot.add_scatter(
            x=found["t_s"], y=found["device_writes"], name=_titled(name), mode="lines",
            line={"color": COLOURS[place], "dash": theme.DASHES[place]},
        )  # fmt: skip
        rows.append(found[["t_s", "device_writes"]].assign(run=name))
    start, _ = summary.filled
    plot.add_vline(x=start, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.add_annotation(
        x=start, y=0.3, yref="paper", text="A's pool is full", showarrow=False, xanchor="left", xshift=4
    )
    plot.update_xaxes(title="time since the start of pgbench (s)", range=[-1, 62])
    plot.update_yaxes(title="writes to all disks (per second)", rangemode="tozero")
    return _drawn("devices", plot, pd.concat(rows).rename(columns={"t_s": "time (s)", "device_writes": "writes (1/s)"}))


def simulated(summary: Summary) -> Drawn:
    """Allocations that a pool of each size would have had, and those that were counted."""
    plot, rows = go.Figure(), []
    for place, (name, counts) in enumerate(summary.curves.items()):
        millions, counted = [each / 1e6 for each in counts], summary.reports[name].allocated / 1e6
        look = {"color": COLOURS[place], "dash": theme.DASHES[place]}
        plot.add_scatter(
            x=list(pool.SIZES_GIB), y=millions, name=f"{_titled(name)}, simulated", mode="lines+markers", line=look,
            marker={"symbol": theme.SYMBOLS[place], "size": 8},
        )  # fmt: skip
        found = summary.fits[name]
        plot.add_scatter(
            x=[found.gib], y=[counted], name=f"{_titled(name)}, counted", mode="markers",
            marker={"color": COLOURS[place], "symbol": "star", "size": 14},
            error_x=theme.error_bars([found.gib], [found.low], [found.high]),
        )  # fmt: skip
        rows += [{"run": name, "pool (GiB)": size, "allocations": count, "what": "simulated"}
                 for size, count in zip(pool.SIZES_GIB, counts, strict=True)]  # fmt: skip
        rows.append({"run": name, "pool (GiB)": found.gib, "allocations": summary.reports[name].allocated,
                     "what": "counted, at the pool that fits"})  # fmt: skip
    for size, top, text in ((4, 1.0, "4: what the smaller machine had"), (16, 0.9, "16: what the note says")):
        plot.add_vline(x=size, line={"dash": "dot", "color": theme.COLOURS["grey"]})
        plot.add_annotation(
            x=size, y=top, yref="paper", text=text, showarrow=False, xanchor="left" if size < 10 else "right",
            xshift=4 if size < 10 else -4, yanchor="top",
        )  # fmt: skip
    plot.update_xaxes(title="buffer pool (GiB)", range=[0, max(pool.SIZES_GIB) + 1])
    plot.update_yaxes(title="pages allocated in the run (millions)", rangemode="tozero")
    return _drawn("pool", plot, pd.DataFrame(rows))


def gain(summary: Summary) -> Drawn:
    """B over A, for each 5 s."""
    a, b = (summary.reports[name].throughput for name in (A, B))
    ratio = b["tps"] / a["tps"]
    plot = go.Figure()
    plot.add_bar(x=b["t_s"] - STEP_S / 2, y=ratio, name="B over A", marker={"color": COLOURS[0]}, width=4)
    plot.add_hline(y=1, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.update_xaxes(title="time since the start of pgbench (s)", range=[0, 60])
    plot.update_yaxes(title="throughput of B over that of A<br>(above 1: B is faster)", rangemode="tozero")
    data = pd.DataFrame({"end of the 5 s": b["t_s"], "A (TPS)": a["tps"], "B (TPS)": b["tps"], "B / A": ratio})
    return _drawn("gain", plot, data)


def _titled(name: str) -> str:
    return name if name == BASELINE else f"run {name}"


def _drawn(name: str, plot: go.Figure, data: pd.DataFrame) -> Drawn:
    return Drawn(plot, data, run_id=notes.run_id(*SOURCES[name]))


FIGURES = {"timelines": timelines, "gain": gain, "devices": devices, "pool": simulated}
