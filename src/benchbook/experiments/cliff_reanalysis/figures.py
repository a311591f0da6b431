"""Figures: the runs on one time axis, the devices' writes, the pool by simulation, and where the gain comes from.

Their words stand in page.md.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments import notes
from benchbook.experiments.cliff_reanalysis import falls, pool
from benchbook.experiments.cliff_reanalysis.reports import BASELINE, SOURCES, A, B
from benchbook.experiments.cliff_reanalysis.small_multiples import timelines
from benchbook.experiments.cliff_reanalysis.summary import Summary
from benchbook.experiments.shape.drawn import Drawn
from benchbook.experiments.shape.marks import COLOURS
from benchbook.figures import theme


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
    said = "; ".join(f"{name} {each.gib:.1f} GiB ({each.low:.1f} to {each.high:.1f})" for name, each in
                     summary.fits.items())  # fmt: skip
    return _drawn("pool", plot, pd.DataFrame(rows), said)


def gain(summary: Summary) -> Drawn:
    """B over A, for each 5 s."""
    a, b = (summary.reports[name].throughput for name in (A, B))
    ratio = b["tps"] / a["tps"]
    plot = go.Figure()
    plot.add_bar(x=b["t_s"] - falls.STEP_S / 2, y=ratio, name="B over A", marker={"color": COLOURS[0]}, width=4)
    plot.add_hline(y=1, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.update_xaxes(title="time since the start of pgbench (s)", range=[0, 60])
    plot.update_yaxes(title="TPS of B over TPS of A", rangemode="tozero")
    return _drawn(
        "gain",
        plot,
        pd.DataFrame({"end of the 5 s": b["t_s"], "A (TPS)": a["tps"], "B (TPS)": b["tps"], "B / A": ratio}),
    )


def _titled(name: str) -> str:
    return name if name == BASELINE else f"run {name}"


def _drawn(name: str, plot: go.Figure, data: pd.DataFrame, said: str = "") -> Drawn:
    return Drawn(plot, data, said, run_id=notes.run_id(*SOURCES[name]))


FIGURES = {"timelines": timelines, "gain": gain, "devices": devices, "pool": simulated}
