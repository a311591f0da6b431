"""Figures of memory: pools as a share of it, what each tier served, and what a CHECKPOINT does to the pool."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import chapter_claims, region
from benchbook.experiments.marks import COLOURS, add_dots, blank
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.shared_buffers.arms import (
    NO_CHECKPOINT,
    QUARTER,
    QUARTER_HUGE,
    SHARES,
    THREE_EIGHTHS_HUGE,
    Part,
    share_name,
)
from benchbook.experiments.shared_buffers.judgements import CHECKPOINT, SHARE_OF_RAM, TIERS
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Figure, interval_name, theme, with_interval

_MEND = "measure the standard profile"
_TIERS = {
    "pool_share_of_requests": "shared buffers",
    "os_share_of_requests": "OS cache",
    "device_share_of_requests": "device",
}
_MOMENTS = {
    "resident_before_checkpoint": ("in the pool", "before"),
    "resident_after_checkpoint": ("in the pool", "after"),
    "dirty_before_checkpoint": ("dirty", "before"),
    "dirty_after_checkpoint": ("dirty", "after"),
}


def share_of_ram(summary: Summary) -> Figure:
    """TPS of each share of memory over that of a quarter, with the region that the note's -23 % stands for."""
    others = [share_name(percent) for percent in SHARES if share_name(percent) != QUARTER]
    others += [arm for arm in (QUARTER_HUGE, THREE_EIGHTHS_HUGE) if arm in summary.arms]
    effects = summary.against(QUARTER, [arm for arm in others if summary.has(arm, "tps")], "tps")
    if not effects:
        why = "This run did not measure pools of several shares of memory"
        return blank(summary, SHARE_OF_RAM, "Throughput by the pool's share of memory", why, _MEND)
    plot = go.Figure()
    measured = {summary.label(arm): effect for arm, effect in effects.items()}
    add_dots(plot, 0, "measured", measured)
    rows = [
        {
            "configuration": label, "TPS over 25 % of memory": e.point, "low": e.low, "high": e.high, "blocks": e.n,
            "blocks of 8 KiB read per transaction": _mean(summary, arm, "reads_per_transaction"),
            "data in either cache at the end": _mean(summary, arm, "resident_share_end"),
            "least available memory": _mean(summary, arm, "least_available_share"),
            "bytes in swap at most": _mean(summary, arm, "swapped_bytes"),
            "processes killed for memory": _mean(summary, arm, "killed_processes"),
        }
        for arm, (label, e) in zip(effects, measured.items(), strict=True)
    ]  # fmt: skip
    said = "; ".join(f"{label}: {with_interval(e)}" for label, e in measured.items())
    asked = region(chapter_claims("shared_buffers")["R077"])
    plot.add_vrect(x0=asked.low, x1=asked.high, fillcolor=COLOURS[5], opacity=0.3, line_width=0)
    plot.add_scatter(  # a shape has no entry in the legend
        x=[None], y=[None], name="what counts as the note's −23 %", mode="markers",
        marker={"color": COLOURS[5], "symbol": "square", "size": 14, "opacity": 0.4},
    )  # fmt: skip
    plot.add_vline(x=1, line={"color": COLOURS[5], "dash": "dot"})
    plot.update_xaxes(title="TPS over TPS with a pool of 25 % of memory")
    plot.update_yaxes(autorange="reversed")
    bound = "memory bounded" if summary.bounded(set(summary.of_part(Part.WARM))) else "memory not bounded"
    return Figure(
        SHARE_OF_RAM,
        "Throughput by the pool's share of memory against a quarter of it, TPC-B after a warm start and a CHECKPOINT, "
        f"data 1/1.6 of memory, {bound}; intervals hold together with 95 % (paired over blocks, Bonferroni); the band "
        f"is what counts as the note's −23 % at 37.5 %; {summary.origin()}.",
        f"Points with intervals of throughput ratios against a pool of a quarter of memory. {said}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(effects.values()),
    )


