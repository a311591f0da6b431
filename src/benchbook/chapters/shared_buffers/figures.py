"""The figures: three runs, claims, pools, tiers, rounds, shares of memory, a CHECKPOINT, sizes. Words in the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from benchbook.chapters.shared_buffers import arms
from benchbook.chapters.shared_buffers.arms import QUARTER, ROUND_2, ROUND_3
from benchbook.chapters.shared_buffers.numbers import NOTE_POOL_GIB, NOTE_SCALE, served, size_gib
from benchbook.chapters.shared_buffers.trials import SWEEPS, Summary
from benchbook.claims import chapter_claims, region
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.marks import COLOURS, add_bars, of_row
from benchbook.drawing.regular import Ask, Dots, Given, Lines
from benchbook.errors import BenchbookError
from benchbook.figures import theme
from benchbook.measuring.pgbench.courses import add_course
from benchbook.measuring.pgbench.estimands import over
from benchbook.measuring.pgbench.parameters import INTERVALS, NOTE_SECONDS
from benchbook.notes import number, table

MEND = "measure the standard profile"
RUNS = {"baseline": arms.BASELINE, "A": arms.SCENARIO_A, "B": arms.SCENARIO_B}
"""The note's three runs and our configurations of the same settings."""
DRAWN = 12
"""Configurations in the figure of the tiers."""


def timelines(summary: Summary) -> Drawn | Blank:
    """TPS of each twelfth of a trial over the mean of B, with a band over blocks, the note's runs beside it."""
    noted = table("c8gb_timeline")
    note_mean = float(noted.loc[noted["run"] == 3, "tps"].mean())
    x = [(place + 1) / INTERVALS for place in range(INTERVALS)]
    known = summary.having((*RUNS.values(), arms.A_LOCAL, arms.B_PREWARMED), "interval_01_tps")
    if not {arms.SCENARIO_A, arms.SCENARIO_B} <= {*known}:
        return Blank("This run lacks the timeline of one or both scenarios", MEND)
    frames = []
    plot = go.Figure()
    for place, arm in enumerate(known):
        course = summary.timeline(arm) / summary.timeline(arms.SCENARIO_B).mean()
        middle, low, high = (each.tolist() for each in (course.mean(axis=0), course.min(axis=0), course.max(axis=0)))
        columns = {"share of the trial": x, "TPS over mean of B": middle, "least": low, "most": high}
        frames.append(pd.DataFrame({"configuration": summary.label(arm), **columns}))
        add_course(plot, place, summary.label(arm).partition(", 1,250")[0], x, middle, (low, high), dash="solid")
    for run, short in enumerate(RUNS, start=1):
        part = noted[noted["run"] == run]
        shares, heights = (part["t_s"] / NOTE_SECONDS).tolist(), (part["tps"] / note_mean).tolist()
        columns = {"share of the trial": shares, "TPS over mean of B": heights}
        frames.append(pd.DataFrame({"configuration": f"the note's run {run}", **columns}))
        plot.add_scatter(
            x=shares, y=heights, name=f"the note's run {run} ({short})", mode="lines+markers",
            line={"color": COLOURS[run - 1], "dash": "dot", "width": 1}, marker={"symbol": "x", "size": 6},
        )  # fmt: skip
    ticks = {0: "0 %", 0.25: "25 %", 0.5: "50 %", 0.75: "75 %", 1: "100 %"}
    plot.update_xaxes(title="share of the trial that has passed", tickvals=[*ticks], ticktext=[*ticks.values()])
    plot.update_yaxes(title="throughput over the mean of B", rangemode="tozero")
    plot.update_layout(height=theme.HEIGHT_PX + 100)  # eight names stand below it
    return Drawn(plot, pd.concat(frames, ignore_index=True), own={"n": len(known)})


claims = ClaimFigure(
    title="Claims on the three runs against measurements",
    what="The changes of note 002 between its three runs",
    only=lambda answer: answer.figure == "fig-shared-buffers-claims",
)


def _over_full(sizes: Mapping[int, str]) -> Ask:
    """TPS over that with a pool of the data's size. sizes: pool in % of the data to its configuration."""
    ask = over(sizes[100], *(arm for percent, arm in sizes.items() if percent != 100))
    return lambda summary, percent: ask(summary, sizes.get(percent, "none"))


