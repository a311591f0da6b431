"""The numbers of the chapter, each once and by name, what its claims stand on, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchbook import notes
from benchbook.chapters.hot_cold_keys import arms, held
from benchbook.chapters.hot_cold_keys.arms import ALL_WARMED, BASELINE, BY_CHANCE, DISJOINT, TEN_PERCENT, zipf_name
from benchbook.chapters.hot_cold_keys.held import MEAN, NOTE_MIN, Summary
from benchbook.claims import Quantity
from benchbook.measuring.features import differences
from benchbook.measuring.features.arms import hot_share
from benchbook.measuring.features.parameters import PAGE_BYTES
from benchbook.measuring.features.summary import QUANTILES
from benchbook.measuring.features.treatment import nothing_loaded, same_reads
from benchbook.numbers import judging
from benchbook.numbers.answers import Answer
from benchbook.numbers.claim_sides import Side, shown
from benchbook.numbers.estimands import Estimand, custom, level, ratio, rise, share, told
from benchbook.numbers.quantities import Told, percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.tables import NOT_ESTIMABLE, Columns, levels, means, table
from benchbook.statistics import Gate
from benchbook.workloads import zipf_weights

P50, P95, P99, SD = "p50_ns", "p95_ns", "p99_ns", "sd_ns"
NOTE_HITS, DEVICE = "note_heap_hit_ratio", "device_blocks_per_request"
AA = (arms.REPEATED, BASELINE)
FEW_COLD_PERCENT = 1
"""More than this share of cold requests, and a P99 is the latency of one of them."""
FEW_COLD = hot_share(100 - FEW_COLD_PERCENT)
CURVES = (BASELINE, arms.MIXED, DISJOINT, ALL_WARMED, arms.EMPTY)
NOTE_TABLES = 30
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts and caches as named; of times Little's law."""
    arms = answer.estimand.names(summary)
    gates = [summary.counts_agree(), summary.certified(arms)]
    return gates if answer.estimand.metric is None else [*gates, summary.littles_law(arms)]


def _tail(top: str, bottom: str) -> Estimand:
    """Ratio of the highest quantile that the run can estimate."""
    return told(lambda summary: summary.ratio((top, summary.tail), (bottom, summary.tail)))


def _tail_ms(arm: str) -> Estimand:
    return told(lambda summary: summary.latency(arm, summary.tail))


def _at_most(client: str) -> Estimand:
    """Mean of a request for warmed keys in ms, where most is added to reads and trips."""
    return told(lambda summary: held.mean_ms(summary, arms.HOT_CELL, *held.largest(summary), client))


def _minimum_at_most(keys: str) -> Estimand:
    """The fastest request for warmed keys there, over the fastest for others."""
    return told(lambda summary: held.over_others(summary, *held.largest(summary), NOTE_MIN, keys))


def ladder(summary: Summary) -> list[float]:
    """The shares of warmed keys in %."""
    return [100, *sorted(summary.parameters.hot_shares_percent, reverse=True), 0]


NUMBERS = {
    "p99_disjoint": ratio(DISJOINT, BASELINE, P99, idle=held.disjoint_read),
    "p50_disjoint": ratio(DISJOINT, BASELINE, P50, idle=held.disjoint_read),
    "hits_warmed": percent(share(BASELINE, NOTE_HITS, "note_heap_blocks")),
    "hits_rise": rise(BASELINE, DISJOINT, NOTE_HITS, "note_heap_blocks", idle=held.disjoint_read),
    "hits_noted": ratio(
        (BY_CHANCE, "cumulative_heap_hit_ratio"), (BY_CHANCE, NOTE_HITS), aa=None, quantity=Quantity.COUNTER
    ),
    "p99_warmed": held.with_fix(P99),
    "p95_warmed": held.with_fix(P95),
    "sd_warmed": held.with_fix(SD),
    "p50_warmed": held.with_fix(P50),
    "min_warmed": ratio(BASELINE, DISJOINT, NOTE_MIN),
    "tail_warmed": _tail(BASELINE, DISJOINT),
    "p99_few_cold": ratio(
        FEW_COLD, BASELINE, P99, idle=same_reads(FEW_COLD, BASELINE, share=FEW_COLD_PERCENT / 100)
    ),
    "few_cold_slower": told(lambda summary: shown(judging.verdicts(summary), "L017", Side.ABOVE)),
    "p50_few_cold": ratio(FEW_COLD, BASELINE, P50),
    "mean_few_cold": ratio(FEW_COLD, BASELINE, MEAN),
    "tail_few_cold": _tail(FEW_COLD, BASELINE),
    "tail_mixed": _tail(arms.MIXED, BASELINE),
    "rereads": percent(custom(held.rereads, Quantity.COUNTER, DISJOINT, idle=held.disjoint_read)),
    "minima": custom(
        held.spread_of_minimum, Quantity.DISPERSION, BY_CHANCE, aa=NOTE_MIN, bounded=True, idle=held.chance_read
    ),
    "p50_over_min": ratio((BASELINE, P50), (BY_CHANCE, NOTE_MIN), idle=held.chance_read),
    "p50_over_ten_min": ratio((BASELINE, P50), (TEN_PERCENT, NOTE_MIN), idle=same_reads(TEN_PERCENT, BASELINE)),
    "cached_by_chance": held.certified(BY_CHANCE, idle=held.chance_read),
    "cached_all_warmed": held.certified(ALL_WARMED),
    "first_requests": ratio((ALL_WARMED, "first_100_mean_ns"), (ALL_WARMED, "rest_mean_ns")),
    "first_probed": ratio(arms.PROBED, arms.COLD, "first_100_mean_ns", idle=nothing_loaded(arms.PROBED, arms.COLD)),
    "sd_all_warmed": ratio(ALL_WARMED, TEN_PERCENT, SD, idle=same_reads(TEN_PERCENT, ALL_WARMED)),
    "p99_all_warmed": ratio(ALL_WARMED, DISJOINT, P99, idle=same_reads(DISJOINT, ALL_WARMED)),
    "mean_ten_percent": ratio(TEN_PERCENT, ALL_WARMED, MEAN, idle=same_reads(TEN_PERCENT, ALL_WARMED)),
    **{f"again_{name}": ratio(arms.REPEATED, BASELINE, f"{name}_ns") for name in ("p50", "p95", "p99")},
    "p50_hot_ms": level(BASELINE, P50, 1e6),
    "p50_cold_ms": level(DISJOINT, P50, 1e6),
    "tail_hot_ms": _tail_ms(BASELINE),
    "tail_cold_ms": _tail_ms(DISJOINT),
    "network_least": told(lambda summary: held.extremes(summary)[0]),
    "network_most": told(lambda summary: held.extremes(summary)[1]),
    "longer_way": told(lambda summary: held.over_others(summary, 0, held.largest(summary)[1])),
    "far_min_disjoint": _minimum_at_most(arms.DISJOINT_CELL),
    "far_min_mixed": _minimum_at_most(arms.MIXED_CELL),
    "one_by_one_ms": _at_most(arms.SERIAL),
    "pipeline_ms": _at_most(arms.PIPELINE),
    "implied_trip_ms": told(lambda summary: held.implied(summary).trip_ms),
    "implied_read_ms": told(lambda summary: held.implied(summary).read_ms),
}  # fmt: skip


