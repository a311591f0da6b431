"""The numbers of the chapter, each once and by name: throughput, waits for rows and latency by clients and branches."""

from __future__ import annotations

from benchbook.chapters.contended_rows import arms
from benchbook.chapters.contended_rows.arms import CLIENTS, EACH, FEW, FIRST, LEVELS, MANY, SINGLE, WIDE, name_of
from benchbook.measuring.pgbench import metric_words
from benchbook.measuring.pgbench import summary as family
from benchbook.numbers.estimands import ratio, share
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import percent

AA = (arms.AGAIN, FIRST)
ROWS, LOOKED = "waits_rows", "client_looks"
METRICS: Metrics = {
    **metric_words.METRICS,
    **{name: metric for name, metric in metric_words.LOOKED.items() if name.startswith("waits_")},
    LOOKED: Metric("number of looks at a client"),
}


class Summary(family.Summary[arms.Parameters]):
    """One run, ready for figures and sentences."""

    METRICS = METRICS


NUMBERS = {
    **{f"{level}_{n}": ratio(name_of(n, level), name_of(n, WIDE), "tps") for n in CLIENTS for level in (EACH, SINGLE)},
    **{f"more_{level}": ratio(name_of(MANY, level), name_of(FEW, level), "tps") for level in LEVELS},
    **{f"rows_{level}_{n}": percent(share(name_of(n, level), ROWS, LOOKED)) for n in CLIENTS for level in LEVELS},
    "flushing_wide": percent(share(FIRST, "waits_flushing", LOOKED)),
    "between_wide": percent(share(FIRST, "waits_client", LOOKED)),
    "slower_mean": ratio(name_of(MANY, SINGLE), FIRST, "latency_mean_ns"),
    "slower_p99": ratio(name_of(MANY, SINGLE), FIRST, "latency_p99_ns"),
    "same": ratio(arms.AGAIN, FIRST, "tps"),
}
WORDS = {
    "wide": lambda summary: f"{summary.parameters.branches_per_client:g}",
    "in_pool": lambda summary: 100 * min(summary.mean(arm, "data_in_pool_start") for arm in summary.arms),
    "least_rows": lambda summary: 100 * min(summary.values(name_of(n, SINGLE), ROWS).min() for n in CLIENTS),
    "most_rows": lambda summary: 100 * max(summary.values(name_of(n, WIDE), ROWS).max() for n in CLIENTS),
}
