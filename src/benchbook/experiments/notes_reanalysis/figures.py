"""Figures: the notes' runs and what they can show, their sums done again, and a column with two meanings."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import Rule, chapter_claims
from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis.places import ARITHMETIC, SPEEDUP
from benchbook.experiments.notes_reanalysis.run_figures import figure, single_run, timelines, validation
from benchbook.experiments.notes_reanalysis.summary import Summary
from benchbook.experiments.shape import judging
from benchbook.experiments.shape.marks import COLOURS, by_label
from benchbook.figures import Figure, theme

EDGE = 2.0
"""Ratios beyond a factor of two are drawn at the figure's edge and written out."""
ROUNDED = 0.0101
"""Three numbers printed to two decimals: the mean of two may differ by one in the last place."""
SIZES = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000, "10m": 10_000_000}


WORDS = {
    "block_cache_needed_gb": "block cache needed (GB)",
    "cost_per_key_kb": "cost per key (kB)",
    "effective_cache_size_gb": "effective_cache_size (GB)",
    "evicted_share_percent": "share evicted (%)",
    "latency_reduction_percent": "reduction of the latency (%)",
    "littles_law_ratio": "clients by Little's law",
    "lru_entries": "entries of the LRU",
    "max_abs_deviation_percent": "largest deviation (%)",
    "max_abs_deviation_points": "largest deviation (points)",
    "max_abs_deviation_tps_per_usd": "largest deviation (TPS per USD)",
    "max_open_files": "max_open_files",
    "max_over_min_tps": "highest over lowest TPS",
    "memory_total_gb": "memory in all (GB)",
    "memory_total_mb": "memory in all (MB)",
    "mib_per_round": "MiB per round",
    "share_of_ram": "share of the memory",
    "shared_buffers_ratio": "shared_buffers ratio",
    "timeline_mean_over_tps_avg": "mean of the timeline over the average",
    "total_ns": "sum (ns)",
    "tps_per_usd": "TPS per USD",
    "upper_share_of_ram_gb": "upper share of the memory (GB)",
    "usable_gb": "usable (GB)",
    "usd_per_month": "USD per month",
    "work_mem_mb": "work_mem (MB)",
}
"""The ledger's names of metrics that do not read as words."""


def claimed_ratios(summary: Summary) -> pd.DataFrame:
    """Recomputed over claimed, for every sum with a positive region; the region's middle is the claimed number.

    Columns claim, metric, ratio, low, high: the region's edges over its middle; furthest from 1 first.
    """
    claims = chapter_claims(summary.chapter.name)
    rows: list[dict[str, Any]] = []
    for each in judging.answered(summary):
        claim = claims[each.claim_id]
        summed = each.answer is not None and each.answer.figure == ARITHMETIC and claim.rule is Rule.ARITHMETIC
        if not summed or each.estimate is None or not claim.low or not claim.high:
            continue
        middle = (claim.low + claim.high) / 2
        ratios = {"ratio": each.estimate.point / middle, "low": claim.low / middle, "high": claim.high / middle}
        rows.append({"claim": claim.id, "metric": WORDS.get(claim.metric, claim.metric.replace("_", " ")), **ratios})
    rows.sort(key=lambda row: -abs(math.log(row["ratio"])))
    return pd.DataFrame(rows)


DRAWN = 12
"""Sums that are drawn besides those that do not follow."""


