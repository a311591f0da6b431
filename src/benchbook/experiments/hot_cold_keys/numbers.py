"""The numbers of the chapter, each once and by name, what its claims stand on, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd

from benchbook.claims import Quantity
from benchbook.experiments import notes
from benchbook.experiments.families.features import differences
from benchbook.experiments.families.features.arms import hot_share
from benchbook.experiments.families.features.summary import QUANTILES
from benchbook.experiments.families.features.treatment import nothing_loaded, same_reads
from benchbook.experiments.hot_cold_keys import caches, slow
from benchbook.experiments.hot_cold_keys.arms import (
    ALIKE_ORDER,
    ALL_WARMED,
    BASELINE,
    BY_CHANCE,
    COLD,
    DISJOINT,
    DISJOINT_CELL,
    DISJOINT_FIRST,
    EMPTY,
    HOT_CELL,
    MIXED,
    MIXED_CELL,
    PIPELINE,
    PROBED,
    REPEATED,
    SERIAL,
    TEN_PERCENT,
    zipf_name,
)
from benchbook.experiments.hot_cold_keys.caches import Summary
from benchbook.experiments.shape import judging
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.claim_sides import Side, shown
from benchbook.experiments.shape.estimands import Estimand, custom, level, ratio, rise, share
from benchbook.experiments.shape.named import percent
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, Columns, levels, means, table
from benchbook.figures.numbers import with_interval
from benchbook.model import Estimate
from benchbook.statistics import Gate

MEAN, P50, P95, P99, SD = "mean_ns", "p50_ns", "p95_ns", "p99_ns", "sd_ns"
NOTE_MIN, NOTE_HITS, DEVICE = "note_min_ns", "note_heap_hit_ratio", "device_blocks_per_request"
AA = (REPEATED, BASELINE)
FEW_COLD_PERCENT = 1
"""More than this share of cold requests, and a P99 is the latency of one of them."""
FEW_COLD = hot_share(100 - FEW_COLD_PERCENT)
CURVES = (BASELINE, MIXED, DISJOINT, ALL_WARMED, EMPTY)
NOTE_TABLES = 30


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts and caches as named; of times Little's law."""
    arms = answer.estimand.names(summary)
    gates = [summary.counts_agree(), summary.certified(arms)]
    return gates if answer.estimand.metric is None else [*gates, summary.littles_law(arms)]


def _of(ask: Callable[..., Estimate], *arguments: object) -> Estimand:
    """What only sentences ask for."""
    return custom(lambda summary, confidence: ask(summary, *arguments), Quantity.COMPARISON)


def _tail(top: str, bottom: str) -> Estimand:
    """Ratio of the highest quantile that the run can estimate."""
    return _of(lambda summary: summary.ratio((top, summary.tail), (bottom, summary.tail)))


def _tail_ms(arm: str) -> Estimand:
    return _of(lambda summary: summary.latency(arm, summary.tail))


def _at_most(client: str) -> Estimand:
    """Mean of a request for warmed keys in ms, where most is added to reads and trips."""
    return _of(lambda summary: slow.mean_ms(summary, HOT_CELL, *slow.largest(summary), client))


def _minimum_at_most(keys: str) -> Estimand:
    """The fastest request for warmed keys there, over the fastest for others."""
    return _of(lambda summary: slow.over_others(summary, *slow.largest(summary), NOTE_MIN, keys))


def _popular(summary: Summary) -> list[dict[str, str]]:
    """By Zipf exponent how many times the P99 of warmed keys alone is."""
    return [
        {"exponent": f"{each:g}", "times": with_interval(summary.ratio((zipf_name(each), P99), (BASELINE, P99)))}
        for each in summary.parameters.zipf_exponents
    ]


def ladder(summary: Summary) -> list[float]:
    """The shares of warmed keys in %."""
    return [100, *sorted(summary.parameters.hot_shares_percent, reverse=True), 0]


