"""The figures: when throughput falls by limit, both along a trial, and in what the backends then wait."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from plotly.subplots import make_subplots

from benchbook.chapters.dirty_dose import arms
from benchbook.chapters.dirty_dose.arms import HIGH, HIGHEST, LIMITS, LOWEST, MIDDLE
from benchbook.chapters.dirty_dose.numbers import Summary
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.regular import Dots
from benchbook.measuring.pgbench.courses import add_estimates, along
from benchbook.measuring.pgbench.spent import PARTS
from benchbook.model import Estimate

MEND = "measure as root with allow_slow_storage=true and allow_vm_settings=true"
DRAWN = {f"{arms.PLAIN}_{each}": f"{each} MiB" for each in (LOWEST, MIDDLE, HIGH, HIGHEST)}
GROUPED = 4
"""Parts of a trial that are drawn as one."""


def _rows(summary: Summary) -> dict[str, str]:
    left_out = {arms.AGAIN}  # two blocks of it lie apart, and would make the axis ten times as long
    known = summary.configurations.items()
    return {arm: summary.label(arm) for arm, given in known if given.group != "control" and arm not in left_out}


def _second(metric: str, summary: Summary, arm: str) -> Estimate:
    return summary.typical(arm, metric)


seconds = Dots(
    rows=_rows,
    row="configuration",
    series={
        "dirty data reach the point that slows writers": partial(_second, "reached_s"),
        "throughput falls": partial(_second, "fell_s"),
    },
    axis="second of the trial (s)", scale="zero", heading="what", replicates="trials",
    nothing="Fewer than two trials of each configuration fell or reached a limit", mend=MEND,
)  # fmt: skip
waits = Dots(
    rows=lambda summary: {arm: summary.label(arm) for arm in summary.having(summary.arms, "file_lock_share")},
    row="configuration",
    series={
        "wait for a file's lock": lambda summary, arm: summary.average(arm, "file_lock_share"),
        "slowed by the kernel": lambda summary, arm: summary.average(arm, "throttled_share"),
    },
    axis="backends (%)", factor=100, scale="percent", heading="what", replicates="trials",
    nothing="Nobody looked at backends in the kernel", mend="measure as root on Linux",
)  # fmt: skip


def courses(summary: Summary) -> Drawn | Blank:
    """TPS and what waits to be written along a trial, by limit."""
    tps, waiting = (
        [name.format(part + 1) for part in range(PARTS)] for name in ("part_{:03}_tps", "waiting_{:03}_mib")
    )
    known = [arm for arm in DRAWN if summary.has(arm, *tps, *waiting)]
    if not known:
        return Blank("This run did not vary the limits of dirty data", MEND)
    plot = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.06)
    length = summary.parameters.trial_seconds
    at = ((np.arange(PARTS // GROUPED) + 0.5) * length * GROUPED / PARTS).tolist()
    tables, shown = [], {}
    for place, arm in enumerate(known):
        for row, (what, names) in enumerate((("TPS", tps), ("waiting (MiB)", waiting)), start=1):
            found = along(summary, arm, names, GROUPED)
            table = add_estimates(plot, place, DRAWN[arm], at, found, "value", row=row, col=1)
            plot.data[-1].update(showlegend=row == 1)
            tables.append(table.assign(limit=DRAWN[arm], what=what))
            if row == 1:
                shown[DRAWN[arm]] = found
    for arm in known:
        limit, background = LIMITS[arm.removeprefix(f"{arms.PLAIN}_")]
        if limit < LIMITS[HIGHEST][0]:
            plot.add_hline(y=(limit + background) / 2, line={"dash": "dot", "width": 1}, row=2, col=1)
    plot.update_xaxes(title="second of the trial", range=[0, length], row=2)
    plot.update_yaxes(title="TPS", rangemode="tozero", row=1)
    plot.update_yaxes(title="waiting (MiB)", rangemode="tozero", row=2)
    plot.update_layout(height=520)
    every = [each for found in shown.values() for each in found]
    data = pd.concat(tables, ignore_index=True)[["limit", "what", "second", "value", "low", "high"]]
    return Drawn(plot, data, shown, every, own={"n": len(known)})


FIGURES = {"seconds": seconds, "courses": courses, "waits": waits}
