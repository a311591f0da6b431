"""The numbers of the chapter, each once and by name, what its claims stand on, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from benchbook.claims import Quantity
from benchbook.experiments.families.features import differences
from benchbook.experiments.families.features.summary import QUANTILES
from benchbook.experiments.feature_buffers.arms import (
    DIRECT,
    DISJOINT,
    MIX,
    UNFILLED,
    again_name,
)
from benchbook.experiments.feature_buffers.pools import (
    MIB,
    P99,
    Summary,
    at,
    base,
    best_of_band,
    cached,
    doubled,
    hit,
    hits,
    in_band,
    largest_mix,
    noted,
    smallest_mix,
    tails,
)
from benchbook.experiments.feature_buffers.treatment import (
    data_fits,
    every,
    far_from_note,
    free_memory,
    large_enough,
    no_page_cache,
    not_full,
    same_reads,
)
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, counts, custom, known, ratio, rise
from benchbook.experiments.shape.named import percent
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, Columns, levels, means, table
from benchbook.statistics import Gate

Words = Callable[[Summary], str]
HITS, NOTE_HITS, P50 = "heap_hit_ratio", "note_heap_hit_ratio", "p50_ns"
MISSES, DEVICE = "pool_misses_per_request", "device_blocks_per_request"
BLOCK_BYTES = 8192
WAYS = {"base": base, "doubled": doubled}
AA = (lambda summary: again_name(summary.parameters.base_percent), at(DISJOINT))


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts and enough memory; of times Little's law."""
    arms = answer.estimand.names(summary)
    if not arms:
        return []
    gates = [summary.counts_agree(), summary.killed(arms)]
    return gates if answer.estimand.metric is None else [*gates, summary.littles_law(arms)]


def _setting(summary: Summary) -> dict[str, int]:
    """What a fresh cluster said of the setting, in bytes."""
    said = summary.run.provenance.get("setting")
    if not said:
        raise NotEstimableError("this run did not try the setting on a fresh cluster", "measure again")
    return dict(said)


def _needs_restart(summary: Summary) -> float:
    """How many fresh clusters, of one, leave the value pending after a reload and have it after a restart."""
    said = _setting(summary)
    waited = said["pending"] and said["after_reload_bytes"] == said["default_bytes"] != said["asked_bytes"]
    return float(bool(waited) and said["after_restart_bytes"] == said["asked_bytes"])


def _set_by_alter_system(summary: Summary) -> float:
    """How many fresh clusters, of one, report the value after a restart."""
    said = _setting(summary)
    return float(said["after_restart_bytes"] == said["asked_bytes"])


def _twice(keys: str, metric: str, **ground: Any) -> Estimand:
    """A metric with twice the base pool over that with the base pool."""
    return ratio(doubled(keys), base(keys), metric, **ground)


def _tail(top: Words, bottom: Words) -> Estimand:
    """The same of the highest quantile that the run can estimate."""
    return custom(
        lambda summary, confidence: summary.ratio((top(summary), summary.tail), (bottom(summary), summary.tail)),
        Quantity.COMPARISON,
    )  # fmt: skip


