"""The notes' sums done again, beside what the notes claim."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from benchbook.claims import Rule, chapter_claims
from benchbook.experiments.notes_reanalysis.summary import Summary
from benchbook.experiments.shape import judging

FIGURE = "fig-notes-arithmetic"
"""The one that shows them."""
DRAWN = 12
"""Sums that are drawn besides those that do not follow."""
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


def sums(summary: Summary) -> pd.DataFrame:
    """Recomputed over claimed, for every sum with a positive region; the region's middle is the claimed number.

    Columns claim, metric, ratio, low, high: the region's edges over its middle; right: whether the ratio lies between
    these; drawn: whether a figure has room for it. Furthest from 1 first.
    """
    claims = chapter_claims(summary.chapter.name)
    rows: list[dict[str, Any]] = []
    for each in judging.answered(summary):
        claim = claims[each.claim_id]
        summed = each.answer is not None and each.answer.figure == FIGURE and claim.rule is Rule.ARITHMETIC
        if not summed or each.estimate is None or not claim.low or not claim.high:
            continue
        middle = (claim.low + claim.high) / 2
        ratios = {"ratio": each.estimate.point / middle, "low": claim.low / middle, "high": claim.high / middle}
        rows.append({"claim": claim.id, "metric": WORDS.get(claim.metric, claim.metric.replace("_", " ")), **ratios})
    rows.sort(key=lambda row: -abs(math.log(row["ratio"])))
    found = pd.DataFrame(rows)
    found["right"] = (found["low"] <= found["ratio"]) & (found["ratio"] <= found["high"])
    return found.assign(drawn=~found["right"] | (found.index < DRAWN))


def factor(ratio: float) -> str:
    """A ratio in words."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