def arithmetic(summary: Summary) -> Figure:
    """Recomputed over claimed, one row per sum, with the region in which it counts as right."""
    every = claimed_ratios(summary)
    right = (every["low"] <= every["ratio"]) & (every["ratio"] <= every["high"])
    drawn = ~right | (every.index < DRAWN)
    found, inside = every[drawn], right[drawn]
    labels = [f"{row.claim} {row.metric}" for row in found.itertuples()]
    shown = found["ratio"].clip(1 / EDGE, EDGE)
    plot = go.Figure()
    plot.add_bar(
        x=found["high"] - found["low"], base=found["low"], y=labels, orientation="h", name="counts as right",
        marker={"color": "rgba(125, 125, 125, 0.35)"}, hoverinfo="skip",
    )  # fmt: skip
    for place, (name, chosen) in enumerate((("follows", inside), ("does not follow", ~inside))):
        part = found[chosen]
        plot.add_scatter(
            x=shown[chosen], y=[label for label, keep in zip(labels, chosen, strict=True) if keep], name=name,
            mode="markers+text", text=["" if name == "follows" else _factor(ratio) for ratio in part["ratio"]],
            textposition=["middle right" if 1 < ratio < EDGE or ratio <= 1 / EDGE else "middle left"
                          for ratio in part["ratio"]],
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
        )  # fmt: skip
    ticks = [0.5, 0.7, 1, 1.4, 2]
    plot.update_xaxes(
        type="log", range=[math.log10(0.47), math.log10(2.13)], title="recomputed over claimed",
        tickvals=ticks, ticktext=["≤ 0.5", *(f"{tick:g}" for tick in ticks[1:-1]), "≥ 2"],
    )  # fmt: skip
    by_label(plot, labels, height=160, each=20)
    plot.update_yaxes(tickfont={"size": 11})
    plot.update_layout(barmode="overlay")
    outside = every[~right]
    wrong = ", ".join(
        f"{claim} ({_factor(ratio)})" for claim, ratio in zip(outside["claim"], outside["ratio"], strict=True)
    )
    return figure(
        ARITHMETIC,
        "The notes' arithmetic recomputed",
        f"The notes' arithmetic: recomputed over claimed, logarithmic. Of {len(every)} claims, the {len(found)} "
        "furthest from 1 and all that do not follow; the table has the others. Bars are the regions that the ledger "
        "counts as right; their middle is the claimed number. Nothing is measured here, so there are no intervals. "
        f"Ratios beyond a factor of {EDGE:g} are written out.",
        f"One row per sum. {int(right.sum())} of {len(every)} are right. These are not: {wrong}.",
        plot,
        every.rename(columns={"ratio": "recomputed / claimed", "low": "region low", "high": "region high"}),
    )


def _factor(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def speedup_table() -> pd.DataFrame:
    """One row per size: the printed speed-up, that of queries, that of inserts, and the mean of the last two."""
    printed = notes.table("omendb_speedup").set_index("scale_rows")["before"]
    rows = []
    for name, size in SIZES.items():
        query, insert = notes.reading(f"query_speedup_{name}"), notes.reading(f"insert_speedup_{name}")
        row = {
            "printed": float(printed[size]),
            "queries": query,
            "inserts": insert,
            "mean of both": (query + insert) / 2,
        }
        same = [what for what in ("queries", "mean of both") if abs(row["printed"] - row[what]) <= ROUNDED]
        rows.append({"rows": size, **row, "printed is": " and ".join(same) or "neither"})
    return pd.DataFrame(rows)


def speedup(summary: Summary) -> Figure:
    """The printed speed-ups beside the two quantities that they could be."""
    found = speedup_table()
    plot = go.Figure()
    series = ("printed", "queries", "mean of both")
    for place, name in enumerate(series):
        plot.add_scatter(
            x=found["rows"], y=found[name], name={"printed": "printed in note 004's table"}.get(name, name),
            mode="lines+markers", line={"color": list(theme.COLOURS.values())[place], "dash": theme.DASHES[place]},
            marker={"symbol": theme.SYMBOLS[place], "size": 11 - 2 * place},
        )  # fmt: skip
    low, high = (
        notes.number("omendb_statements", "value", name=f"claimed_speedup_{end}") for end in ("lo", "hi")
    )  # fmt: skip
    plot.add_hrect(y0=low, y1=high, fillcolor="rgba(125, 125, 125, 0.2)", line_width=0)
    plot.add_hline(y=1, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.update_xaxes(
        type="log", title="rows", tickvals=list(SIZES.values()), ticktext=[f"{size:,}" for size in SIZES.values()]
    )
    plot.update_yaxes(title="SQLite over OmenDB", rangemode="tozero")
    said = "; ".join(f"{row.rows:,} rows: {row.printed:g} is {row[-1]}" for row in found.itertuples(index=False))
    return figure(
        SPEEDUP,
        "What the printed speed-ups mean",
        "Speed-up over SQLite before the optimization, sequential keys: the column of note 004, and what the report "
        "beside it gives for queries alone and for the mean of queries and inserts. Each point is one run of 1,000 "
        f"queries, without an interval. Shaded: the claimed {low:g} to {high:g}.",
        f"Three lines over the number of rows. {said}.",
        plot,
        found,
    )


FIGURES = {
    "timelines": timelines,
    "validation": validation,
    "single_run": single_run,
    "arithmetic": arithmetic,
    "speedup": speedup,
}
