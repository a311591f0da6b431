"""The figures: the note's three runs, claims, what each tier served, rounds, shares of memory, a CHECKPOINT, sizes.

Their words stand in page.md.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.families.pgbench.courses import add_course
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.notes import number, table
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.drawn import Blank, Drawn
from benchbook.experiments.shape.marks import COLOURS, add_bars
from benchbook.experiments.shape.regular import Dots, Given
from benchbook.experiments.shared_buffers.arms import (
    A_LOCAL,
    B_PREWARMED,
    BASELINE,
    REVERTED,
    ROUND_2,
    ROUND_3,
    SCENARIO_A,
    SCENARIO_B,
)
from benchbook.experiments.shared_buffers.memory_figures import checkpoint, means_of, share_of_ram
from benchbook.experiments.shared_buffers.pools import MEND, latency, pools, sizes
from benchbook.experiments.shared_buffers.summary import SERVED, Summary
from benchbook.figures import theme
from benchbook.model import Effect

RUNS = {1: BASELINE, 2: SCENARIO_A, 3: SCENARIO_B}
SHORT = {BASELINE: "baseline", SCENARIO_A: "A", SCENARIO_B: "B"}
"""The note's runs and our configurations of the same settings."""
BESIDE_TIERS = (
    "device_reads_per_transaction", "evictions", "evictions_per_allocation", "buffers_clean", "data_in_pool_end",
    "data_in_os_cache_start", "dirty_most_bytes", "dirty_limit_bytes",
)  # fmt: skip
"""Metrics whose means over trials stand in further columns of the figure's table."""


def timelines(summary: Summary) -> Drawn | Blank:
    """TPS of each twelfth of a trial over the mean of B, with a band over blocks, the note's runs beside it."""
    noted = table("c8gb_timeline")
    note_mean = float(noted.loc[noted["run"] == 3, "tps"].mean())
    x = [(place + 1) / INTERVALS for place in range(INTERVALS)]
    known = summary.having((BASELINE, SCENARIO_A, SCENARIO_B, A_LOCAL, B_PREWARMED), "interval_01_tps")
    if not {SCENARIO_A, SCENARIO_B} <= set(known):
        return Blank("This run lacks the timeline of one or both scenarios", MEND)
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    reference = summary.timeline(SCENARIO_B).mean()
    for place, arm in enumerate(known):
        course = summary.timeline(arm) / reference
        middle, low, high = (
            values.tolist() for values in (course.mean(axis=0), course.min(axis=0), course.max(axis=0))
        )
        rows += [
            {
                "configuration": summary.label(arm), "share of the trial": share, "TPS over mean of B": m,
                "least": lo, "most": hi,
            }
            for share, m, lo, hi in zip(x, middle, low, high, strict=True)
        ]  # fmt: skip
        add_course(plot, place, summary.label(arm).partition(", 1,250")[0], x, middle, (low, high), dash="solid")
    first, last = summary.timeline(SCENARIO_A)[:, 0].mean(), summary.timeline(SCENARIO_A)[:, -1].mean()
    said = f"A ends at {last / first:.2f} times its initial throughput"
    for place, (run, arm) in enumerate(RUNS.items()):
        part = noted[noted["run"] == run]
        shares, heights = (part["t_s"] / 60).tolist(), (part["tps"] / note_mean).tolist()
        rows += [
            {"configuration": f"the note's run {run}", "share of the trial": t, "TPS over mean of B": y}
            for t, y in zip(shares, heights, strict=True)
        ]
        plot.add_scatter(
            x=shares, y=heights, name=f"the note's run {run} ({SHORT[arm]})", mode="lines+markers",
            line={"color": COLOURS[place], "dash": "dot", "width": 1}, marker={"symbol": "x", "size": 6},
        )  # fmt: skip
    plot.update_xaxes(
        title="share of the trial that has passed",
        tickvals=[0, 0.25, 0.5, 0.75, 1],
        ticktext=["0 %", "25 %", "50 %", "75 %", "100 %"],
    )
    plot.update_yaxes(title="TPS over mean of B", rangemode="tozero")
    plot.update_layout(height=theme.HEIGHT_PX + 100)  # eight names stand below it
    return Drawn(plot, pd.DataFrame(rows), said, own={"n": len(known)})


