"""Figures of what memory holds: the pool's share of it, and the pool's pages around a CHECKPOINT."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import chapter_claims, region
from benchbook.experiments.shape.marks import COLOURS, add_bars, blank, of_row
from benchbook.experiments.shape.regular import Dots
from benchbook.experiments.shape.telling import told
from benchbook.experiments.shared_buffers.answers import CHECKPOINT, SHARE_OF_RAM
from benchbook.experiments.shared_buffers.arms import (
    NO_CHECKPOINT,
    ORDINARY_PAGES,
    QUARTER,
    ROUND_1_QUARTER,
    ROUND_1_THREE_EIGHTHS,
    SHARES,
    Part,
    share_name,
)
from benchbook.experiments.shared_buffers.metric_words import METRICS
from benchbook.experiments.shared_buffers.pools import MEND
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Figure, theme, with_interval
from benchbook.model import Effect

BESIDE_SHARES = (
    "evictions", "reads_per_transaction", "resident_share_end", "least_available_share", "swapped_bytes",
    "killed_processes",
)  # fmt: skip
"""Metrics whose means over trials stand in further columns of the figure's table."""
PAGES = {"in the pool": "resident", "dirty": "dirty"}


def means_of(*metrics: str) -> dict[str, Callable[[Summary, str], float | None]]:
    """Columns with the mean of each metric over the trials of a configuration, where every trial has it."""
    return {METRICS[metric].brief: partial(_mean, metric) for metric in metrics}


def _mean(metric: str, summary: Summary, arm: str) -> float | None:
    return summary.mean(arm, metric) if summary.has(arm, metric) else None


def _by_share(summary: Summary) -> dict[str, Effect]:
    """TPS of each share of memory, and of ordinary pages, over that of a quarter; round 1's over its own quarter."""

    def find() -> dict[str, Effect]:
        others = [arm for arm in (*(share_name(percent) for percent in SHARES), ORDINARY_PAGES) if arm != QUARTER]
        found = summary.estimable(QUARTER, others)
        return found | summary.estimable(ROUND_1_QUARTER, [ROUND_1_THREE_EIGHTHS])

    return summary.once("by share of memory", find)


def _bound(summary: Summary) -> str:
    return "memory not bounded" if summary.free_trials(summary.of_part(Part.WARM)) else "memory bounded"


_shares = Dots(
    id=SHARE_OF_RAM,
    title="Throughput by the pool's share of memory",
    rows=lambda summary: [*_by_share(summary)],
    series={"measured": lambda summary, arm: _by_share(summary)[arm]},
    axis="TPS over TPS with a pool of 25 % of memory", quantity="TPS over 25 % of memory", heading="", scale="plain",
    rule=1,
    replicates="blocks",
    more=means_of(*BESIDE_SHARES),
    nothing="This run did not measure pools of several shares of memory", mend=MEND,
    told=_bound,
    caption="Throughput by the pool's share of memory over a quarter of it, TPC-B after a warm start and a CHECKPOINT. "
    "Data 0.92 of that quarter as in rounds 2 and 3; last row: 2.5 times, as in round 1, its interval "
    "alone; {more}. Else simultaneous 95 % intervals (paired, Bonferroni); band: what counts as the note's −23 %.",
    alt="Points with intervals of throughput ratios against a pool of a quarter of memory. {said}.",
)  # fmt: skip


def share_of_ram(summary: Summary) -> Figure:
    """These ratios, with the region that the note's -23 % stands for."""
    figure = _shares(summary)
    if figure.lacks:
        return figure
    asked = region(chapter_claims(summary.chapter.name)["R077"])
    figure.plot.add_vrect(x0=asked.low, x1=asked.high, fillcolor=COLOURS[5], opacity=0.3, line_width=0)
    figure.plot.add_scatter(  # a shape has no entry in the legend
        x=[None], y=[None], name="what counts as the note's −23 %", mode="markers",
        marker={"color": COLOURS[5], "symbol": "square", "size": 14, "opacity": 0.4}, **of_row(0),
    )  # fmt: skip
    return figure


def checkpoint(summary: Summary) -> Figure:
    """Pages in the pool and dirty pages, before and after a CHECKPOINT, and what it does to throughput."""
    title = "Pages in shared buffers around a CHECKPOINT"
    rows: list[dict[str, object]] = []
    means: dict[str, dict[str, float]] = {"before": {}, "after": {}}
    for moment, found in means.items():
        for kind, which in PAGES.items():
            metric = f"{which}_{moment}_checkpoint"
            if summary.has(QUARTER, metric):
                values = summary.values(QUARTER, metric)
                found[kind] = float(values.mean())
                row = {"moment": f"{moment} the CHECKPOINT", "pages": kind, "mean": found[kind]}
                rows.append(row | {"least": values.min(), "most": values.max(), "trials": len(values)})
    if not rows:
        why = "This run did not count the pool's pages around a CHECKPOINT"
        return blank(summary, CHECKPOINT, title, why, MEND)
    plot = go.Figure()
    for place, (moment, found) in enumerate(means.items()):
        add_bars(plot, place, f"{moment} the CHECKPOINT", found, across=False)
    both = [kind for kind in PAGES if kind in means["before"] and kind in means["after"]]
    said = "; ".join(
        f"{kind}: {means['before'][kind]:,.0f} pages before, {means['after'][kind]:,.0f} after" for kind in both
    )
    cost = "".join(told(lambda: f" {checkpoint_cost(summary)}"))
    plot.update_layout(barmode="group")
    plot.update_yaxes(title="pages of 8 KiB")
    return Figure(
        CHECKPOINT,
        "Pages of pgbench's tables in shared buffers right before and right after a CHECKPOINT, with no other "
        f"connections (pg_buffercache, mean over trials, pool of 25 % of memory).{cost}",
        f"Two groups of bars; {said or 'not all of the pages were counted in this run'}.{cost}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        title=title,
    )


def checkpoint_cost(summary: Summary) -> str:
    """What a CHECKPOINT does to the throughput right after it, in a sentence."""
    effect = with_interval(summary.gain(QUARTER, NO_CHECKPOINT))
    arms, metric = (QUARTER, NO_CHECKPOINT), "full_images_per_transaction"
    against = ""
    if all(summary.has(arm, metric) for arm in arms):
        images = " against ".join(f"{summary.values(arm, metric).mean():.2f}" for arm in arms)
        against = f", with {images} full page images per transaction"
    return f"Throughput right after a CHECKPOINT is {effect} times that without one{against}."
