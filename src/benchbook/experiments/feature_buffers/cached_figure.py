"""The figure of where the data are cached: in the pool, in the page cache, or in both."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.feature_buffers.arms import DISJOINT, MIX, pool_name
from benchbook.experiments.feature_buffers.pools import MIB, Summary
from benchbook.experiments.shape.drawn import Blank, Drawn
from benchbook.experiments.shape.marks import COLOURS, add_bars

PLACES = {
    "in shared buffers alone": "in_pool_only_bytes",
    "in both": "in_both_bytes",
    "in the OS page cache alone": "in_os_cache_only_bytes",
}


def cached(summary: Summary) -> Drawn | Blank:
    """Distinct data in either cache after the measured requests, by size of the pool."""
    arms = summary.having((pool_name(DISJOINT, each) for each in summary.sweep(DISJOINT)), "cached_bytes")
    if not arms:
        return Blank("Nobody looked into the caches", "measure again")
    plot = go.Figure()
    for place, (name, metric) in enumerate(PLACES.items()):
        add_bars(
            plot, place, name, {_label(summary, arm): summary.mean(arm, metric) / MIB for arm in arms}, across=False
        )
    plot.add_hline(
        y=summary.data_bytes / MIB, line={"dash": "dot", "color": COLOURS[5]}, annotation_text="all of the data"
    )
    plot.update_layout(barmode="stack")
    plot.update_xaxes(title="shared_buffers (% of the memory)", type="category")
    plot.update_yaxes(title="distinct data that are cached (MiB)", rangemode="tozero")
    said = ", ".join(
        f"{summary.mean(arm, 'cached_bytes') / MIB:,.0f} MiB with a pool of {_label(summary, arm)}" for arm in arms
    )
    return Drawn(plot, pd.DataFrame(_rows(summary)), said, own={"n": len(arms)})


def _label(summary: Summary, arm: str) -> str:
    return f"{summary.configurations[arm].settings['pool_percent']} %"


def _rows(summary: Summary) -> list[dict[str, object]]:
    arms = [pool_name(keys, each) for keys in (DISJOINT, MIX) for each in summary.sweep(keys)]
    return [
        {
            "configuration": summary.label(arm),
            **{f"{name} (MiB)": summary.mean(arm, metric) / MIB for name, metric in PLACES.items()},
            "in either (MiB)": summary.mean(arm, "cached_bytes") / MIB,
        }
        for arm in summary.having(arms, "cached_bytes")
    ]