def tiers(summary: Summary) -> Figure:
    """Which tier served the block requests of each configuration."""
    arms = [arm for arm in summary.arms if all(summary.has(arm, metric) for metric in _TIERS)]
    rows: list[dict[str, object]] = []
    for arm in arms:
        row: dict[str, object] = {"configuration": summary.label(arm)}
        row |= {name: _mean(summary, arm, metric) for metric, name in _TIERS.items()}
        row["device reads per transaction"] = _mean(summary, arm, "device_reads_per_transaction")
        row["evictions per allocation"] = _mean(summary, arm, "evictions_per_allocation")
        row["pages written by the background writer"] = _mean(summary, arm, "buffers_clean")
        row["data in the pool at the end"] = _mean(summary, arm, "data_in_pool_end")
        row["data in the OS cache at the start"] = _mean(summary, arm, "data_in_os_cache_start")
        rows.append(row)
    if not rows:
        return blank(
            summary, TIERS, "What shared buffers did not have", "This run did not count which tier served", _MEND
        )
    table = pd.DataFrame(rows)
    plot = go.Figure()
    for place, name in enumerate(list(_TIERS.values())[1:], start=1):
        plot.add_bar(
            x=table[name], y=table["configuration"], name=name, orientation="h",
            marker={"color": COLOURS[place], "pattern": {"shape": ("", "/", "x")[place]}},
        )  # fmt: skip
    worst = min(rows, key=lambda row: float(str(row["shared buffers"])))
    share = float(str(worst["shared buffers"]))
    said = f"fewest hits in shared buffers: {worst['configuration']} with {share:.1%}"
    plot.update_layout(barmode="stack", height=160 + 26 * len(rows))
    plot.update_xaxes(title="share of block requests that shared buffers did not serve", tickformat=".1%")
    plot.update_yaxes(autorange="reversed")
    return Figure(
        TIERS,
        "What shared buffers did not have: the share of the block requests of the measured seconds that came from the "
        "operating system's cache or from the device, mean over trials (differences of counters around the window; the "
        f"device by what the server's processes read); {summary.origin()}.",
        f"Stacked bars of the requests served by the OS cache and the device for {len(rows)} configurations; {said}.",
        theme.apply(plot),
        table,
        summary.run.id,
    )


def checkpoint(summary: Summary) -> Figure:
    """Pages in the pool and dirty pages, before and after a CHECKPOINT, and what it does to throughput."""
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    for place, moment in enumerate(("before", "after")):
        found = {
            kind: summary.values(QUARTER, metric)
            for metric, (kind, when) in _MOMENTS.items()
            if when == moment and summary.has(QUARTER, metric)
        }
        rows += [
            {
                "moment": f"{moment} the CHECKPOINT", "pages": kind, "mean": float(values.mean()),
                "least": float(values.min()), "most": float(values.max()), "trials": len(values),
            }
            for kind, values in found.items()
        ]  # fmt: skip
        plot.add_bar(
            x=list(found), y=[float(values.mean()) for values in found.values()], name=f"{moment} the CHECKPOINT",
            marker={"color": COLOURS[place], "pattern": {"shape": ("", "/")[place]}},
        )  # fmt: skip
    if not rows:
        why = "This run did not count the pool's pages around a CHECKPOINT"
        return blank(summary, CHECKPOINT, "Pages in shared buffers around a CHECKPOINT", why, _MEND)
    said = "not all of the pages were counted in this run"
    if len(rows) == len(_MOMENTS):
        mean = {(row["moment"], row["pages"]): float(str(row["mean"])) for row in rows}
        said = "; ".join(
            f"{kind}: {mean['before the CHECKPOINT', kind]:,.0f} pages before, "
            f"{mean['after the CHECKPOINT', kind]:,.0f} after"
            for kind in ("in the pool", "dirty")
        )
    cost = ""
    effect = summary.ratio(QUARTER, NO_CHECKPOINT, "tps")
    if effect is not None:
        images = [_mean(summary, arm, "full_images_per_transaction") for arm in (QUARTER, NO_CHECKPOINT)]
        cost = (
            f" Throughput right after a CHECKPOINT is {with_interval(effect)} times that without one"
            + (
                f", with {images[0]:.2f} against {images[1]:.2f} full page images a transaction"
                if None not in images
                else ""
            )
            + "."
        )
    plot.update_layout(barmode="group")
    plot.update_yaxes(title="pages of 8 KiB")
    return Figure(
        CHECKPOINT,
        "Pages of pgbench's tables in shared buffers right before and right after a CHECKPOINT, nobody else connected "
        f"(pg_buffercache, mean over trials, pool of 25 % of memory).{cost} {_capital(summary.origin())}.",
        f"Two groups of bars; {said}.{cost}",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
    )


def _mean(summary: Summary, arm: str, metric: str) -> float | None:
    try:
        return float(summary.values(arm, metric).mean())
    except NotEstimableError:
        return None


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
