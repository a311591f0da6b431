"""Figures: the notes' runs and what they can show, their sums done again, and a column with two meanings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook import notes
from benchbook.chapters.notes_reanalysis import numbers, runs
from benchbook.chapters.notes_reanalysis.runs import LENGTH_S, STEP_S, Summary
from benchbook.drawing.drawn import Drawn
from benchbook.drawing.marks import COLOURS, bars, by_label
from benchbook.figures import theme
from benchbook.model import Estimate

SOURCES = {
    "timelines": ("c8gb_runs", "c8gb_timeline", "r8g_runs", "r8g_timeline"),
    "validation": ("r8g_runs", "r8g_validation", "readings"),
    "arithmetic": (
        "badger_configs", "badger_memory_budget", "badger_metrics", "c8gb_hardware", "c8gb_runs", "c8gb_volumes",
        "lakebase_constants", "omendb_breakdown", "omendb_latency", "omendb_speedup", "omendb_statements",
        "r8g_config", "r8g_runs", "r8g_statements", "readings",
    ),
    "speedup": ("omendb_speedup", "omendb_statements", "readings"),
    "single_run": ("c8gb_changes", "r8g_changes", "omendb_latency"),
}  # fmt: skip
"""Tables of data/notes behind each figure; their hash names the data that it shows."""
TITLES = {"002": "Note 002, c8gb.8xlarge", "003": "Note 003, r8g.xlarge"}
EDGE = 2.0
"""Ratios beyond a factor of two are drawn at the figure's edge and written out."""


def _drawn(
    name: str, plot: go.Figure, data: pd.DataFrame, said: object = "", estimates: Sequence[Estimate] = ()
) -> Drawn:
    """A drawing of numbers that the notes print. name: one of SOURCES."""
    return Drawn(plot, data, said, estimates, run_id=notes.run_id(*SOURCES[name]))


def timelines(summary: Summary) -> Drawn:
    """Throughput along every run, with what the notes leave out left out."""
    plot = make_subplots(rows=len(TITLES), cols=1, subplot_titles=[*TITLES.values()], vertical_spacing=0.16)
    rows = []
    for place, each in enumerate(summary.timelines):
        printed, style = dict(zip(each.ends_s, each.tps, strict=True)), place % 3
        ends = range(STEP_S, LENGTH_S + 1, STEP_S)  # a line breaks where the note leaves intervals out
        plot.add_scatter(
            x=list(ends), y=[printed.get(end) for end in ends], name=each.name, mode="lines+markers",
            row=1 + [*TITLES].index(each.note), col=1, line={"color": COLOURS[place], "dash": theme.DASHES[style]},
            marker={"symbol": theme.SYMBOLS[style], "size": 8},
        )  # fmt: skip
        rows += [{"run": each.name, "time (s)": t, "TPS": tps} for t, tps in printed.items()]
    plot.update_yaxes(title="TPS", rangemode="tozero")
    plot.update_xaxes(range=[0, LENGTH_S + 2], tickvals=list(range(0, LENGTH_S + 1, 10)))
    plot.update_xaxes(title="time (s)", row=len(TITLES), col=1)
    plot.update_layout(height=620)
    return _drawn("timelines", plot, pd.DataFrame(rows))


def validation(summary: Summary) -> Drawn:
    """The single rounds and the five repeated runs on one axis, with the intervals that exist."""
    found, rounds = summary.validation, notes.table("r8g_runs")
    estimates = {"mean of the five": found.estimate, "one more run, predicted": runs.next_run(found.tps)}
    single = {f"round {number} (one run)": float(tps) for number, tps in rounds[["round", "tps"]].values}
    again = {
        f"validation: {label.lower()}, {place}": tps
        for place, (label, tps) in enumerate(zip(found.states, found.tps, strict=True), start=1)
    }
    rows = [{"what": what, "TPS": tps, "low (TPS)": None, "high (TPS)": None, "n": 1}
            for what, tps in (single | again).items()]  # fmt: skip
    rows += [{"what": what, "TPS": e.point, "low (TPS)": e.low, "high (TPS)": e.high, "n": e.n}
             for what, e in estimates.items()]  # fmt: skip
    plot = go.Figure()
    for place, (name, part, intervals) in enumerate((
        ("single rounds", single, {}), ("validation runs", again, {}),
        ("95 % interval", {what: e.point for what, e in estimates.items()}, {"error_x": bars(estimates.values())}),
    )):  # fmt: skip
        plot.add_scatter(
            x=list(part.values()), y=list(part), name=name, mode="markers",
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 10}, **intervals,
        )  # fmt: skip
    plot.update_xaxes(title="throughput (TPS, more is faster)")
    by_label(plot, [str(row["what"]) for row in rows], height=480, each=0)
    return _drawn("validation", plot, pd.DataFrame(rows), estimates=[*estimates.values()])


