"""The figures: throughput and dirty data along a trial, falls and when, comparisons, waits, claims."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook import statistics
from benchbook.chapters.io_cliff import arms, dirty_data
from benchbook.chapters.io_cliff.trials import Summary
from benchbook.chapters.io_cliff.watched import WAIT_TYPES
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.marks import COLOURS, add_bars
from benchbook.drawing.regular import Dots
from benchbook.errors import BenchbookError
from benchbook.measuring.pgbench.courses import add_course
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.model import Estimate

COLUMNS = {
    arms.A: "pool 20 %, capped", arms.A_FREE: "pool 20 %, not capped", arms.B: "pool 100 %, capped",
    arms.B_FREE: "pool 100 %, not capped",
}  # fmt: skip
Course = tuple[list[Estimate], pd.DataFrame]
NEAR = 0.9
"""From this share of the amount on, what waits on the mean over trials is drawn as close to it."""
COMPARED = (
    (arms.REPEATED, arms.A), (arms.FREE_AGAIN, arms.A_FREE), (arms.BASELINE, arms.A), (arms.B, arms.A),
    (arms.A_80, arms.A), (arms.A_FREE, arms.A), (arms.B_FREE, arms.B), (arms.B_FREE, arms.A_FREE),
    (arms.A, arms.A_10_1), (arms.A_10_1, arms.A_10_5), (arms.B, arms.B_10_5),
)  # fmt: skip


def _add_course(summary: Summary, plot: go.Figure, place: int, name: str, arm: str, column: int = 0) -> Course:
    """TPS over trials in each twelfth, drawn with its band. column: where the plot has several, in their first row."""
    courses = summary.courses(arm)

    def of(values: np.ndarray) -> Estimate:
        try:
            return summary.estimated(statistics.geometric_mean, values, of=courses.index)
        except BenchbookError:  # a standstill in some trial leaves the logs
            if values.size < 2:
                return statistics.exact(float(values[0]))
            return summary.estimated(statistics.arithmetic_mean, values, of=courses.index)

    seconds, estimates = (
        dirty_data.middles(summary, arm, INTERVALS).tolist(),
        [of(values) for values in courses.to_numpy().T],
    )
    points, low, high = ([getattr(e, end) for e in estimates] for end in ("point", "low", "high"))
    add_course(plot, place, name, seconds, points, (low, high), row=1 if column else None, col=column or None)
    return estimates, pd.DataFrame({"second": seconds, "TPS": points, "low": low, "high": high, "trials": len(courses)})


def timelines(summary: Summary) -> Drawn:
    """One column per pool and storage: TPS, and under it what waits to be written and the point that slows writers."""
    columns = {arm: name for arm, name in COLUMNS.items() if arm in summary.configurations}
    plot = make_subplots(
        rows=2, cols=len(columns), shared_xaxes=True, shared_yaxes="rows", vertical_spacing=0.08,
        horizontal_spacing=0.02, column_titles=[name.replace(", ", "<br>") for name in columns.values()],
    )  # fmt: skip
    tables, courses, most, seconds = [], {}, [0.0], summary.parameters.trial_seconds
    for column, (arm, name) in enumerate(columns.items(), start=1):
        courses[name], table = _add_course(summary, plot, 0, "throughput", arm, column)
        plot.data[-1].update(showlegend=column == 1, marker={"size": 5})
        tables.append(table.rename(columns={"TPS": "value"}).assign(configuration=name, what="TPS"))
        if summary.has(arm, *dirty_data.DIRTY):
            waiting, slowing = dirty_data.amounts(summary, arm)
            most += [slowing, float(waiting.max())]
            _add_waiting(summary, plot, arm, column)
            at = {"second": dirty_data.middles(summary, arm), "value": waiting}
            tables.append(pd.DataFrame({"configuration": name, "what": "waiting to be written (MiB)", **at}))
    plot.add_scatter(
        x=[None], y=[None], name="the kernel begins to slow writers", mode="lines", line=dirty_data.LIMIT, row=2, col=1
    )
    plot.update_annotations(font_size=13)
    plot.update_xaxes(range=[0, seconds], tickvals=[0, seconds / 3, 2 * seconds / 3], tickformat=".3~g")
    plot.update_xaxes(title="second", row=2)
    for row, title, top in ((1, "TPS", 1.15 * summary.most(columns)), (2, "to be written (MiB)", 1.1 * max(most))):
        plot.update_yaxes(range=[0, top or 1], row=row)
        plot.update_yaxes(title=title, row=row, col=1)
    plot.update_layout(height=520)
    data = pd.concat(tables, ignore_index=True)[["configuration", "what", "second", "value", "low", "high"]]
    return Drawn(plot, data, courses, [e for each in courses.values() for e in each], own={"n": len(columns)})


def _add_waiting(summary: Summary, plot: go.Figure, arm: str, column: int) -> None:
    """The lower panel of a configuration, and in both when it comes close to the point that slows writers."""
    (waiting, slowing), cell = dirty_data.amounts(summary, arm), {"row": 2, "col": column}
    plot.add_scatter(
        x=dirty_data.middles(summary, arm), y=waiting, name="waiting to be written", showlegend=column == 1,
        mode="lines", line={"color": COLOURS[1], "dash": "solid"}, **cell,
    )  # fmt: skip
    plot.add_hline(y=slowing, line=dirty_data.LIMIT, **cell)
    with suppress(BenchbookError):  # neared in one trial at most
        reached = summary.reached_s(arm)
        if waiting.max() >= NEAR * slowing and summary.in_blocks(arm)["limit_reached_at"].notna().mean() > 0.5:
            for row in (1, 2):
                plot.add_vline(x=reached.point, line=dirty_data.LIMIT, row=row, col=column)


def _pairs(summary: Summary) -> Mapping[tuple[str, str], str]:
    """The comparisons that the run has, labelled without what the letters A and B stand for."""
    letters = {arm: summary.label(arm).split(":")[0] for arm in (arms.A, arms.B)}
    pairs = [pair for pair in COMPARED if {*pair} <= {*summary.arms}]
    return {pair: " / ".join(letters.get(arm, summary.label(arm)) for arm in pair) for pair in pairs}


def waits(summary: Summary) -> Drawn | Blank:
    """What the connections waited for, as shares of what was seen in all trials."""
    shares: dict[str, Mapping[str, Estimate]] = {}
    for arm in summary.having(summary.arms, *(f"waits_{kind.lower()}" for kind in WAIT_TYPES)):
        counts = {kind: int(summary.values(arm, f"waits_{kind.lower()}").sum()) for kind in WAIT_TYPES}
        if any(counts.values()):
            shares[arm] = statistics.multinomial_shares(counts)
    if not shares:
        return Blank("This run has no samples of waiting connections", "measure longer trials")
    kinds = [kind for kind in WAIT_TYPES if any(each[kind].point for each in shares.values())]
    plot = go.Figure()
    for place, kind in enumerate(kinds):
        add_bars(plot, place, kind, {summary.label(arm): 100 * each[kind].point for arm, each in shares.items()})
    rows = [
        {"configuration": summary.label(arm), "wait": kind,
         "percent": 100 * each[kind].point, "low": 100 * each[kind].low, "high": 100 * each[kind].high}
        for kind in kinds for arm, each in shares.items()
    ]  # fmt: skip
    plot.update_layout(barmode="stack", height=140 + 30 * len(shares))
    plot.update_xaxes(title="connections seen (%)", range=[0, 101])
    plot.update_yaxes(autorange="reversed")
    seen = shares.get(summary.first())
    return Drawn(
        plot, pd.DataFrame(rows), max(seen, key=lambda kind: seen[kind].point) if seen else "nothing",
        [e for each in shares.values() for e in each.values()],
        own={"n": len(shares)}, within="these trials", origin=summary.origin(summary.arms),
    )  # fmt: skip


cliffs = Dots(
    rows=lambda summary: summary.arms,
    series={"share of the trials": lambda summary, arm: statistics.share_of_trials(*summary.cliffs(arm))},
    axis="trials with a cliff (%)", quantity="percent", heading="", factor=100, scale="percent", height=120,
    more={"trials with a cliff": lambda summary, arm: summary.cliffs(arm)[0]},
)  # fmt: skip
limits = Dots(
    rows=_pairs, series={"ratio of TPS": lambda summary, pair: summary.gain(*pair)},
    axis="throughput of the first over the second (above 1: faster)",
    row="comparison", quantity="ratio", heading="", rule=1, height=120, replicates="blocks",
)  # fmt: skip
seconds = Dots(
    rows=lambda summary: [arm for arm in summary.note_arms if arm not in (arms.B, arms.B_10_5, arms.A_80)],
    series={"dirty data near the point that slows writers": Summary.reached_s, "throughput falls": Summary.fell_s},
    axis="second of the trial", heading="what", scale="zero", height=140,
    nothing="Fewer than two trials of each configuration fell or neared a limit",
    mend="measure with allow_slow_storage=true, more blocks and the standard profile",
)  # fmt: skip
FIGURES = {
    "timelines": timelines, "share_of_trials": cliffs, "seconds": seconds, "dirty_data": dirty_data.dirty,
    "dirty_limits": limits, "waits": waits, "claims": ClaimFigure(),
}  # fmt: skip
