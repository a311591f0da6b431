"""Throughput and latency by the pool's size, the data's by scale; the words of these figures stand in page.md."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.shape.drawn import Drawn
from benchbook.experiments.shape.marks import COLOURS
from benchbook.experiments.shape.regular import Ask, Found, Lines
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shared_buffers.arms import READS, SWEEP, reads_name, sweep_name
from benchbook.experiments.shared_buffers.estimands import NOTE_POOL_GIB, NOTE_SCALE, size_at_note_scale_gib
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import theme, with_interval
from benchbook.model import Estimate

MEND = "measure the standard profile"
NO_SWEEP = "This run did not measure enough sizes of the pool"
SWEEPS = {
    "TPC-B after a restart, capped storage, OS cache in use": {percent: sweep_name(percent) for percent in SWEEP},
    "read only, direct I/O, pool filled first": {percent: reads_name(percent) for percent in READS},
}
"""The two sweeps: pool in % of the data to its configuration."""
QUANTILES = ("latency_mean_ns", "latency_p95_ns", "latency_p99_ns")


def _over_full(sizes: Mapping[int, str]) -> Ask:
    """TPS over that with a pool of the data's size; the intervals of a sweep hold together."""

    def ask(summary: Summary, percent: int) -> Estimate:
        full = sizes[100]
        effects = summary.once(
            f"over {full}", lambda: summary.estimable(full, (a for a in sizes.values() if a != full))
        )
        if sizes.get(percent) not in effects:
            raise NotEstimableError("it is the one that the others are compared with, or was not measured", MEND)
        return effects[sizes[percent]]

    return ask


def _ends(summary: Summary, found: Found) -> str:
    said = []
    for sweep, marks in found.items():
        ends = [f"{with_interval(e)} at {percent} %" for percent, e in marks.items()]
        said.append(f"{sweep}: {ends[0]}, {ends[-1]}")
    return "; ".join(said)


def _left_out(summary: Summary) -> str:
    """Half a sentence on the pools of the sweeps that lack a trial, for captions; nothing where none does."""
    planned = [arm for sizes in SWEEPS.values() for arm in sizes.values() if arm in summary.arms]
    lacking = [summary.label(arm) for arm in planned if not summary.has(arm, "tps")]
    return f"; left out, because a trial failed: {', '.join(lacking)}" if lacking else ""


pools = Lines(
    over=lambda summary: SWEEP,
    across="shared_buffers (% of the data)", column="pool (% of data)", heading="sweep",
    series={sweep: _over_full(sizes) for sweep, sizes in SWEEPS.items()},
    axis="TPS over TPS at 100 %", quantity="over pool of 100 %", rule=1, replicates="blocks",
    said=_ends, told=_left_out,
    nothing=NO_SWEEP, mend=MEND,
)  # fmt: skip


def _level(sizes: Mapping[int, str], metric: str) -> Ask:
    return lambda summary, percent: summary.level(sizes.get(percent, "none"), metric)


def _times(summary: Summary) -> Mapping[str, Ask]:
    """Mean, and the highest quantile that every trial of a sweep can estimate."""
    found: dict[str, Ask] = {}
    for sweep, sizes in SWEEPS.items():
        arms = summary.having(sizes.values(), QUANTILES[0])
        known = [metric for metric in QUANTILES if summary.having(arms, metric) == arms]
        for metric in (known[0], known[-1]):
            name = f"{sweep.split(',')[0]}, {summary.METRICS[metric].brief.removesuffix(' latency')}"
            found[name] = _level(sizes, metric)
    return found


def _first_and_last(summary: Summary, found: Found) -> str:
    said = []
    for name, marks in found.items():
        ends = [f"{1e-6 * e.point:.3g} ms at {percent} %" for percent, e in marks.items()]
        said.append(f"{name}: {ends[0]}, {ends[-1]}")
    return "; ".join(said)


latency = Lines(
    over=lambda summary: SWEEP,
    across="shared_buffers (% of the data)", column="pool (% of data)", heading="quantity",
    series=_times,
    axis="latency of a transaction (ms)", quantity="latency (ms)", factor=1e-6,
    said=_first_and_last, told=_left_out,
    nothing=NO_SWEEP, mend=MEND,
)  # fmt: skip


def sizes(summary: Summary) -> Drawn:
    """Size of a fresh pgbench database by scale: measured at small ones, read off the line at the note's."""
    measured = {int(k): int(v) for k, v in (summary.run.provenance.get("size_bytes_by_scale") or {}).items()}
    if "data_bytes" in summary.run.provenance:
        measured[summary.parameters.scale] = int(summary.run.provenance["data_bytes"])
    rows: list[dict[str, object]] = [
        {"scale": scale, "size (GiB)": size / 2**30, "how": "measured"} for scale, size in sorted(measured.items())
    ]
    try:
        gib = size_at_note_scale_gib(summary)
        rows.append({"scale": NOTE_SCALE, "size (GiB)": gib, "how": "on the line through the two smallest"})
        share = gib / NOTE_POOL_GIB
        said = f"scale {NOTE_SCALE:,} comes to {gib:.2f} GiB, {share:.3f} of the note's {NOTE_POOL_GIB:g} GiB"
    except NotEstimableError:
        said = "this run did not measure two small data sets"
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
    return Drawn(plot, frame, said)