pools = Lines(
    over=lambda summary: arms.SWEEP,
    across="shared_buffers (% of the data)", column="pool (% of data)", heading="sweep",
    series={sweep: _over_full(sizes) for sweep, sizes in SWEEPS.items()},
    axis="throughput over that with 100 %<br>(above 1: faster)", quantity="over pool of 100 %", rule=1,
    replicates="blocks", nothing="This run did not measure enough sizes of the pool", mend=MEND,
)  # fmt: skip


def _level(sizes: Mapping[int, str], metric: str) -> Ask:
    return lambda summary, percent: summary.level(sizes.get(percent, "none"), metric)


def _latencies(summary: Summary) -> Mapping[str, Ask]:
    """Mean, and the highest quantile that every trial of a sweep can estimate."""
    found: dict[str, Ask] = {}
    for sweep, sizes in SWEEPS.items():
        known = summary.having(sizes.values(), "latency_mean_ns")
        quantiles = [each for each in ("latency_p95_ns", "latency_p99_ns") if summary.having(known, each) == known]
        for metric in ("latency_mean_ns", *quantiles[-1:]):
            name = f"{sweep.split(',')[0]}, {summary.METRICS[metric].brief.removesuffix(' latency')}"
            found[name] = _level(sizes, metric)
    return found


latency = Lines(
    over=lambda summary: arms.SWEEP,
    across="shared_buffers (% of the data)", column="pool (% of data)", heading="quantity",
    series=_latencies,
    axis="latency of a transaction (ms)", quantity="latency (ms)", factor=1e-6,
    nothing="This run did not measure enough sizes of the pool", mend=MEND,
)  # fmt: skip


def _mean(metric: str, summary: Summary, arm: str) -> float | None:
    return summary.mean(arm, metric) if summary.has(arm, metric) else None


def _means(*metrics: str) -> dict[str, Callable[[Summary, str], float | None]]:
    """Further columns of a table, with the mean of each metric where every trial of a configuration has it."""
    return {Summary.METRICS[metric].brief: partial(_mean, metric) for metric in metrics}


def tiers(summary: Summary) -> Drawn | Blank:
    """Which tier served the block requests of each configuration."""
    shares = served(summary)
    if not (known := [*shares["device"]]):
        return Blank("This run did not count which tier served the requests", MEND)
    beside = _means(
        "device_reads_per_transaction", "evictions", "evictions_per_allocation", "buffers_clean", "data_in_pool_end",
        "data_in_os_cache_start", "dirty_most_bytes", "dirty_limit_bytes",
    )  # fmt: skip
    columns: dict[str, object] = {name: [each[arm] for arm in known] for name, each in shares.items()}
    columns |= {heading: [mean(summary, arm) for arm in known] for heading, mean in beside.items()}
    fewest_hits = sorted(known, key=shares["shared buffers"].__getitem__)[:DRAWN]
    drawn = [arm for arm in known if arm in fewest_hits]
    plot = go.Figure()
    for place, name in enumerate(("OS cache", "device"), start=1):
        add_bars(plot, place, name, {summary.label(arm): 100 * shares[name][arm] for arm in drawn})
    plot.update_layout(barmode="stack", height=160 + 26 * len(drawn))
    plot.update_xaxes(title="block requests that shared buffers did not serve (%)")
    plot.update_yaxes(autorange="reversed")
    data = pd.DataFrame({"configuration": [summary.label(arm) for arm in known], **columns})
    return Drawn(plot, data, own={"n": len(drawn)})


def _taken_back(summary: Summary) -> Mapping[str, str]:
    codec = summary.run.provenance.get("wal_compression")
    coded = f"wal_compression ({codec})" if codec else "wal_compression"
    return {ROUND_2: "all five (round 2)", **arms.REVERTED, "round_3_compression": coded}