def _popular(summary: Summary) -> list[dict[str, Any]]:
    """By Zipf exponent how many times the P99 of warmed keys alone is."""
    exponents = summary.parameters.zipf_exponents
    return [{"exponent": e, "times": Told(summary.ratio((zipf_name(e), P99), (BASELINE, P99)))} for e in exponents]


def _fifths(summary: Summary) -> list[dict[str, float]]:
    """What share of the requests in % each Zipf distribution gives to the most requested fifth of the keys."""
    rows, exponents = summary.parameters.rows_per_table, summary.parameters.zipf_exponents
    if not exponents:
        raise NotEstimableError("there is no Zipf configuration", "give zipf_exponents")
    return [{"exponent": e, "share": 100 * zipf_weights(rows, e)[: rows // 5].sum()} for e in exponents]


def _likely(share: float, together: int) -> str:
    """How likely so many pages are all cached, were each cached by itself, as a power of ten."""
    return "10" + f"{together * np.log10(share):.0f}".translate(SUPERSCRIPT)


def _mean(arm: str, metric: str, factor: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: factor * summary.mean(arm, metric)


def _fastest(arm: str) -> Callable[[Summary], dict[str, float]]:
    """Blocks that the fastest of the first requests read, and which share of them in % read none."""
    blocks, cached = _mean(arm, "note_min_reads"), _mean(arm, "note_cached_share", 100)
    return lambda summary: {"blocks": blocks(summary), "cached": cached(summary)}


WORDS: dict[str, Callable[[Summary], Any]] = {
    "tail": lambda summary: summary.tail_heading,
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
    "direct_io": lambda summary: summary.run.provenance.get("direct_io"),
    "data_gib": lambda summary: summary.data_bytes / 2**30,
    "warmed_mib": _mean(DISJOINT, "warmed_pages", PAGE_BYTES / 2**20),
    "needed_mib": _mean(DISJOINT, "needed_pages", PAGE_BYTES / 2**20),
    "drawn": lambda summary: len(summary.drawn),
    "further": lambda summary: len(summary.reading) - len(summary.drawn),
    "ladder": ladder,
    "client_share": lambda summary: 100 * summary.latency(arms.EMPTY, P50).point / summary.latency(BASELINE, P50).point,
    "course": lambda summary: [*summary.course(DISJOINT).values()],
    "curves": lambda summary: sum(arm in summary.configurations for arm in CURVES),
    "chance_cached": _mean(BY_CHANCE, "needed_in_pool_at_start", 100),
    "apart_cached": _mean(DISJOINT, "needed_in_pool_at_start", 100),
    "window_hits": _mean(BY_CHANCE, NOTE_HITS, 100),
    "reported_hits": _mean(BY_CHANCE, "cumulative_heap_hit_ratio", 100),
    "reread": _mean(DISJOINT, "reread_share", 100),
    "read_again": held.read_again,
    "blocks_all": _mean(DISJOINT, "blocks_per_request"),
    "blocks_first": _mean(arms.DISJOINT_FIRST, "blocks_per_request"),
    "fastest_by_chance": _fastest(BY_CHANCE),
    "fastest_alike": _fastest(arms.ALIKE_ORDER),
    "windows_ms": lambda summary: summary.window_medians(BASELINE) / 1e6,
    "sampled_ms": lambda summary: summary.samples(summary.plain)["latency_ns"] / 1e6,
    "fifths": _fifths,
    "popular": _popular,
    "failed": held.failed,
    "longest_trip_ms": lambda summary: held.largest(summary)[1],
    "likely_here": lambda summary: _likely(
        summary.mean(BY_CHANCE, "needed_in_pool_at_start"), 2 * summary.parameters.n_tables
    ),
    "likely_noted": lambda summary: _likely(held.before("buffer_hit_ratio") / 100, NOTE_TABLES),
    "noted": lambda summary: {name: held.before(name) for name in ("buffer_hit_ratio", "min", "p50")},
    "later": lambda summary: {
        name: notes.reading(f"later_run_{name}") for name in ("hot_share", "p50_ms", "hot_p99_ms", "blended_p99_ms")
    },
}


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
        unknown = "" if arm == arms.EMPTY else "unknown"
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