def single_run(summary: Summary) -> Drawn:
    """Half-width of a ratio's interval against the number of runs, and where the notes' changes would stand out."""
    most, sd = summary.parameters.most_runs, summary.sd
    widths = {n: runs.half_width_percent(sd, n) for n in range(2, most + 1)}
    needed = {pair: pair.runs_needed(sd) or math.inf for pair in summary.pairs}
    shown = pd.DataFrame([
        {"what": pair.name, "runs": n, "%": 100 * math.expm1(abs(math.log(pair.ratio)))}
        for pair, n in needed.items() if n <= most
    ], columns=["what", "runs", "%"])  # fmt: skip
    plot = go.Figure()
    plot.add_scatter(
        x=list(widths), y=list(widths.values()), name="half-width of the interval", mode="lines",
        line={"color": COLOURS[0]},
    )  # fmt: skip
    plot.add_scatter(
        x=shown["runs"].tolist(), y=shown["%"].tolist(), name="the notes' changes", mode="markers",
        text=shown["what"].tolist(), marker={"color": COLOURS[1], "symbol": theme.SYMBOLS[1], "size": 9},
    )  # fmt: skip
    for place, part in shown.sort_values("%", ascending=False, kind="stable").groupby("runs"):
        plot.add_annotation(
            x=place, y=math.log10(part["%"].iloc[0]), text="<br>".join(part["what"]), showarrow=False,
            align="left", xanchor="left", yanchor="middle", xshift=10, yshift=4, font={"size": 12},
        )  # fmt: skip
    plot.update_xaxes(title="runs of each configuration", range=[0, most + 1])
    plot.update_yaxes(**theme.decades(), title="smallest visible change (%)")
    plot.add_vline(x=1, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.add_annotation(x=1, y=1, yref="paper", text="one run: no interval", showarrow=False, xanchor="left", xshift=4)
    plot.update_layout(height=480)
    curve = pd.DataFrame({"what": "half-width", "runs": widths.keys(), "%": widths.values()})
    return _drawn("single_run", plot, pd.concat([curve, shown], ignore_index=True))


def arithmetic(summary: Summary) -> Drawn:
    """Recomputed over claimed, one row per sum, with the region in which it counts as right."""
    every = numbers.sums(summary)
    found = every[every["drawn"]]
    labels, shown = found["metric"] + ", " + found["claim"], found["ratio"].clip(1 / EDGE, EDGE)
    plot = go.Figure()
    plot.add_bar(
        x=found["high"] - found["low"], base=found["low"], y=labels.tolist(), orientation="h", name="counts as right",
        marker={"color": "rgba(125, 125, 125, 0.35)"}, hoverinfo="skip",
    )  # fmt: skip
    for place, (name, chosen) in enumerate((("follows", found["right"]), ("does not follow", ~found["right"]))):
        ratios = found["ratio"][chosen]
        plot.add_scatter(
            x=shown[chosen], y=labels[chosen].tolist(), name=name, mode="markers+text",
            text=["" if name == "follows" else numbers.factor(ratio) for ratio in ratios],
            textposition=["middle right" if 1 < ratio < EDGE or ratio <= 1 / EDGE else "middle left"
                          for ratio in ratios],
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
        )  # fmt: skip
    ticks = {0.5: "≤ 0.5", 0.7: "0.7", 1: "1", 1.4: "1.4", 2: "≥ 2"}
    plot.update_xaxes(
        type="log", range=[math.log10(0.47), math.log10(2.13)], title="recomputed ÷ claimed",
        tickvals=[*ticks], ticktext=[*ticks.values()],
    )  # fmt: skip
    by_label(plot, labels.tolist(), height=160, each=20)
    plot.update_yaxes(tickfont={"size": 11})
    plot.update_layout(barmode="overlay")
    shown_as = {"ratio": "recomputed / claimed", "low": "region low", "high": "region high"}
    return _drawn("arithmetic", plot, every.drop(columns=["right", "drawn"]).rename(columns=shown_as))


def speedup(summary: Summary) -> Drawn:
    """The printed speed-ups beside the two quantities that they could be."""
    found, plot = numbers.speedups(), go.Figure()
    for place, name in enumerate(("printed", "queries", "mean of both")):
        plot.add_scatter(
            x=found["rows"], y=found[name], name={"printed": "printed in note 004's table"}.get(name, name),
            mode="lines+markers", line={"color": COLOURS[place], "dash": theme.DASHES[place]},
            marker={"symbol": theme.SYMBOLS[place], "size": 11 - 2 * place},
        )  # fmt: skip
    low, high = (notes.number("omendb_statements", "value", name=f"claimed_speedup_{end}") for end in ("lo", "hi"))
    plot.add_hrect(y0=low, y1=high, fillcolor="rgba(125, 125, 125, 0.2)", line_width=0)
    plot.add_hline(y=1, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.update_xaxes(
        type="log", title="rows", tickvals=found["rows"].tolist(), ticktext=[f"{size:,}" for size in found["rows"]]
    )
    plot.update_yaxes(title="SQLite ÷ OmenDB<br>(above 1: OmenDB faster)", rangemode="tozero")
    return _drawn("speedup", plot, found, found.to_dict("records"))


FIGURES = {
    "timelines": timelines, "validation": validation, "single_run": single_run, "arithmetic": arithmetic,
    "speedup": speedup,
}  # fmt: skip
