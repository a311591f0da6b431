"""Figures: the notes' runs and what they can show, their sums done again, and a column with two meanings.

Their words stand in page.md.
"""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis.run_figures import drawn, single_run, timelines, validation
from benchbook.experiments.notes_reanalysis.summary import Summary
from benchbook.experiments.notes_reanalysis.sums import factor, sums
from benchbook.experiments.shape.drawn import Drawn
from benchbook.experiments.shape.marks import COLOURS, by_label
from benchbook.figures import theme

EDGE = 2.0
"""Ratios beyond a factor of two are drawn at the figure's edge and written out."""
ROUNDED = 0.0101
"""Three numbers printed to two decimals: the mean of two may differ by one in the last place."""
SIZES = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000, "10m": 10_000_000}


def arithmetic(summary: Summary) -> Drawn:
    """Recomputed over claimed, one row per sum, with the region in which it counts as right."""
    every = sums(summary)
    found = every[every["drawn"]]
    inside = found["right"]
    labels = [f"{row.claim} {row.metric}" for row in found.itertuples()]
    shown = found["ratio"].clip(1 / EDGE, EDGE)
    plot = go.Figure()
    plot.add_bar(
        x=found["high"] - found["low"], base=found["low"], y=labels, orientation="h", name="counts as right",
        marker={"color": "rgba(125, 125, 125, 0.35)"}, hoverinfo="skip",
    )  # fmt: skip
    for place, (name, chosen) in enumerate((("follows", inside), ("does not follow", ~inside))):
        part = found[chosen]
        plot.add_scatter(
            x=shown[chosen], y=[label for label, keep in zip(labels, chosen, strict=True) if keep], name=name,
            mode="markers+text", text=["" if name == "follows" else factor(ratio) for ratio in part["ratio"]],
            textposition=["middle right" if 1 < ratio < EDGE or ratio <= 1 / EDGE else "middle left"
                          for ratio in part["ratio"]],
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
        )  # fmt: skip
    ticks = [0.5, 0.7, 1, 1.4, 2]
    plot.update_xaxes(
        type="log", range=[math.log10(0.47), math.log10(2.13)], title="recomputed over claimed",
        tickvals=ticks, ticktext=["≤ 0.5", *(f"{tick:g}" for tick in ticks[1:-1]), "≥ 2"],
    )  # fmt: skip
    by_label(plot, labels, height=160, each=20)
    plot.update_yaxes(tickfont={"size": 11})
    plot.update_layout(barmode="overlay")
    shown_as = {"ratio": "recomputed / claimed", "low": "region low", "high": "region high"}
    return drawn("arithmetic", plot, every.drop(columns=["right", "drawn"]).rename(columns=shown_as))


def speedup_table() -> pd.DataFrame:
    """One row per size: the printed speed-up, that of queries, that of inserts, and the mean of the last two."""
    printed = notes.table("omendb_speedup").set_index("scale_rows")["before"]
    rows = []
    for name, size in SIZES.items():
        query, insert = notes.reading(f"query_speedup_{name}"), notes.reading(f"insert_speedup_{name}")
        row = {
            "printed": float(printed[size]),
            "queries": query,
            "inserts": insert,
            "mean of both": (query + insert) / 2,
        }
        same = [what for what in ("queries", "mean of both") if abs(row["printed"] - row[what]) <= ROUNDED]
        rows.append({"rows": size, **row, "printed is": " and ".join(same) or "neither"})
    return pd.DataFrame(rows)


def speedup(summary: Summary) -> Drawn:
    """The printed speed-ups beside the two quantities that they could be."""
    found = speedup_table()
    plot = go.Figure()
    series = ("printed", "queries", "mean of both")
    for place, name in enumerate(series):
        plot.add_scatter(
            x=found["rows"], y=found[name], name={"printed": "printed in note 004's table"}.get(name, name),
            mode="lines+markers", line={"color": list(theme.COLOURS.values())[place], "dash": theme.DASHES[place]},
            marker={"symbol": theme.SYMBOLS[place], "size": 11 - 2 * place},
        )  # fmt: skip
    low, high = (
        notes.number("omendb_statements", "value", name=f"claimed_speedup_{end}") for end in ("lo", "hi")
    )  # fmt: skip
    plot.add_hrect(y0=low, y1=high, fillcolor="rgba(125, 125, 125, 0.2)", line_width=0)
    plot.add_hline(y=1, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.update_xaxes(
        type="log", title="rows", tickvals=list(SIZES.values()), ticktext=[f"{size:,}" for size in SIZES.values()]
    )
    plot.update_yaxes(title="SQLite over OmenDB", rangemode="tozero")
    said = "; ".join(f"{row.rows:,} rows: {row.printed:g} is {row[-1]}" for row in found.itertuples(index=False))
    return drawn("speedup", plot, found, said)


FIGURES = {
    "timelines": timelines,
    "validation": validation,
    "single_run": single_run,
    "arithmetic": arithmetic,
    "speedup": speedup,
}