NUMBERS = {
    "p99_disjoint": ratio(DISJOINT, BASELINE, P99, idle=caches.disjoint_read),
    "p50_disjoint": ratio(DISJOINT, BASELINE, P50, idle=caches.disjoint_read),
    "hits_warmed": percent(share(BASELINE, NOTE_HITS, "note_heap_blocks")),
    "hits_rise": rise(BASELINE, DISJOINT, NOTE_HITS, "note_heap_blocks", idle=caches.disjoint_read),
    "hits_noted": ratio(
        (BY_CHANCE, "cumulative_heap_hit_ratio"), (BY_CHANCE, NOTE_HITS), aa=None, quantity=Quantity.COUNTER
    ),
    "p99_warmed": caches.with_fix(P99),
    "p95_warmed": caches.with_fix(P95),
    "sd_warmed": caches.with_fix(SD),
    "p99_warmed_slow": percent(caches.with_fix(P99, slow=True)),
    "p50_warmed": caches.with_fix(P50, slow=True),
    "min_warmed": ratio(BASELINE, DISJOINT, NOTE_MIN),
    "tail_warmed": _tail(BASELINE, DISJOINT),
    "p99_few_cold": ratio(
        FEW_COLD, BASELINE, P99, idle=same_reads(FEW_COLD, BASELINE, share=FEW_COLD_PERCENT / 100)
    ),
    "few_cold_slower": _of(lambda summary: shown(judging.verdicts(summary), "L017", Side.ABOVE)),
    "p50_few_cold": ratio(FEW_COLD, BASELINE, P50),
    "mean_few_cold": ratio(FEW_COLD, BASELINE, MEAN),
    "tail_few_cold": _tail(FEW_COLD, BASELINE),
    "tail_mixed": _tail(MIXED, BASELINE),
    "rereads": percent(custom(caches.rereads, Quantity.COUNTER, DISJOINT, idle=caches.disjoint_read)),
    "p99_spread": caches.spread(P99, P50),
    "p95_spread": caches.spread(P95, P50),
    "sd_spread": caches.spread(SD, P50),
    "min_spread": caches.spread(NOTE_MIN, "note_p50_ns", BY_CHANCE),
    "minima": custom(
        caches.spread_of_minimum, Quantity.DISPERSION, BY_CHANCE, aa=NOTE_MIN, bounded=True, idle=caches.chance_read
    ),
    "p50_over_min": caches.over_minimum(P50, slow=False),
    "p50_over_min_slow": caches.over_minimum(P50),
    "p99_over_min": caches.over_minimum(P99),
    "min_over_min": caches.over_minimum(NOTE_MIN),
    "p50_over_ten_min": ratio((BASELINE, P50), (TEN_PERCENT, NOTE_MIN), idle=same_reads(TEN_PERCENT, BASELINE)),
    "cached_by_chance": caches.certified(BY_CHANCE, idle=caches.chance_read),
    "cached_all_warmed": caches.certified(ALL_WARMED),
    "first_requests": ratio((ALL_WARMED, "first_100_mean_ns"), (ALL_WARMED, "rest_mean_ns")),
    "first_probed": ratio(PROBED, COLD, "first_100_mean_ns", idle=nothing_loaded(PROBED, COLD)),
    "sd_all_warmed": ratio(ALL_WARMED, TEN_PERCENT, SD, idle=same_reads(TEN_PERCENT, ALL_WARMED)),
    "p99_all_warmed": ratio(ALL_WARMED, DISJOINT, P99, idle=same_reads(DISJOINT, ALL_WARMED)),
    "mean_ten_percent": ratio(TEN_PERCENT, ALL_WARMED, MEAN, idle=same_reads(TEN_PERCENT, ALL_WARMED)),
    **{f"again_{name}": ratio(REPEATED, BASELINE, f"{name}_ns") for name in ("p50", "p95", "p99")},
    "p50_hot_ms": level(BASELINE, P50, 1e6),
    "p50_cold_ms": level(DISJOINT, P50, 1e6),
    "tail_hot_ms": _tail_ms(BASELINE),
    "tail_cold_ms": _tail_ms(DISJOINT),
    "network_least": _of(lambda summary: slow.extremes(summary)[0]),
    "network_most": _of(lambda summary: slow.extremes(summary)[1]),
    "longer_way": _of(lambda summary: slow.over_others(summary, 0, slow.largest(summary)[1])),
    "far_min_disjoint": _minimum_at_most(DISJOINT_CELL),
    "far_min_mixed": _minimum_at_most(MIXED_CELL),
    "one_by_one_ms": _at_most(SERIAL),
    "pipeline_ms": _at_most(PIPELINE),
    "implied_trip_ms": _of(lambda summary: slow.implied(summary).trip_ms),
    "implied_read_ms": _of(lambda summary: slow.implied(summary).read_ms),
}  # fmt: skip


