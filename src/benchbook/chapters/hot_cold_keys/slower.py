"""Mean latency on slower storage and over a longer way, with the note's numbers as lines across."""

from __future__ import annotations

import pandas as pd
from plotly.subplots import make_subplots

from benchbook.chapters.hot_cold_keys import arms
from benchbook.chapters.hot_cold_keys.arms import CELLS, PIPELINE, SERIAL, cell
from benchbook.chapters.hot_cold_keys.held import Cells, Summary, before, cells, largest
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.marks import COLOURS, bars
from benchbook.figures import theme
from benchbook.pages.tables import distinct

NOTE = {arms.HOT_CELL: ("min", "the note's fastest"), arms.DISJOINT_CELL: ("p50", "the note's median")}
CERTIFIED = {"measured_read_ms": "read as measured (ms)", "measured_trip_ms": "trip as measured (ms)"}


def surface(summary: Summary) -> Drawn | Blank:
    """Mean latency by what is added to a read; the note's numbers as lines across."""
    found = cells(summary)
    if not found:
        return Blank("Nothing was measured on slower storage", "give added_read_ms")
    read, trip = largest(summary)
    plot = make_subplots(
        rows=1, cols=len(CELLS), shared_yaxes=True, horizontal_spacing=0.03,
        subplot_titles=["<br>".join(name.rsplit(" ", 1)) for name, *_ in CELLS.values()],  # narrow on a phone
    )  # fmt: skip
    for column, keys in enumerate(CELLS, start=1):
        for place, each in enumerate(sorted(summary.parameters.added_trip_ms)):
            line = {key[1]: e for key, e in found.items() if key[0] == keys and key[2:] == (each, SERIAL)}
            name = f"+{each:g} ms a trip, one trip per table"
            plot.add_scatter(
                x=list(line), y=[e.point for e in line.values()], error_y=bars(line.values()), name=name,
                legendgroup=name, showlegend=column == 1, mode="lines+markers",
                line={"color": COLOURS[place % 6], "dash": theme.DASHES[place % 6]},
                marker={"symbol": theme.SYMBOLS[place % 6]}, row=1, col=column,
            )  # fmt: skip
        single = found.get((keys, read, trip, PIPELINE))
        if single is not None:
            plot.add_scatter(
                x=[read], y=[single.point], error_y=bars([single]), name=f"+{trip:g} ms a trip, one pipeline",
                legendgroup=PIPELINE, showlegend=column == 1, mode="markers",
                marker={"symbol": "star", "size": 12, "color": COLOURS[5]}, row=1, col=column,
            )  # fmt: skip
        if keys in NOTE:
            metric, note = NOTE[keys]
            value = before(metric)
            plot.add_scatter(
                x=[0, read], y=[value, value], name=f"{note} ({value:g} ms)", mode="lines",
                line={"color": COLOURS[5], "dash": "longdash" if column == 1 else "dot"}, row=1, col=column,
            )  # fmt: skip
    plot.update_layout(height=420, margin={"t": 84})  # titles of two lines, below the buttons
    plot.update_xaxes(tickvals=sorted(summary.parameters.added_read_ms))
    plot.update_xaxes(title="added to each read (ms)", col=2)
    plot.update_yaxes(title="mean latency of a request (ms)", rangemode="tozero", col=1)
    return Drawn(plot, pd.DataFrame(_rows(summary, found)), estimates=[*found.values()])


def _rows(summary: Summary, found: Cells) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for (keys, read, trip, client), estimate in found.items():
        arm = cell(keys, read, trip, client)
        certified = summary.in_blocks(arm)
        row: dict[str, object] = {"keys": CELLS[keys][0], "look-ups": client, "added to a read (ms)": read}
        row |= {"added to a trip (ms)": trip, "mean (ms)": estimate.point, "low": estimate.low, "high": estimate.high}
        row["blocks read per request"] = certified["pool_misses_per_request"].mean()
        for name, words in CERTIFIED.items():
            row[words] = certified[name].mean() if name in certified else None
        row["trials"] = estimate.n
        row["certified cache"] = distinct(summary, "cache_state")(arm)
        rows.append(row)
    return rows
