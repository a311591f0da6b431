"""Figures of the noise itself: a configuration against itself, and what a number of blocks can tell from noise."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.marks import COLOURS
from benchbook.experiments.noise_floor.arms import WORKLOADS
from benchbook.experiments.noise_floor.judgements import AA, plain_over_sampled
from benchbook.experiments.noise_floor.summary import METRICS, PLANNED_BLOCKS, Summary
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.figures.prose import digits
from benchbook.model import Estimate

DETECTABLE = "fig-noise-detectable"
BLOCKS = (3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40)


def aa_ratios(summary: Summary) -> Figure:
    """Ratios that must be 1, with their intervals; and the plain command over the sampled one."""
    groups: list[tuple[str, list[tuple[str, Estimate]]]] = [
        (
            f"{workload}, again over first",
            [
                (name, summary.aa_ratio(workload, metric))
                for metric, name in METRICS.items()
                if summary.has_pair(workload, metric)
            ],
        )
        for workload in WORKLOADS
    ]
    samplers = plain_over_sampled(summary)
    groups.append(("TPC-B-like, plain command over sampled", [("TPS as pgbench reports it", samplers)]))
    rows = []
    plot = go.Figure()
    for place, (group, ratios) in enumerate(groups):
        points, lows, highs = ([getattr(ratio, end) for _, ratio in ratios] for end in ("point", "low", "high"))
        names = [name for name, _ in ratios]
        rows += [
            {"comparison": group, "metric": name, "ratio": ratio.point, "low": ratio.low, "high": ratio.high}
            for name, ratio in ratios
        ]
        plot.add_scatter(
            x=points, y=[f"{name} ({group.split(',')[0]})" if place < 2 else name for name in names],
            mode="markers", name=group, error_x=theme.error_bars(points, lows, highs),
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
        )  # fmt: skip
    plot.add_vline(x=1, line={"color": theme.COLOURS["grey"], "dash": "dash"})
    plot.update_xaxes(title="ratio (1 = the same)")
    plot.update_yaxes(autorange="reversed")
    plot.update_layout(height=160 + 32 * len(rows))
    repeats = [ratio for _, ratios in groups[:-1] for _, ratio in ratios]
    missed = sum(not ratio.low <= 1 <= ratio.high for ratio in repeats)
    told = (
        f"{missed} of {len(repeats)} intervals of identical configurations miss 1. The plain command has "
        f"{with_interval(samplers)} times the TPS of the sampled one"
    )
    return Figure(
        AA,
        "The same configuration under two labels (A/A), and the plain pgbench command over the one with a log of every "
        f"transaction and a look at the waits each second. Ratios paired in blocks, 95 % Student t on logs. {told}. "
        f"{summary.origin()}.",
        f"Points with intervals around a dashed line at 1. {told}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(ratio for _, ratios in groups for _, ratio in ratios),
    )


def detectable(summary: Summary) -> Figure:
    """Smallest difference in TPS that a number of blocks shows with 80 % power."""
    rows, said = [], []
    drawn: list[Estimate] = []
    plot = go.Figure()
    for place, workload in enumerate(WORKLOADS):
        found = [summary.detectable(workload, blocks) for blocks in BLOCKS]
        drawn += found
        points, lows, highs = ([100 * (getattr(each, end) - 1) for each in found] for end in ("point", "low", "high"))
        rows += [
            {"workload": workload, "blocks": blocks, "difference (%)": point, "low": low, "high": high}
            for blocks, point, low, high in zip(BLOCKS, points, lows, highs, strict=True)
        ]
        plot.add_scatter(
            x=BLOCKS, y=points, mode="lines+markers", name=workload,
            line={"color": COLOURS[place], "dash": theme.DASHES[place]},
            marker={"symbol": theme.SYMBOLS[place], "size": 8}, error_y=theme.error_bars(points, lows, highs),
        )  # fmt: skip
        said.append(f"{workload} {digits(points[BLOCKS.index(PLANNED_BLOCKS)])} %")
    plot.update_xaxes(title="blocks", type="log", tickvals=BLOCKS, ticktext=[str(each) for each in BLOCKS])
    plot.update_yaxes(**theme.decades(), title="smallest difference shown (%)")
    seen = f"With {PLANNED_BLOCKS} blocks the smallest is: {', '.join(said)}"
    return Figure(
        DETECTABLE,
        "How small a true difference in TPS a paired comparison shows with 80 % power (the whole 95 % interval on its "
        "side of 1), by number of blocks, from the spread between trials of this run; bars are the 95 % chi-square "
        f"interval of that spread; both axes logarithmic. {seen}. {summary.origin()}.",
        f"Two falling lines with bars over 3 to 40 blocks. {seen}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
    )
