"""The numbers of the chapter, each once and by name, what its claims stand on, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from benchbook.chapters.feature_buffers import pools
from benchbook.chapters.feature_buffers.arms import DIRECT, DISJOINT, MIX, UNFILLED, again_name, pool_name
from benchbook.chapters.feature_buffers.pools import MIB, P99, Arm, Summary, at, base, every, of_mix, same_reads
from benchbook.chapters.feature_buffers.setting import NOTE_SHARE
from benchbook.claims import Quantity
from benchbook.measuring.features import differences
from benchbook.measuring.features.summary import QUANTILES
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, counts, custom, known, ratio, rise
from benchbook.numbers.quantities import Told, percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.tables import NOT_ESTIMABLE, Columns, levels, means, table
from benchbook.statistics import Gate

HITS, NOTE_HITS, P50 = "heap_hit_ratio", "note_heap_hit_ratio", "p50_ns"
MISSES, DEVICE = "pool_misses_per_request", "device_blocks_per_request"
NOTE_BEFORE = 8 / 64, 16 / 64
"""The note takes its present pool for 8 to 16 GB, of 64 GB of memory."""
WAYS = {"base": 1, "doubled": 2}
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
    return ratio(base(keys, 2), base(keys), metric, **ground)


def _tail(top: Arm, bottom: Arm) -> Estimand:
    """Ratio of the highest quantile that the run can estimate."""
    return custom(
        lambda summary: summary.ratio((top(summary), summary.tail), (bottom(summary), summary.tail)),
        Quantity.COMPARISON,
    )  # fmt: skip


NUMBERS = {
    "hits_rise": percent(
        rise(
            base(DISJOINT, 2), base(DISJOINT), HITS, "heap_blocks",
            idle=same_reads(base(DISJOINT), base(DISJOINT, 2)), departs=pools.far_from_note,
        )
    ),
    "cached_times": counts(
        base(DISJOINT, 2), base(DISJOINT), "cached_bytes",
        idle=pools.not_full, departs=every(pools.free_memory, pools.no_page_cache, pools.data_fits),
    ),
    "p99": _twice(
        DISJOINT, P99, idle=same_reads(base(DISJOINT), base(DISJOINT, 2)),
        departs=every(pools.far_from_note, pools.free_memory),
    ),
    "mix_p99": _twice(
        MIX, P99, idle=same_reads(base(MIX), base(MIX, 2)), departs=every(pools.large_enough, pools.free_memory)
    ),
    "best_of_band": custom(
        pools.best_of_band, Quantity.COMPARISON, of_mix(0), of_mix(-1), aa=P99, bounded=True,
        idle=same_reads(of_mix(0), of_mix(-1)), departs=every(pools.free_memory, pools.no_page_cache),
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
    "tail_times": _tail(base(DISJOINT, 2), base(DISJOINT)),
    "mix_tail_times": _tail(base(MIX, 2), base(MIX)),
    "again_median": ratio(*AA, P50),
    "again_tail": _tail(*AA),
    "through_cache": ratio(at(DISJOINT, 2), at(DISJOINT), P50),
    "past_cache": ratio(at(DIRECT, 2), at(DIRECT), P50),
}  # fmt: skip


def _mean(arm: Arm, metric: str, factor: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: factor * summary.mean(arm(summary), metric)


def _share(arm: Arm, part: str, whole: Callable[[Summary], float]) -> Callable[[Summary], float]:
    """A size as a share of another in %."""
    return lambda summary: 100 * summary.mean(arm(summary), part) / whole(summary)


def _again_apart(summary: Summary) -> float:
    """How many points the hit ratios of the baseline and itself differ at most."""
    again, first = (summary.values(arm(summary), HITS) for arm in AA)
    return float(100 * abs(again - first).max())


def _hits(summary: Summary, sizes: Iterable[int]) -> list[dict[str, Any]]:
    """The heap hit ratios under 80/20 with pools of so many percent of the memory."""
    found = {each: summary.share(pool_name(MIX, each), HITS, "heap_blocks") for each in sizes}
    return [{"percent": size, "hits": Told(estimate, 100)} for size, estimate in found.items()]


def _noted(summary: Summary) -> dict[str, Any]:
    """The same of the pools nearest to the note's own step."""
    low, high = (100 * share for share in NOTE_BEFORE)
    before = [each for each in summary.sweep(MIX) if low - 1 <= each <= high]
    after = min(summary.sweep(MIX), key=lambda each: abs(each - 100 * NOTE_SHARE))
    if not before or after in before:
        raise NotEstimableError("no pool of the note's size was measured", "give mix_pools_percent")
    return {"before": _hits(summary, before), "after": _hits(summary, [after])[0]}


def _cached(summary: Summary) -> list[dict[str, float]]:
    """Of each pool with disjoint keys how much of the data is cached somewhere, and how much of it twice."""
    arms = {each: pool_name(DISJOINT, each) for each in summary.sweep(DISJOINT)}
    metrics = {"mib": "cached_bytes", "twice_mib": "in_both_bytes"}
    return [
        {"percent": each} | {name: summary.mean(arm, metric) / MIB for name, metric in metrics.items()}
        for each, arm in arms.items()
    ]


def _mix_tails(summary: Summary) -> list[dict[str, float]]:
    """The highest quantile in ms with each pool under 80/20."""
    sizes = summary.sweep(MIX)
    return [{"percent": each, "ms": summary.latency(pool_name(MIX, each), summary.tail).point} for each in sizes]


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
WORDS = {
    "tail": lambda summary: summary.tail_heading,
    "base": lambda summary: summary.base,
    "unbounded": lambda summary: summary.unbounded,
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
    "data_mib": lambda summary: summary.data_bytes / MIB,
    "memory_mib": lambda summary: summary.ram_bytes / MIB,
    "memory_share": lambda summary: 100 * summary.ram_bytes / summary.data_bytes,
    "index_share": lambda summary: 100 * summary.run.provenance["index_bytes"] / summary.data_bytes,
    "needed_mib": _mean(at(DISJOINT), "needed_pages", pools.BLOCK_BYTES / MIB),
    "mix_needed_mib": _mean(at(MIX), "needed_pages", pools.BLOCK_BYTES / MIB),
    "pool_mib": _mean(at(DISJOINT), "pool_bytes", 1 / MIB),
    **{f"room_{way}": _share(base(DISJOINT, n), "pool_bytes", lambda s: s.data_bytes) for way, n in WAYS.items()},
    **{
        f"{name}_{way}": _mean(base(keys, n), metric, factor)
        for name, (keys, metric, factor) in _OF_BOTH.items()
        for way, n in WAYS.items()
    },
    **{f"unfilled_{way}": _mean(at(UNFILLED, n), NOTE_HITS, 100) for way, n in WAYS.items()},
    **{f"filled_{way}": _mean(at(DISJOINT, n), NOTE_HITS, 100) for way, n in WAYS.items()},
    "unfilled_used": _share(at(UNFILLED), "in_pool_bytes", _mean(at(UNFILLED), "pool_bytes")),
    "in_band": lambda summary: _hits(summary, pools.in_band(summary)),
    "noted": _noted,
    "cached": _cached,
    "mix_tails": _mix_tails,
    "again_apart": _again_apart,
    "setting": _setting,
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


TABLES = {"settings": _settings, "overview": _overview}
