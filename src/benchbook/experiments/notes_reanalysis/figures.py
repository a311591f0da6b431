"""Figures: the notes' runs and what they can show, their sums done again, and a column with two meanings."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook.claims import Rule, chapter_claims
from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis import runs
from benchbook.experiments.notes_reanalysis.places import ARITHMETIC, SINGLE_RUN, SPEEDUP, TABLES, TIMELINES, VALIDATION
from benchbook.experiments.notes_reanalysis.runs import LENGTH_S, STEP_S
from benchbook.experiments.notes_reanalysis.summary import Summary
from benchbook.experiments.shape import judging
from benchbook.experiments.shape.marks import COLOURS, bars, by_label
from benchbook.figures import Figure, interval_name, theme

TITLES = {"002": "Note 002, c8gb.8xlarge", "003": "Note 003, r8g.xlarge"}
EDGE = 2.0
"""Ratios beyond a factor of two are drawn at the figure's edge and written out."""
ROUNDED = 0.0101
"""Three numbers printed to two decimals: the mean of two may differ by one in the last place."""
SIZES = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000, "10m": 10_000_000}


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
    return _figure(
        TIMELINES,
        "Throughput along each run",
        "Throughput along the six runs of notes 002 and 003, as printed: means of 5 s. Where a line is broken, the "
        "note leaves intervals out. Each line is one run; no interval can be given. Where a whole timeline is printed, "
        f"its mean differs from the printed average by at most {max(off):.2%}.",
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
        f"The five runs average {mean.point:,.0f} TPS [{mean.low:,.0f}, {mean.high:,.0f}]; one more is expected within "
        f"{ahead.low:,.0f} to {ahead.high:,.0f}. Round 2, with the same configuration, has {second:,.0f}, {side} that."
    )
    return _figure(
        VALIDATION,
        "Single rounds and five repeated runs",
        f"Throughput of note 003's rounds and of the five validation runs with the configuration of round 2. {said} "
        "Intervals are 95 % Student t on logarithms; the lower is a prediction for one run.",
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
        texts.append(f"{pair.name}: {needed if needed is not None else 'more than can be run'}")
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
    return _figure(
        SINGLE_RUN,
        "How many runs a change takes to stand out",
        "How large a change must be to stand out from chance, by the number of runs of each configuration, in blocks, "
        f"if runs spread by {summary.parameters.between_trial_sd_percent:g} %: half-width of the 95 % Student t "
        "interval of the ratio. Points are the notes' changes from one run to one run, at the number of runs from "
        "which they would just stand out. With one run there is no interval at all.",
        f"A falling curve from {widths[0]:,.0f} % with 2 runs to {widths[-1]:.1f} % with {most}. Runs needed to show "
        f"the notes' changes: {'; '.join(texts)}.",
        plot,
        pd.DataFrame(rows),
    )


def claimed_ratios(summary: Summary) -> pd.DataFrame:
    """Recomputed over claimed, for every sum with a positive region; the region's middle is the claimed number.

    Columns claim, metric, ratio, low, high: the region's edges over its middle; furthest from 1 first.
    """
    claims = chapter_claims(summary.chapter.name)
    rows: list[dict[str, Any]] = []
    for each in judging.answered(summary):
        claim = claims[each.claim_id]
        summed = each.answer is not None and each.answer.figure == ARITHMETIC and claim.rule is Rule.ARITHMETIC
        if not summed or each.estimate is None or not claim.low or not claim.high:
            continue
        middle = (claim.low + claim.high) / 2
        ratios = {"ratio": each.estimate.point / middle, "low": claim.low / middle, "high": claim.high / middle}
        rows.append({"claim": claim.id, "metric": claim.metric.replace("_", " "), **ratios})
    rows.sort(key=lambda row: -abs(math.log(row["ratio"])))
    return pd.DataFrame(rows)


def arithmetic(summary: Summary) -> Figure:
    """Recomputed over claimed, one row per sum, with the region in which it counts as right."""
    found = claimed_ratios(summary)
    labels = [f"{row.claim} {row.metric}" for row in found.itertuples()]
    shown = found["ratio"].clip(1 / EDGE, EDGE)
    inside = (found["low"] <= found["ratio"]) & (found["ratio"] <= found["high"])
    plot = go.Figure()
    plot.add_bar(
        x=found["high"] - found["low"], base=found["low"], y=labels, orientation="h", name="counts as right",
        marker={"color": "rgba(125, 125, 125, 0.35)"}, hoverinfo="skip",
    )  # fmt: skip
    for place, (name, chosen) in enumerate((("follows", inside), ("does not follow", ~inside))):
        part = found[chosen]
        plot.add_scatter(
            x=shown[chosen], y=[label for label, keep in zip(labels, chosen, strict=True) if keep], name=name,
            mode="markers+text", text=["" if name == "follows" else _factor(ratio) for ratio in part["ratio"]],
            textposition=["middle right" if 1 < ratio < EDGE or ratio <= 1 / EDGE else "middle left"
                          for ratio in part["ratio"]],
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
        )  # fmt: skip
    ticks = [0.5, 0.6, 0.8, 1, 1.25, 1.6, 2]
    plot.update_xaxes(
        type="log", range=[math.log10(0.47), math.log10(2.13)], title="recomputed over claimed",
        tickvals=ticks, ticktext=["≤ 0.5", *(f"{tick:g}" for tick in ticks[1:-1]), "≥ 2"],
    )  # fmt: skip
    by_label(plot, labels, height=160, each=20)
    plot.update_yaxes(tickfont={"size": 11})
    plot.update_layout(barmode="overlay")
    outside = found[~inside]
    wrong = ", ".join(
        f"{claim} ({_factor(ratio)})" for claim, ratio in zip(outside["claim"], outside["ratio"], strict=True)
    )
    return _figure(
        ARITHMETIC,
        "The notes' sums done again",
        f"Sums of the notes done again: recomputed over claimed, logarithmic, for {len(found)} claims. Bars are the "
        "regions that the ledger counts as right; their middle is the claimed number. Nothing is measured here, so "
        f"there are no intervals. Beyond a factor of {EDGE:g} the ratio is written out.",
        f"One row per sum. {int(inside.sum())} of {len(found)} are right. These are not: {wrong}.",
        plot,
        found.rename(columns={"ratio": "recomputed / claimed", "low": "region low", "high": "region high"}),
    )


def _factor(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


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


def speedup(summary: Summary) -> Figure:
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
    return _figure(
        SPEEDUP,
        "What the printed speed-ups are",
        "Speed-up over SQLite before the optimization, sequential keys: the column of note 004, and what the report "
        "beside it gives for queries alone and for the mean of queries and inserts. Each point is one run of 1,000 "
        f"queries, without an interval. Shaded: the claimed {low:g} to {high:g}.",
        f"Three lines over the number of rows. {said}.",
        plot,
        found,
    )


def _figure(
    identity: str, title: str, caption: str, alt: str, plot: go.Figure, data: pd.DataFrame, interval: str = ""
) -> Figure:
    return Figure(
        identity, caption, alt, theme.apply(plot), data, notes.run_id(*TABLES[identity]), interval, title=title
    )


FIGURES = {
    "timelines": timelines,
    "validation": validation,
    "single_run": single_run,
    "arithmetic": arithmetic,
    "speedup": speedup,
}
