"""The figure of blocks read per request: what decides whether a request is fast."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.hot_cold_keys.arms import ALIKE_ORDER, BASELINE, BY_CHANCE, DISJOINT, NOTE_REQUESTS
from benchbook.experiments.hot_cold_keys.caches import Summary
from benchbook.experiments.shape.drawn import Blank, Drawn
from benchbook.experiments.shape.marks import COLOURS
from benchbook.figures import theme
from benchbook.model import READS


def first_reads(summary: Summary, arm: str) -> np.ndarray:
    """Blocks that each of the first 1,000 requests read, over all trials of a configuration; empty if not counted."""
    trials = summary.samples([arm], READS).groupby("trial")["latency_ns"]
    return np.concatenate([np.zeros(0, dtype=np.int64), *(each.to_numpy()[:NOTE_REQUESTS] for _, each in trials)])


def reads(summary: Summary) -> Drawn | Blank:
    """How many of the first 1,000 requests read so many blocks."""
    counted = {arm: first_reads(summary, arm) for arm in (BASELINE, DISJOINT, BY_CHANCE, ALIKE_ORDER)}
    counted = {arm: found for arm, found in counted.items() if found.size}
    if not counted:
        return Blank("Nobody counted the blocks of each request", "measure on Linux")
    plot, rows = go.Figure(), []
    for place, (arm, found) in enumerate(counted.items()):
        blocks, times = np.unique(found, return_counts=True)
        percent = 100 * times / found.size
        plot.add_scatter(
            x=blocks, y=percent, name=summary.label(arm), mode="lines+markers",
            line={"color": COLOURS[place], "dash": theme.DASHES[place], "width": 1},
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 7},
        )  # fmt: skip
        rows += [
            {"configuration": summary.label(arm), "blocks read": block, "requests": count, "percent": share}
            for block, count, share in zip(blocks.tolist(), times.tolist(), percent.tolist(), strict=True)
        ]
    plot.update_xaxes(title="blocks of 8 KiB that a request reads from the device")
    shares = [row["percent"] for row in rows]
    plot.update_yaxes(title="share of the first<br>1,000 requests (%)", **theme.ticks([*shares, 100.0]))
    said = "; ".join(_said(summary, arm, found) for arm, found in counted.items() if arm != BASELINE)
    return Drawn(plot, pd.DataFrame(rows), said, own={"n": len(counted)})


def _said(summary: Summary, arm: str, found: np.ndarray) -> str:
    return f"{summary.label(arm)}, {int((found == 0).sum()):,} of {found.size:,} requests"
