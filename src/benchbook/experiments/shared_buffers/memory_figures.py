"""The pool's share of memory, and its pages around a CHECKPOINT; the words of these figures stand in page.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import chapter_claims, region
from benchbook.experiments.families.pgbench.settings import Part
from benchbook.experiments.shape.drawn import Blank, Drawn
from benchbook.experiments.shape.marks import COLOURS, add_bars, of_row
from benchbook.experiments.shape.regular import Dots
from benchbook.experiments.shared_buffers.arms import (
    ORDINARY_PAGES,
    QUARTER,
    ROUND_1_QUARTER,
    ROUND_1_THREE_EIGHTHS,
    SHARES,
    share_name,
)
from benchbook.experiments.shared_buffers.pools import MEND
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.model import Effect

BESIDE_SHARES = (
    "evictions", "reads_per_transaction", "resident_share_end", "least_available_share", "swapped_bytes",
    "killed_processes",
)  # fmt: skip
"""Metrics whose means over trials stand in further columns of the figure's table."""
PAGES = {"in the pool": "resident", "dirty": "dirty"}


def means_of(*metrics: str) -> dict[str, Callable[[Summary, str], float | None]]:
    """Columns with the mean of each metric over the trials of a configuration, where every trial has it."""
    return {Summary.METRICS[metric].brief: partial(_mean, metric) for metric in metrics}


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


class _WithRegion(Dots):
    """With the region that the note's -23 % stands for."""

    def scaled(self, plot: go.Figure, shown: Iterable[float]) -> str:
        """The axis, and the region as a band."""
        cut = super().scaled(plot, shown)
        asked = region(chapter_claims("shared_buffers")["R077"])
        plot.add_vrect(x0=asked.low, x1=asked.high, fillcolor=COLOURS[5], opacity=0.3, line_width=0)
        plot.add_scatter(  # a shape has no entry in the legend
            x=[None], y=[None], name="what counts as the note's −23 %", mode="markers",
            marker={"color": COLOURS[5], "symbol": "square", "size": 14, "opacity": 0.4}, **of_row(0),
        )  # fmt: skip
        return cut


share_of_ram = _WithRegion(
    rows=lambda summary: [*_by_share(summary)],
    series={"measured": lambda summary, arm: _by_share(summary)[arm]},
    axis="TPS over TPS with a pool of 25 % of memory", quantity="TPS over 25 % of memory", heading="", scale="plain",
    rule=1,
    replicates="blocks",
    more=means_of(*BESIDE_SHARES),
    nothing="This run did not measure pools of several shares of memory", mend=MEND,
    told=_bound,
)  # fmt: skip


def checkpoint(summary: Summary) -> Drawn | Blank:
    """Pages in the pool and dirty pages, before and after a CHECKPOINT."""
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
        return Blank("This run did not count the pool's pages around a CHECKPOINT", MEND)
    plot = go.Figure()
    for place, (moment, found) in enumerate(means.items()):
        add_bars(plot, place, f"{moment} the CHECKPOINT", found, across=False)
    both = [kind for kind in PAGES if kind in means["before"] and kind in means["after"]]
    said = "; ".join(
        f"{kind}: {means['before'][kind]:,.0f} pages before, {means['after'][kind]:,.0f} after" for kind in both
    )
    plot.update_layout(barmode="group")
    plot.update_yaxes(title="pages of 8 KiB")
    return Drawn(plot, pd.DataFrame(rows), said or "not all of the pages were counted in this run")