WORDS: dict[str, Callable[[Summary], Any]] = {
    "tail": lambda summary: summary.tail_heading,
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
    "direct_io": lambda summary: summary.run.provenance.get("direct_io"),
    "data_gib": lambda summary: summary.data_bytes / 2**30,
    "warmed_mib": caches.mib("warmed_pages"),
    "needed_mib": caches.mib("needed_pages"),
    "drawn": lambda summary: len(summary.drawn),
    "further": lambda summary: len(summary.reading) - len(summary.drawn),
    "ladder": lambda summary: ", ".join(f"{each:g} %" for each in ladder(summary)),
    "client_share": lambda summary: f"{summary.latency(EMPTY, P50).point / summary.latency(BASELINE, P50).point:.0%}",
    "course": lambda summary: [*summary.course(DISJOINT).values()],
    "curves": lambda summary: sum(arm in summary.configurations for arm in CURVES),
    "chance_cached": caches.percent_of(BY_CHANCE, "needed_in_pool_at_start"),
    "apart_cached": caches.percent_of(DISJOINT, "needed_in_pool_at_start"),
    "window_hits": caches.percent_of(BY_CHANCE, NOTE_HITS),
    "reported_hits": caches.percent_of(BY_CHANCE, "cumulative_heap_hit_ratio"),
    "reread": caches.percent_of(DISJOINT, "reread_share"),
    "read_again": caches.read_again,
    "blocks_all": lambda summary: summary.mean(DISJOINT, "blocks_per_request"),
    "blocks_first": lambda summary: summary.mean(DISJOINT_FIRST, "blocks_per_request"),
    "fastest_by_chance": partial(caches.fastest, arm=BY_CHANCE),
    "fastest_alike": partial(caches.fastest, arm=ALIKE_ORDER),
    "windows": caches.windows,
    "late": caches.late,
    "fifths": caches.fifths,
    "popular": _popular,
    "failed": slow.failed,
    "longest_trip_ms": lambda summary: f"{slow.largest(summary)[1]:g}",
    "likely_here": lambda summary: caches.likely(
        summary.mean(BY_CHANCE, "needed_in_pool_at_start"), 2 * summary.parameters.n_tables
    ),
    "likely_noted": lambda summary: caches.likely(slow.before("buffer_hit_ratio") / 100, NOTE_TABLES),
    **{f"noted_{name}": partial(slow.noted, name) for name in ("buffer_hit_ratio", "min", "p50")},
    **{
        f"later_{name}": partial(slow.later, name)
        for name in ("hot_share", "p50_ms", "hot_p99_ms", "blended_p99_ms")
    },
}  # fmt: skip


def _note_claims(summary: Summary) -> pd.DataFrame:
    """The note's own table: what it measured before the fix, what it expected after."""
    columns = {
        "before_measured": "before (measured)",
        "after_expected_text": "after (expected)",
        "target_text": "target",
    }
    found = notes.table("lakebase_before_after").set_index("metric")[["unit", *columns]].rename(columns=columns)
    return found.rename(index=lambda metric: metric.replace("_", " "))


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: certified state, quantiles with intervals in ms, hit ratios, reads per request."""

    def states(arm: str) -> str:
        counts = summary.in_blocks(arm)["cache_state"].value_counts()
        return ", ".join(f"{state} ({count})" for state, count in counts.items())

    def noted(arm: str) -> str:
        values = summary.values(arm, "note_p99_ns") / 1e6
        return f"{values.min():.3g} to {values.max():.3g}"

    def device(arm: str) -> str:
        unknown = "" if arm == EMPTY else "unknown"
        return summary.METRICS[DEVICE].written(summary.mean(arm, DEVICE)) if summary.has(arm, DEVICE) else unknown

    def typical(metric: str, arm: str) -> str:
        return f"{summary.latency(arm, metric).point:.3g}"

    columns: Columns = {
        "certified cache": states,
        **levels(summary, *QUANTILES, otherwise=NOT_ESTIMABLE),
        "P99 of 1,000, as in the note (ms)": noted,
        **{summary.METRICS[name].column: partial(typical, name) for name in ("min_ns", MEAN, "max_ns", SD)},
        **means(summary, "heap_hit_ratio", "pool_misses_per_request"),
        summary.METRICS[DEVICE].column: device,
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.plain], columns)


TABLES = {"note_claims": _note_claims, "settings": differences.differences, "overview": _overview}
