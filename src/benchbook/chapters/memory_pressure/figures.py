"""The figures: a map of pools over data and memory, the pools that the claims compare, where pages lie, the claims."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook import statistics
from benchbook.chapters.memory_pressure import arms
from benchbook.chapters.memory_pressure.arms import CLAIMED, POOLS, PRESSING, name_of
from benchbook.chapters.memory_pressure.trials import READS, Summary
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.marks import COLOURS, add_bars, bars, hover
from benchbook.drawing.regular import Dots
from benchbook.figures import theme
from benchbook.measuring.pgbench.courses import add_course
from benchbook.measuring.pgbench.spent import PARTS
from benchbook.model import Estimate

MEND = "measure again with `benchbook run memory_pressure`"
DODGE = 0.6
"""Of a line to the right of the one before, in % of the memory, so that their intervals do not lie over each other."""
GROUPED = 4
"""Parts of a trial that are drawn as one."""
Marks = dict[float, Estimate]
BASE = statistics.exact(1.0)
"""A pool of 25 % over itself."""


def _line(data: float) -> str:
    return f"data {data:g} times the memory"


def pressed(summary: Summary) -> Drawn | Blank:
    """Throughput over that with a quarter of the memory, and reads from the device, by pool: a line for each data."""
    gains, reads = ({_line(data): _marks(summary, data, what) for data in summary.pools()} for what in (0, 1))
    if not any(e is not BASE for marks in gains.values() for e in marks.values()) or not any(reads.values()):
        return Blank("This run did not measure pools of several sizes", MEND)
    heads = ["throughput over that with a pool of 25 %", "reads from the device per transaction"]
    plot = make_subplots(rows=2, cols=1, shared_xaxes=True, subplot_titles=heads, vertical_spacing=0.12)
    for row, panel in enumerate((gains, reads), start=1):
        for place, (name, marks) in enumerate(panel.items()):
            plot.add_scatter(
                x=[pool + DODGE * place for pool in marks], y=[each.point for each in marks.values()],
                mode="lines+markers", name=name, showlegend=row == 1, legendgroup=name,
                line={"color": COLOURS[place % 6], "dash": theme.DASHES[place % 6], "width": 2},
                marker={"color": COLOURS[place % 6], "symbol": theme.SYMBOLS[place % 6], "size": 9},
                error_y=bars(marks.values()), row=row, col=1,
                **hover(name, {f"pool {pool:g} %": each for pool, each in marks.items()}, 1.0, "", "blocks"),
            )  # fmt: skip
    plot.add_hline(y=1, line={"color": COLOURS[5], "dash": "dot"}, row=1, col=1)
    plot.update_yaxes(title="TPS over 25 %", row=1, col=1)
    plot.update_yaxes(title="reads", rangemode="tozero", row=2, col=1)
    plot.update_xaxes(tickvals=[*POOLS], ticktext=[f"{pool:g}" for pool in POOLS])
    plot.update_xaxes(title="pool in % of the memory", row=2, col=1)
    plot.update_layout(height=560)
    rows = [
        {
            "data": name,
            "pool (% of memory)": pool,
            "what": head,
            "value": each.point,
            "low": each.low,
            "high": each.high,
        }
        for head, panel in zip(heads, (gains, reads), strict=True)
        for name, marks in panel.items()
        for pool, each in marks.items()
    ]
    every = [e for panel in (gains, reads) for marks in panel.values() for e in marks.values() if e is not BASE]
    said = {name: (marks, reads[name]) for name, marks in gains.items() if marks}
    return Drawn(plot, pd.DataFrame(rows), said, every, own={"n": len(said)})


def _marks(summary: Summary, data: float, what: int) -> Marks:
    """Of each pool with these data, what: 0 for its throughput over that of 25 %, 1 for its reads."""
    found: Marks = {}
    quarter = name_of(data, 25)
    for pool in POOLS:
        arm = name_of(data, pool)
        if what == 0 and pool == 25 and summary.has(quarter, "tps"):
            found[pool] = BASE
        elif what == 0 and summary.has(arm, "tps") and summary.has(quarter, "tps"):
            found[pool] = summary.gain(arm, quarter)
        if what == 1 and summary.has(arm, READS):
            found[pool] = summary.average(arm, READS)
    return found


def _controls(summary: Summary) -> dict[str, str]:
    """What is compared, by the configuration above, with the words of its row."""
    rows = {
        arms.AGAIN: "25 ÷ 25 % again (A/A)",
        arms.THREE_EIGHTHS: f"37.5 ÷ 25 %, data {CLAIMED:g} of memory",
        name_of(PRESSING, 37.5): f"37.5 ÷ 25 %, data {PRESSING:g} of memory",
        name_of(PRESSING, 62.5): f"62.5 ÷ 25 %, data {PRESSING:g} of memory",
        name_of(PRESSING, 62.5, "_not_capped"): f"62.5 ÷ 25 %, data {PRESSING:g} of memory, not capped",
    }
    return {arm: words for arm, words in rows.items() if arm in summary.configurations}


def _over_quarter(metric: str, summary: Summary, arm: str) -> Estimate:
    own = summary.configurations[arm].settings
    more = "_not_capped" if arm.endswith("_not_capped") else ""
    return summary.gain(arm, name_of(float(own["data_over_ram"] or 0), 25, more), metric)


controls = Dots(
    rows=_controls,
    row="compared",
    series={"measured": partial(_over_quarter, "tps")},
    axis="throughput over that with 25 % (above 1: faster)", quantity="TPS over 25 %", scale="plain",
    rule=1, replicates="blocks", heading="", nothing="This run did not measure pools of several sizes", mend=MEND,
)  # fmt: skip


def tiers(summary: Summary) -> Drawn | Blank:
    """Where a block was served that the pool lacked: by page cache or device, for each pool with data that press."""
    metrics = {"os_share_of_requests": "page cache", "device_share_of_requests": "device"}
    known = {pool: name_of(PRESSING, pool) for pool in POOLS if summary.has(name_of(PRESSING, pool), *metrics)}
    if not known:
        return Blank("Nobody counted in this run where blocks were served", "measure on Linux")
    plot = go.Figure()
    shares = {
        by: {f"pool {pool:g} %": 100 * summary.mean(arm, metric) for pool, arm in known.items()}
        for metric, by in metrics.items()
    }
    for place, (by, values) in enumerate(shares.items()):
        add_bars(plot, place, by, values)
    plot.update_layout(barmode="stack", height=120 + 42 * len(known))
    plot.update_xaxes(title="share of the requests for a block (%)", rangemode="tozero")
    plot.update_yaxes(autorange="reversed")
    data = pd.DataFrame(
        [{"pool": pool, "served by": by, "%": v} for by, own in shares.items() for pool, v in own.items()]
    )
    return Drawn(plot, data, shares, own={"n": len(known)})


DRAWN: Mapping[str, str] = {name_of(PRESSING, pool): f"{pool:g} %" for pool in (25.0, 37.5, 62.5)}


def course(summary: Summary) -> Drawn | Blank:
    """TPS along a trial with three pools, data as the claims name them: whether the caches had settled."""
    names = [f"part_{part + 1:03}_tps" for part in range(PARTS)]
    known = [arm for arm in DRAWN if summary.has(arm, *names)]
    if not known:
        return Blank("This run did not measure throughput along its trials", MEND)
    plot, tables, shown = go.Figure(), [], {}
    length = summary.parameters.trial_seconds
    at = (np.arange(PARTS // GROUPED) + 0.5) * length * GROUPED / PARTS
    for place, arm in enumerate(known):
        values = np.stack([summary.values(arm, name) for name in names])
        grouped = values.reshape(PARTS // GROUPED, GROUPED, -1).mean(axis=1)
        found = [summary.estimated(statistics.arithmetic_mean, each) for each in grouped]
        middle, low, high = ([getattr(each, end) for each in found] for end in ("point", "low", "high"))
        add_course(plot, place, f"pool {DRAWN[arm]}", at.tolist(), middle, ([max(0.0, each) for each in low], high))
        tables.append(pd.DataFrame({"pool": DRAWN[arm], "second": at, "TPS": middle, "low": low, "high": high}))
        shown[DRAWN[arm]] = found
    plot.update_xaxes(title="second", range=[0, length])
    plot.update_yaxes(title="throughput (TPS)", rangemode="tozero")
    every = [each for found in shown.values() for each in found]
    return Drawn(plot, pd.concat(tables, ignore_index=True), shown, every, own={"n": len(known)})


FIGURES = {"map": pressed, "controls": controls, "tiers": tiers, "course": course, "claims": ClaimFigure()}
