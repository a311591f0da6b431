"""Figures of the notes' runs: along each run, repeated ones, and how many a change needs to stand out.

Their words stand in page.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis import runs
from benchbook.experiments.notes_reanalysis.runs import LENGTH_S, STEP_S
from benchbook.experiments.notes_reanalysis.summary import Summary
from benchbook.experiments.shape.drawn import Drawn
from benchbook.experiments.shape.marks import COLOURS, bars, by_label
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


def timelines(summary: Summary) -> Drawn:
    """Throughput along every run, with what the notes leave out left out."""
    titles = [TITLES[note] for note in dict.fromkeys(each.note for each in summary.timelines)]
    plot = make_subplots(rows=len(titles), cols=1, subplot_titles=titles, vertical_spacing=0.16)
    rows = []
    for place, each in enumerate(summary.timelines):
        printed, style = dict(zip(each.ends_s, each.tps, strict=True)), place % 3
        ends = range(STEP_S, LENGTH_S + 1, STEP_S)  # a line breaks where the note leaves intervals out
        plot.add_scatter(
            x=list(ends), y=[printed.get(end) for end in ends], name=each.name, mode="lines+markers",
            row=1 + titles.index(TITLES[each.note]), col=1,
            line={"color": COLOURS[place], "dash": theme.DASHES[style]},
            marker={"symbol": theme.SYMBOLS[style], "size": 8},
        )  # fmt: skip
        rows += [{"run": each.name, "time (s)": t, "TPS": tps} for t, tps in zip(each.ends_s, each.tps, strict=True)]
    plot.update_yaxes(title="TPS", rangemode="tozero")
    plot.update_xaxes(range=[0, LENGTH_S + 2], tickvals=list(range(0, LENGTH_S + 1, 10)))
    plot.update_xaxes(title="time (s)", row=len(titles), col=1)
    plot.update_layout(height=620)
    said = ", ".join(f"{each.name}: {each.cliff}" for each in summary.timelines)
    return drawn("timelines", plot, pd.DataFrame(rows), said)


def validation(summary: Summary) -> Drawn:
    """The single rounds and the five repeated runs on one axis, with the intervals that exist."""
    found = summary.validation
    mean, ahead = found.estimate, runs.next_run(found.tps)
    rounds = notes.table("r8g_runs")
    single = {f"round {number} (one run)": float(tps) for number, tps in rounds[["round", "tps"]].values}
    again = {
        f"validation: {label.split(' (')[0].lower()}, {place}": tps
        for place, (label, tps) in enumerate(zip(found.labels, found.tps, strict=True), start=1)
    }
    rows = [{"what": what, "TPS": tps, "low": None, "high": None, "n": 1} for what, tps in (single | again).items()]
    for what, each in (("mean of the five", mean), ("one more run, predicted", ahead)):
        rows.append({"what": what, "TPS": each.point, "low": each.low, "high": each.high, "n": each.n})
    plot = go.Figure()
    for place, (name, part) in enumerate((("single rounds", single), ("validation runs", again))):
        plot.add_scatter(
            x=list(part.values()), y=list(part), name=name, mode="markers",
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 10},
        )  # fmt: skip
    plot.add_scatter(
        x=[mean.point, ahead.point], y=[row["what"] for row in rows[-2:]], name="95 % interval", mode="markers",
        marker={"color": COLOURS[2], "symbol": theme.SYMBOLS[2], "size": 10},
        error_x=bars([mean, ahead]),
    )  # fmt: skip
    plot.update_xaxes(title="TPS")
    by_label(plot, [str(row["what"]) for row in rows], height=480, each=0)
    data = pd.DataFrame(rows).rename(columns={"low": "low (TPS)", "high": "high (TPS)"})
    return drawn("validation", plot, data, estimates=[mean, ahead])


def single_run(summary: Summary) -> Drawn:
    """Half-width of a ratio's interval against the number of runs, and where the notes' changes would stand out."""
    most, sd = summary.parameters.most_runs, summary.sd
    numbers = range(2, most + 1)
    widths = [runs.half_width_percent(sd, n) for n in numbers]
    rows = [{"what": "half-width", "runs": n, "%": width} for n, width in zip(numbers, widths, strict=True)]
    plot = go.Figure()
    plot.add_scatter(
        x=list(numbers), y=widths, name="half-width of the interval", mode="lines", line={"color": COLOURS[0]}
    )
    texts, shown = [], []
    for pair in summary.pairs:
        needed, size = pair.runs_needed(sd), 100 * math.expm1(abs(math.log(pair.ratio)))
        texts.append(f"{pair.name}: {needed if needed is not None else 'more than is practical'}")
        if needed is not None and needed <= most:
            rows.append({"what": pair.name, "runs": needed, "%": size})
            shown.append((needed, size, pair.name))
    plot.add_scatter(
        x=[needed for needed, _, _ in shown], y=[size for _, size, _ in shown], name="the notes' changes",
        mode="markers", text=[name for _, _, name in shown],
        marker={"color": COLOURS[1], "symbol": theme.SYMBOLS[1], "size": 9},
    )  # fmt: skip
    for place in sorted({needed for needed, _, _ in shown}):
        part = sorted((each for each in shown if each[0] == place), key=lambda each: -each[1])
        plot.add_annotation(
            x=place, y=math.log10(part[0][1]), text="<br>".join(name for _, _, name in part), showarrow=False,
            align="left", xanchor="left", yanchor="middle", xshift=10, yshift=4, font={"size": 12},
        )  # fmt: skip
    plot.update_xaxes(title="runs of each configuration", range=[0, most + 1])
    plot.update_yaxes(**theme.decades(), title="change (%)")
    plot.add_vline(x=1, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.add_annotation(x=1, y=1, yref="paper", text="one run: no interval", showarrow=False, xanchor="left", xshift=4)
    plot.update_layout(height=480)
    return drawn("single_run", plot, pd.DataFrame(rows), "; ".join(texts))


def drawn(
    name: str, plot: go.Figure, data: pd.DataFrame, said: str = "", *, estimates: Sequence[Estimate] = ()
) -> Drawn:
    """A drawing of numbers that the notes print. name: one of SOURCES."""
    return Drawn(plot, data, said, estimates, run_id=notes.run_id(*SOURCES[name]))