rounds = Dots(
    rows=_taken_back,
    row="taken back",
    series={"measured": over(ROUND_3, ROUND_2, *arms.REVERTED)},
    given=lambda summary: [
        Given("the note's two runs", {ROUND_2: number("r8g_runs", "tps", round=2) / number("r8g_runs", "tps", round=3)})
    ],
    axis="throughput over that of round 3 (above 1: faster)", quantity="TPS over round 3", scale="plain", rule=1,
    replicates="blocks",
    more=_means(
        "least_available_share", "huge_page_bytes", "wal_bytes_per_transaction", "buffers_clean", "autovacuums",
        "evictions",
    ),
    nothing="This run did not measure note 003's rounds", mend=MEND,
)  # fmt: skip
_SHARES = [arms.share_name(percent) for percent in arms.SHARES if percent != 25.0] + [arms.ORDINARY_PAGES]
_over_quarter = over(QUARTER, *_SHARES)
_over_quarter_1 = over(arms.ROUND_1_QUARTER, arms.ROUND_1_THREE_EIGHTHS)


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
    rows=lambda summary: [*_SHARES, arms.ROUND_1_THREE_EIGHTHS],
    series={"measured": lambda summary, arm: (_over_quarter if arm in _SHARES else _over_quarter_1)(summary, arm)},
    axis="throughput over a pool of 25 % of memory (above 1: faster)", quantity="TPS over 25 % of memory", heading="",
    scale="plain", rule=1, replicates="blocks",
    more=_means(
        "evictions", "reads_per_transaction", "resident_share_end", "least_available_share", "swapped_bytes",
        "killed_processes",
    ),
    nothing="This run did not measure pools of several shares of memory", mend=MEND,
)  # fmt: skip


def checkpoint(summary: Summary) -> Drawn | Blank:
    """Pages in the pool and dirty pages, before and after a CHECKPOINT."""
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    for place, moment in enumerate(("before", "after")):
        means = {}
        for words, kind in (("in the pool", "resident"), ("dirty", "dirty")):
            if summary.has(QUARTER, metric := f"{kind}_{moment}_checkpoint"):
                values = summary.values(QUARTER, metric)
                means[words] = float(values.mean())
                row = {"moment": f"{moment} the CHECKPOINT", "pages": words, "mean": means[words]}
                rows.append(row | {"least": values.min(), "most": values.max(), "trials": len(values)})
        add_bars(plot, place, f"{moment} the CHECKPOINT", means, across=False)
    if not rows:
        return Blank("This run did not count the pool's pages around a CHECKPOINT", MEND)
    plot.update_layout(barmode="group")
    plot.update_yaxes(title="pages of 8 KiB")
    return Drawn(plot, pd.DataFrame(rows))


def sizes(summary: Summary) -> Drawn:
    """Size of a fresh pgbench database by scale: measured at small ones, read off the line at the note's."""
    measured = {int(k): int(v) for k, v in (summary.run.provenance.get("size_bytes_by_scale") or {}).items()}
    if "data_bytes" in summary.run.provenance:
        measured[summary.parameters.scale] = int(summary.run.provenance["data_bytes"])
    rows: list[dict[str, object]] = [
        {"scale": scale, "size (GiB)": size / 2**30, "how": "measured"} for scale, size in sorted(measured.items())
    ]
    with suppress(BenchbookError):
        gib = size_gib(summary)
        rows.append({"scale": NOTE_SCALE, "size (GiB)": gib, "how": "on the line through the two smallest"})
    frame = pd.DataFrame(rows or [{"scale": summary.parameters.scale, "how": "not measured"}])
    plot = go.Figure()
    for place, (how, part) in enumerate(frame.groupby("how", sort=False)):
        plot.add_scatter(
            x=part["scale"], y=part.get("size (GiB)"), name=str(how), mode="markers",
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 10},
        )  # fmt: skip
    plot.add_scatter(
        x=[1, 2 * NOTE_SCALE], y=[NOTE_POOL_GIB] * 2, name=f"the note's pool of {NOTE_POOL_GIB:g} GiB", mode="lines",
        line={"color": COLOURS[5], "dash": "dot"},
    )  # fmt: skip
    plot.update_xaxes(**theme.decades(), title="pgbench scale")
    plot.update_yaxes(**theme.decades(), title="tables and indexes (GiB)")
    return Drawn(plot, frame)


FIGURES = {
    "timelines": timelines, "claims": claims, "pools": pools, "latency": latency, "tiers": tiers, "rounds": rounds,
    "share_of_ram": share_of_ram, "checkpoint": checkpoint, "sizes": sizes,
}  # fmt: skip
