"""The chapter's sentences and its tables, computed from the run that the page shows."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.families.features import differences
from benchbook.experiments.families.features.summary import QUANTILES
from benchbook.experiments.feature_buffers.arms import DISJOINT, MIX, again_name, pool_name
from benchbook.experiments.feature_buffers.estimands import base, doubled
from benchbook.experiments.feature_buffers.summary import NOTE_HIT_RATIO, Summary
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, Columns, levels, means, table
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval

MIB = 2**20
WORDS = {"p50_ns": "median", "p95_ns": "P95", "p99_ns": "P99"}
MISSES, DEVICE = "pool_misses_per_request", "device_blocks_per_request"


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, where = summary.parameters, summary.run.provenance
    ram, data = float(where["ram_bytes"]), summary.data_bytes
    bounded = "bounded by a control group" if not summary.unbounded else "not bounded in every trial"
    pinned = "The client runs on one processor core, the server on the others."
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations on {summary.on()}, {p.n_tables} tables of {p.rows_per_table:,} rows or "
        f"more: {data / MIB:,.0f} MiB, of which the indexes take {where['index_bytes'] / data:.0%}. Server and page "
        f"cache share {ram / MIB:,.0f} MiB, {ram / data:.0%} of the data, {bounded}. {_needed(summary)}"
        f"{pinned if where.get('pinned') else 'The kernel chose the cores of client and server.'}",
    )


def _needed(summary: Summary) -> str:
    """How large the pages of the measured keys are, and the base pool."""
    disjoint, mix = (
        summary.mean(pool_name(keys, summary.parameters.base_percent), "needed_pages") * 8192 / MIB
        for keys in (DISJOINT, MIX)
    )
    pool = summary.mean(pool_name(DISJOINT, summary.parameters.base_percent), "pool_bytes") / MIB
    return (
        f"The pages that disjoint keys need take {disjoint:,.0f} MiB, those of 80/20 {mix:,.0f} MiB, the base pool "
        f"{pool:,.0f} MiB. "
    )


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    tail = summary.tail

    def hits() -> str:
        small, large = (100 * summary.mean(arm(DISJOINT)(summary), "heap_hit_ratio") for arm in (base, doubled))
        return (
            f"Of the pools whose double was measured, {summary.base} % of the memory has the heap hit ratio nearest to "
            f"the note's {NOTE_HIT_RATIO:.0%}: {small:.1f} %. Twice as much has {large:.1f} %."
        )

    def counts() -> str:
        missed, read = (_doubled(summary, DISJOINT, metric) for metric in (MISSES, DEVICE))
        return (
            f"A request for disjoint keys then misses {missed} times as many blocks in the pool, and reads {read} "
            "times as many from the device."
        )

    def times() -> str:
        median, last = (_doubled(summary, DISJOINT, metric) for metric in ("p50_ns", tail))
        return f"The median request takes {median} times as long, the {WORDS[tail]} {last} times."

    def mixed() -> str:
        hot = summary.parameters.hot_share_percent
        median, last = (_doubled(summary, MIX, metric) for metric in ("p50_ns", tail))
        return (
            f"With {hot} % of the requests for hot keys, the median is {median} times what it was, the {WORDS[tail]} "
            f"{last} times."
        )

    return tell(hits, counts, times, mixed)


def settings(summary: Summary) -> pd.DataFrame:
    """What was otherwise in the note."""
    p, where = summary.parameters, summary.run.provenance
    ram = float(where["ram_bytes"]) / 2**30
    return differences.differences(
        summary,
        ("memory", "64 GB on the cluster that the fix names", f"{ram:.2f} GiB for server and page cache together",
         "none on shares of it"),
        ("data over memory", "1.5 TB over 64 GB", f"{summary.data_bytes / 2**30 / ram:.2f} times",
         "a pool can hold far more of the data: higher hit ratios"),
        ("before measuring", "1,000 requests for other keys", f"{p.fill_requests:,} for other keys, then 1,000 more",
         "a full pool, as in a service in use"),
    )  # fmt: skip


def noise(summary: Summary) -> Prose:
    """How far the baseline differs from itself."""
    percent = summary.parameters.base_percent
    first, again = pool_name(DISJOINT, percent), again_name(percent)

    def itself() -> str:
        found = ", ".join(
            f"{WORDS[metric]} {with_interval(summary.ratio((again, metric), (first, metric)))}"
            for metric in ("p50_ns", summary.tail)
        )
        return f"The baseline against itself (A/A), as ratios: {found}. Differences of this size are noise."

    def hits() -> str:
        apart = 100 * abs(summary.values(again, "heap_hit_ratio") - summary.values(first, "heap_hit_ratio")).max()
        return f"Its heap hit ratios differ by {apart:.2g} points at most."

    return tell(itself, hits)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: quantiles with intervals in ms, hit ratio, misses, device reads, what is cached."""
    columns: Columns = {
        **levels(summary, *QUANTILES[:3], otherwise=NOT_ESTIMABLE),
        **means(
            summary, "heap_hit_ratio", MISSES, DEVICE, "data_in_pool_at_start", "data_in_os_cache_at_start",
            "cached_bytes", "pool_bytes",
        ),
    }  # fmt: skip
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


def _doubled(summary: Summary, keys: str, metric: str) -> str:
    """A metric with twice the base pool over that with the base pool."""
    return with_interval(summary.ratio((doubled(keys)(summary), metric), (base(keys)(summary), metric)))