claims = ClaimFigure(
    title="Claims on the three runs against measurements",
    what="The changes of note 002 between its three runs",
    only=lambda answer: answer.figure == "fig-shared-buffers-claims",
)


DRAWN = 12
"""Configurations in the figure of the tiers."""


def tiers(summary: Summary) -> Drawn | Blank:
    """Which tier served the block requests of each configuration."""
    arms = summary.having(summary.arms, *SERVED)
    if not arms:
        return Blank("This run did not count which tier served the requests", MEND)
    served = {name: {arm: float(summary.values(arm, metric).mean()) for arm in arms} for metric, name in SERVED.items()}
    rows: list[dict[str, object]] = [
        {"configuration": summary.label(arm)}
        | {name: shares[arm] for name, shares in served.items()}
        | {heading: mean(summary, arm) for heading, mean in means_of(*BESIDE_TIERS).items()}
        for arm in arms
    ]
    fewest_hits = sorted(arms, key=served["shared buffers"].__getitem__)[:DRAWN]
    drawn = [arm for arm in arms if arm in fewest_hits]
    plot = go.Figure()
    for place, name in enumerate(("OS cache", "device"), start=1):
        add_bars(plot, place, name, {summary.label(arm): 100 * served[name][arm] for arm in drawn})
    worst, share = min(served["shared buffers"].items(), key=lambda each: each[1])
    said = f"fewest hits in shared buffers: {summary.label(worst)} with {share:.1%}"
    plot.update_layout(barmode="stack", height=160 + 26 * len(drawn))
    plot.update_xaxes(title="block requests that shared buffers did not serve (%)")
    plot.update_yaxes(autorange="reversed")
    return Drawn(plot, pd.DataFrame(rows), said, own={"n": len(drawn)})


BESIDE_ROUNDS = (
    "least_available_share", "huge_page_bytes", "wal_bytes_per_transaction", "buffers_clean", "autovacuums",
    "evictions",
)  # fmt: skip
"""Metrics whose means over trials stand in further columns: one for what each change acts on."""


def _taken_back(summary: Summary) -> Mapping[str, Effect]:
    """TPS of round 2, and of round 3 with one change taken back, over that of round 3."""
    return summary.once("by change taken back", lambda: summary.estimable(ROUND_3, (ROUND_2, *REVERTED)))


def _rows(summary: Summary) -> Mapping[str, str]:
    known, codec = _taken_back(summary), summary.run.provenance.get("wal_compression")
    names = {ROUND_2: "all five (round 2)", **REVERTED}
    coded = {arm: f"{name} ({codec})" if codec and name == "wal_compression" else name for arm, name in names.items()}
    return {arm: name for arm, name in coded.items() if arm in known}


def _note(summary: Summary) -> tuple[Given, ...]:
    tps = [number("r8g_runs", "tps", round=each) for each in (2, 3)]
    return (Given("the note's two runs", {ROUND_2: tps[0] / tps[1]}),)


rounds = Dots(
    rows=_rows,
    row="taken back",
    series={"measured": lambda summary, arm: _taken_back(summary)[arm]},
    given=_note,
    axis="TPS over TPS of round 3", quantity="TPS over round 3", scale="plain", rule=1, replicates="blocks",
    more=means_of(*BESIDE_ROUNDS),
    nothing="This run did not measure note 003's rounds", mend=MEND,
)  # fmt: skip


FIGURES = {
    "timelines": timelines,
    "claims": claims,
    "pools": pools,
    "latency": latency,
    "tiers": tiers,
    "rounds": rounds,
    "share_of_ram": share_of_ram,
    "checkpoint": checkpoint,
    "sizes": sizes,
}
