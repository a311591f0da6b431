"""The numbers of the chapter: how many look-ups visit the heap, and what that costs, by share of rows updated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchbook.chapters.index_only.arms import AGAIN, LARGE, NONE, POOLS, SMALL, Parameters, at, not_covered
from benchbook.numbers import summary
from benchbook.numbers.estimands import Estimand, average, level, ratio
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import Number, percent

MEAN, P95, FETCHED, HIDDEN, READS, VACUUM = (
    "latency_mean_ns", "latency_p95_ns", "fetched_share", "hidden_pages", "heap_reads", "vacuum_s",
)  # fmt: skip
MS = 1e-6
METRICS: Metrics = {
    MEAN: Metric("mean latency of a request", "ms", MS, heading="mean"),
    "latency_p50_ns": Metric("P50 of a request", "ms", MS, heading="P50"),
    P95: Metric("P95 of a request", "ms", MS, heading="P95"),
    "latency_p99_ns": Metric("P99 of a request", "ms", MS, heading="P99"),
    "tps": Metric("requests a second", heading="requests a second"),
    FETCHED: Metric(
        "share of the look-ups that visit the heap", "%", 100, format="{:.1f}".format, heading="visit the heap"
    ),
    HIDDEN: Metric(
        "share of the heaps' pages not marked as visible to all", "%", 100, format="{:.1f}".format,
        heading="pages not marked",
    ),
    READS: Metric("heap blocks read for a request", format="{:.2f}".format, heading="heap blocks read"),
    VACUUM: Metric("time of VACUUM over all tables", "s", format="{:.3f}".format, heading="VACUUM"),
}  # fmt: skip
AA = (AGAIN, at(SMALL, NONE))


class Summary(summary.Summary[Parameters]):
    """One run of this chapter."""

    METRICS = METRICS


def _dose(pool: str, which: int) -> Callable[[Summary], str]:
    return lambda summary: at(pool, summary.parameters.updated_permille[which])


NUMBERS: dict[str, Estimand | Number] = {
    **{f"least_{pool}": ratio(_dose(pool, 0), at(pool, NONE), MEAN) for pool in POOLS},
    **{f"most_{pool}": ratio(_dose(pool, -1), at(pool, NONE), MEAN) for pool in POOLS},
    **{f"plain_{pool}": ratio(not_covered(pool), at(pool, NONE), MEAN) for pool in POOLS},
    "most_over_plain": ratio(_dose(SMALL, -1), not_covered(SMALL), MEAN),
    "fetched_none": percent(average(at(SMALL, NONE), FETCHED)),
    "fetched_least": percent(average(_dose(SMALL, 0), FETCHED)),
    "fetched_most": percent(average(_dose(SMALL, -1), FETCHED)),
    "hidden_least": percent(average(_dose(SMALL, 0), HIDDEN)),
    "hidden_most": percent(average(_dose(SMALL, -1), HIDDEN)),
    "reads_most": average(_dose(SMALL, -1), READS),
    "vacuum": level(_dose(LARGE, -1), VACUUM),
    "equal": ratio(*AA, MEAN),
}


def _updated(which: int) -> Callable[[Summary], float]:
    """Share of the rows in %."""
    return lambda summary: summary.parameters.updated_permille[which] / 10


def _rows_per_page(summary: Summary) -> float:
    p = summary.parameters
    return p.n_tables * p.rows_per_table / (float(summary.run.provenance["heap_bytes"]) / 8192)


def _independent(which: int) -> Callable[[Summary], float]:
    """Share in % of pages with an updated row where rows are drawn independently: 1 - (1 - share) ^ rows of a page."""
    return lambda summary: 100 * (1 - (1 - _updated(which)(summary) / 100) ** _rows_per_page(summary))


WORDS: dict[str, Callable[[Summary], Any]] = {
    "few": lambda summary: f"{_updated(0)(summary):g}",
    "many": lambda summary: f"{_updated(-1)(summary):g}",
    "rows_per_page": _rows_per_page,
    "expected_least": _independent(0),
    "expected_most": _independent(-1),
    "index_mib": lambda summary: summary.run.provenance["index_bytes"] / 2**20,
    "heap_mib": lambda summary: summary.run.provenance["heap_bytes"] / 2**20,
}