def _mean(arm: Words, metric: str, factor: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: factor * summary.mean(arm(summary), metric)


def _room(arm: Words) -> Callable[[Summary], float]:
    """Share of the data in % for which a pool has room."""
    return lambda summary: 100 * summary.mean(arm(summary), "pool_bytes") / summary.data_bytes


def _again_apart(summary: Summary) -> str:
    """How many points the hit ratios of the baseline and itself differ at most."""
    again, first = (summary.values(arm(summary), HITS) for arm in AA)
    return f"{100 * abs(again - first).max():.2g}"


_OF_BOTH = {
    "hits": (DISJOINT, HITS, 100),
    "all_hits": (DISJOINT, "hit_ratio", 100),
    "mix_hits": (MIX, HITS, 100),
    "misses": (DISJOINT, MISSES, 1),
    "reads": (DISJOINT, DEVICE, 1),
    "cached_mib": (DISJOINT, "cached_bytes", 1 / MIB),
    "twice_mib": (DISJOINT, "in_both_bytes", 1 / MIB),
}
"""What is told of the base pool and of the doubled one."""
NUMBERS = {
    "hits_rise": percent(
        rise(
            doubled(DISJOINT), base(DISJOINT), HITS, "heap_blocks",
            idle=same_reads(base(DISJOINT), doubled(DISJOINT)), departs=far_from_note,
        )
    ),
    "cached_times": counts(
        doubled(DISJOINT), base(DISJOINT), "cached_bytes",
        idle=not_full, departs=every(free_memory, no_page_cache, data_fits),
    ),
    "p99": _twice(
        DISJOINT, P99, idle=same_reads(base(DISJOINT), doubled(DISJOINT)),
        departs=every(far_from_note, free_memory),
    ),
    "mix_p99": _twice(
        MIX, P99, idle=same_reads(base(MIX), doubled(MIX)), departs=every(large_enough, free_memory)
    ),
    "best_of_band": custom(
        best_of_band, Quantity.COMPARISON, smallest_mix, largest_mix, aa=P99, bounded=True,
        idle=same_reads(smallest_mix, largest_mix), departs=every(free_memory, no_page_cache),
    ),
    "default_gib": known(
        lambda summary: _setting(summary)["default_bytes"] / 2**30,
        "The value is that of a fresh cluster on which nobody set it",
    ),
    "needs_restart": known(
        _needs_restart, "The count is of fresh clusters, of one, with the value pending until a restart"
    ),
    "set_by_alter_system": known(
        _set_by_alter_system, "The count is of fresh clusters, of one, that had the value after a restart"
    ),
    "hits_times": _twice(DISJOINT, HITS),
    "misses_times": _twice(DISJOINT, MISSES),
    "reads_times": _twice(DISJOINT, DEVICE),
    "median_times": _twice(DISJOINT, P50),
    "mix_median_times": _twice(MIX, P50),
    "tail_times": _tail(doubled(DISJOINT), base(DISJOINT)),
    "mix_tail_times": _tail(doubled(MIX), base(MIX)),
    "again_median": ratio(*AA, P50),
    "again_tail": _tail(*AA),
    "through_cache": ratio(at(DISJOINT, 2), at(DISJOINT), P50),
    "past_cache": ratio(at(DIRECT, 2), at(DIRECT), P50),
}  # fmt: skip
WORDS = {
    "tail": lambda summary: summary.tail_heading,
    "base": lambda summary: summary.base,
    "unbounded": lambda summary: summary.unbounded,
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
    "data_mib": lambda summary: summary.data_bytes / MIB,
    "memory_mib": lambda summary: summary.ram_bytes / MIB,
    "memory_share": lambda summary: 100 * summary.ram_bytes / summary.data_bytes,
    "index_share": lambda summary: 100 * summary.run.provenance["index_bytes"] / summary.data_bytes,
    "needed_mib": _mean(at(DISJOINT), "needed_pages", BLOCK_BYTES / MIB),
    "mix_needed_mib": _mean(at(MIX), "needed_pages", BLOCK_BYTES / MIB),
    "pool_mib": _mean(at(DISJOINT), "pool_bytes", 1 / MIB),
    **{f"room_{way}": _room(of(DISJOINT)) for way, of in WAYS.items()},
    **{
        f"{name}_{way}": _mean(of(keys), metric, factor)
        for name, (keys, metric, factor) in _OF_BOTH.items()
        for way, of in WAYS.items()
    },
    **{f"unfilled_{name}": _mean(at(UNFILLED, n), NOTE_HITS, 100) for n, name in enumerate(WAYS, 1)},
    **{f"filled_{name}": _mean(at(DISJOINT, n), NOTE_HITS, 100) for n, name in enumerate(WAYS, 1)},
    "unfilled_used": lambda summary: summary.used(at(UNFILLED)(summary)),
    "in_band": lambda summary: hits(summary, in_band(summary)),
    "band_most": lambda summary: max(100 * hit(summary, each).high for each in in_band(summary)),
    "noted": noted,
    "cached": cached,
    "lowest": tails(min),
    "highest": tails(max),
    "again_apart": _again_apart,
}


def _settings(summary: Summary) -> pd.DataFrame:
    """What was otherwise in the note."""
    p, ram = summary.parameters, summary.ram_bytes / 2**30
    return differences.differences(
        summary,
        ("memory", "64 GB on the cluster that the fix names", f"{ram:.2f} GiB for server and page cache together",
         "none on shares of it"),
        ("data over memory", "1.5 TB over 64 GB", f"{summary.data_bytes / 2**30 / ram:.2f} times",
         "a pool can hold far more of the data: higher hit ratios"),
        ("before measuring", "1,000 requests for other keys", f"{p.fill_requests:,} for other keys, then 1,000 more",
         "a full pool, as in a service in use"),
    )  # fmt: skip


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: quantiles with intervals in ms, hit ratio, misses, device reads, what is cached."""
    columns: Columns = {
        **levels(summary, *QUANTILES[:3], otherwise=NOT_ESTIMABLE),
        **means(
            summary, HITS, MISSES, DEVICE, "data_in_pool_at_start", "data_in_os_cache_at_start", "cached_bytes",
            "pool_bytes",
        ),
    }  # fmt: skip
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


def _steps(summary: Summary) -> pd.DataFrame:
    """The setting on a fresh cluster, step by step."""
    said = _setting(summary)

    def mib(name: str) -> str:
        return f"{said[name] / MIB:,.0f} MiB"

    waits = {True: "waits for a restart", False: "nothing waits"}
    reload, pending = f"ALTER SYSTEM to {mib('asked_bytes')}, then a reload", waits[bool(said["pending"])]
    rows = [
        ("after initdb and a start", mib("default_bytes"), "nothing waits"),
        (reload, mib("after_reload_bytes"), pending),
        ("after a restart", mib("after_restart_bytes"), waits[bool(said["pending_after_restart"])]),
    ]
    return pd.DataFrame(rows, columns=["step", "shared_buffers in force", "new value"]).set_index("step")


TABLES = {"settings": _settings, "overview": _overview, "setting": _steps}
