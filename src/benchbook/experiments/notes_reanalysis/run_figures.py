"""Figures of the notes' runs: along each run, repeated ones, and how many a change needs to stand out."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis import runs
from benchbook.experiments.notes_reanalysis.places import SINGLE_RUN, TABLES, TIMELINES, VALIDATION
from benchbook.experiments.notes_reanalysis.runs import LENGTH_S, STEP_S
from benchbook.experiments.notes_reanalysis.summary import Summary
from benchbook.experiments.shape.marks import COLOURS, bars, by_label
from benchbook.figures import Figure, interval_name, theme

TITLES = {"002": "Note 002, c8gb.8xlarge", "003": "Note 003, r8g.xlarge"}


def timelines(summary: Summary) -> Figure:
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
    off = [abs(each.mean / each.printed_average - 1) for each in summary.timelines if each.complete]
    return figure(
        TIMELINES,
        "Throughput along each run",
        "Throughput along the six runs of notes 002 and 003, as printed: means of 5 s. Where a line is broken, the "
        "note leaves out intervals. Each line is one run, so there are no confidence intervals. Where a whole timeline "
        f"is printed, its mean differs from the printed average by at most {max(off):.2%}.",
        f"Two panels of three lines of throughput over 60 seconds. Falls to below 70 percent of the peak that last for "
        f"10 s: {said}.",
        plot,
        pd.DataFrame(rows),
    )


def validation(summary: Summary) -> Figure:
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
    second = float(rounds.loc[rounds["round"] == 2, "tps"].iloc[0])
    side = "outside" if not ahead.low <= second <= ahead.high else "inside"
    said = (
        f"The five runs average {mean.point:,.0f} TPS [{mean.low:,.0f}, {mean.high:,.0f}]; one more is expected "
        f"between {ahead.low:,.0f} and {ahead.high:,.0f}. Round 2, with the same configuration, has {second:,.0f}, "
        f"{side} that."
    )
    return figure(
        VALIDATION,
        "Single rounds and five repeated runs",
        f"Throughput of note 003's rounds and of the five validation runs with the configuration of round 2. {said} "
        "Intervals are 95 % Student t on logarithms; the lower one is a prediction for one run.",
        f"Points of three single rounds and five validation runs, and two intervals. {said}",
        plot,
        pd.DataFrame(rows).rename(columns={"low": "low (TPS)", "high": "high (TPS)"}),
        interval=interval_name([mean, ahead]),
    )


def single_run(summary: Summary) -> Figure:
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
    return figure(
        SINGLE_RUN,
        "How many runs a change needs to stand out",
        "How large a change must be to stand out from chance, by the number of runs of each configuration, if runs "
        f"spread by {summary.parameters.between_trial_sd_percent:g} %: half-width of the ratio's 95 % Student t "
        "interval. Points: the notes' changes at the number of runs that they need; a loss counts as the gain that "
        "undoes it.",
        f"A falling curve from {widths[0]:,.0f} % with 2 runs to {widths[-1]:.1f} % with {most}. Runs needed to show "
        f"the notes' changes: {'; '.join(texts)}.",
        plot,
        pd.DataFrame(rows),
    )


def figure(
    identity: str, title: str, caption: str, alt: str, plot: go.Figure, data: pd.DataFrame, interval: str = ""
) -> Figure:
    """A figure of numbers that the notes print. identity: one of places.TABLES."""
    return Figure(
        identity, caption, alt, theme.apply(plot), data, notes.run_id(*TABLES[identity]), interval, title=title
    )
