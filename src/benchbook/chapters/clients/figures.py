"""The figures: throughput by clients and its law, protocols and threads, what clients wait for, a pooler, claims."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.chapters.clients.arms import COLD, DIRECT, MATCHED, PROTOCOLS, TWICE, protocol_name
from benchbook.chapters.clients.summary import Summary
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.marks import COLOURS, add_bars, bars, hover
from benchbook.drawing.regular import Dots, Lines
from benchbook.errors import BenchbookError
from benchbook.figures import theme
from benchbook.measuring.pgbench.courses import add_course
from benchbook.measuring.pgbench.metric_words import STATES
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.model import Estimate

MEND = "measure all parts with `benchbook run clients`"
POINTS_OF_LAW = 40


def scaling(summary: Summary) -> Drawn | Blank:
    """TPS by number of clients, and the law fitted to the smaller numbers."""
    found = {n: summary.level(arm, "tps") for n, arm in summary.direct.items() if summary.has(arm, "tps")}
    if not found:
        return Blank("No trial of this run has a throughput", MEND)
    plot = go.Figure()
    every: dict[str, Mapping[float, Estimate]] = {"measured": dict(found.items())}
    law: dict[float, Estimate] = {}
    with contextlib.suppress(BenchbookError):
        grid = np.geomspace(1, max(found), POINTS_OF_LAW)
        law = {float(count): summary.law(float(count)) for count in sorted({*grid, *map(float, found)})}
    if law:
        at = list(law)
        middle, low, high = ([getattr(e, end) for e in law.values()] for end in ("point", "low", "high"))
        name = f"law fitted up to {summary.fitted[-1]} clients"
        add_course(plot, 1, name, at, middle, (low, high), dash="dash")
        plot.data[-1].mode = "lines"
        every[name] = {count: e for count, e in law.items() if count in found}
    plot.add_scatter(
        x=list(found), y=[e.point for e in found.values()], mode="markers", name="measured",
        marker={"color": COLOURS[0], "symbol": theme.SYMBOLS[0], "size": 9}, error_y=bars(found.values()),
        **hover("TPS", {f"{count:,} clients": e for count, e in found.items()}, 1.0, "", "blocks"),
    )  # fmt: skip
    ticks = list(found)
    plot.update_xaxes(type="log", title="pgbench clients", tickvals=ticks, ticktext=[f"{each:,}" for each in ticks])
    plot.update_yaxes(title="throughput (TPS)", rangemode="tozero")
    rows = [
        {"clients": count, "what": what, "TPS": e.point, "low": e.low, "high": e.high}
        for what, estimates in every.items()
        for count, e in estimates.items()
    ]
    return Drawn(plot, pd.DataFrame(rows), estimates=[*found.values()], own={"n": len(found)})


def _protocols(summary: Summary) -> Mapping[str, str]:
    arms = [protocol_name(protocol, threads) for threads in (MATCHED, TWICE) for protocol in PROTOCOLS]
    return {arm: summary.label(arm) for arm in arms if arm != DIRECT and arm in summary.configurations}


protocols = Dots(
    rows=_protocols,
    series={"measured": lambda summary, arm: summary.gain(arm, DIRECT)},
    axis="throughput over the simple protocol with most threads (above 1: faster)", quantity="TPS over baseline",
    scale="plain", rule=1, replicates="blocks", heading="",
    nothing="This run did not measure protocols and threads", mend=MEND,
)  # fmt: skip


def waits(summary: Summary) -> Drawn | Blank:
    """What clients are found doing in each twelfth of the trial from a cold start."""
    metrics = {name: [f"waits_{place:02}_{name}" for place in range(1, INTERVALS + 1)] for name in STATES}
    known = [place for place in range(INTERVALS) if summary.has(COLD, *(metrics[name][place] for name in STATES))]
    if not known:
        return Blank("This run has no trial from a cold start", MEND)
    seconds = summary.parameters.waits_seconds
    ends = [f"{seconds * (place + 1) / INTERVALS:.3g}" for place in known]
    shares = pd.DataFrame(
        {words: [100 * summary.mean(COLD, metrics[name][place]) for place in known] for name, words in STATES.items()},
        index=pd.Index(ends, name="up to second"),
    )
    plot = go.Figure()
    for place, words in enumerate(STATES.values()):
        add_bars(plot, place, words, dict(zip(ends, shares[words], strict=True)), across=False)
    plot.update_layout(barmode="stack", height=theme.HEIGHT_PX + 120)
    plot.update_xaxes(title="seconds since the first transaction", type="category")
    plot.update_yaxes(title="share of the clients (%)", range=[0, 100])
    return Drawn(plot, shares.reset_index(), own={"n": len(known), "series": len(STATES)})


def _through(which: str, summary: Summary, count: int) -> Estimate:
    arms = summary.pooled if which == "pooled" else summary.direct
    if count not in arms or count not in summary.pooled:
        raise BenchbookError("not measured both ways", MEND)
    return summary.level(arms[count], "start_tps")


pooled = Lines(
    over=lambda summary: list(summary.pooled),
    across="pgbench clients",
    series={"direct": partial(_through, "direct"), "through PgBouncer": partial(_through, "pooled")},
    axis="throughput (TPS)", scale="zero", replicates="trials", heading="how", rows=True,
    tick=lambda count: f"{count:,}",
    nothing="This run did not measure a pooler", mend=MEND,
)  # fmt: skip

claims = ClaimFigure(
    title="The note's claims on throughput against measurements",
    what="What note 003 expects of fewer clients and of a pooler",
    axis="throughput ÷ throughput of all clients, direct",
    only=lambda answer: bool(answer.row),
)
shares = ClaimFigure(
    title="The note's counts of waits and processor time against measurements",
    what="Shares of clients and of processor time that note 003 names",
    units=("share",),
    axis="share",
    only=lambda answer: bool(answer.row),
)

FIGURES = {
    "scaling": scaling,
    "protocols": protocols,
    "waits": waits,
    "pooled": pooled,
    "claims": claims,
    "claimed_shares": shares,
}
