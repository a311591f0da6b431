"""The figures: throughput by how often the server checkpoints, along a trial, the price after a kill, the claims."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.chapters.checkpoints import arms
from benchbook.chapters.checkpoints.numbers import Summary
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.regular import Dots, level
from benchbook.measuring.pgbench.courses import add_estimates, along
from benchbook.measuring.pgbench.spent import PARTS
from benchbook.model import Estimate

MEND = "measure with allow_slow_storage=true, as root"
OVER: Mapping[str, tuple[str, str]] = {
    arms.AGAIN: ("the same again (A/A)", arms.HOUR),
    arms.MINUTE: ("timeout 60 s", arms.HOUR),
    arms.OFTEN: ("timeout 30 s", arms.HOUR),
    arms.NO_IMAGES: ("timeout 30 s, full_page_writes off", arms.HOUR),
    arms.SMALL_LOG: ("max_wal_size 48 MB", arms.HOUR),
    arms.OFTEN_FREE: ("timeout 30 s, storage not capped", arms.HOUR_FREE),
}
"""What is compared with trials without a checkpoint: configuration to its label and to these."""
DRAWN = {arms.HOUR: "none", arms.OFTEN: "every 30 s", arms.SMALL_LOG: "by 48 MB of log"}
GROUPED = 4
"""Parts of a trial that are drawn as one: two seconds of a minute."""


def _rows(summary: Summary) -> dict[str, str]:
    known = summary.configurations
    return {arm: label for arm, (label, base) in OVER.items() if arm in known and base in known}


def _over(metric: str, summary: Summary, arm: str) -> Estimate:
    return summary.gain(arm, OVER[arm][1], metric)


cost = Dots(
    rows=_rows,
    row="checkpoints",
    series={"measured": partial(_over, "tps")},
    axis="throughput over that without a checkpoint (above 1: faster)", quantity="TPS over none", scale="plain",
    rule=1, replicates="blocks", heading="",
    nothing="This run did not measure checkpoints", mend=MEND,
)  # fmt: skip
price = Dots(
    rows=lambda summary: {arm: summary.label(arm) for arm in summary.having(summary.arms, "ready_s")},
    row="configuration",
    series={"server answers": level("ready_s"), "of this, redo": lambda summary, arm: summary.average(arm, "redo_s")},
    axis="seconds after a kill (s)", scale="zero", replicates="blocks", heading="until",
    nothing="No server of this run was killed", mend="measure again",
)  # fmt: skip


def course(summary: Summary) -> Drawn | Blank:
    """TPS along a trial with none, timed and requested checkpoints."""
    names = [f"part_{part + 1:03}_tps" for part in range(PARTS)]
    known = [arm for arm in DRAWN if summary.has(arm, *names)]
    if not known:
        return Blank("This run did not measure checkpoints on capped storage", MEND)
    plot, tables = go.Figure(), []
    shown: dict[str, list[Estimate]] = {}
    length = summary.parameters.trial_seconds
    at = ((np.arange(PARTS // GROUPED) + 0.5) * length * GROUPED / PARTS).tolist()
    for place, arm in enumerate(known):
        found = along(summary, arm, names, GROUPED)
        tables.append(add_estimates(plot, place, DRAWN[arm], at, found, "TPS").assign(checkpoints=DRAWN[arm]))
        shown[DRAWN[arm]] = found
    plot.update_xaxes(title="second", range=[0, length])
    plot.update_yaxes(title="throughput (TPS)", rangemode="tozero")
    data = pd.concat(tables, ignore_index=True)[["checkpoints", "second", "TPS", "low", "high"]]
    return Drawn(plot, data, shown, [each for found in shown.values() for each in found], own={"n": len(known)})


FIGURES = {"cost": cost, "price": price, "course": course, "claims": ClaimFigure()}
