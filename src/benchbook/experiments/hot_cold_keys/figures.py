"""The figures: the certificate, hit ratios, quantiles by configuration and by hot share, and the claims.

Their words stand in page.md.
"""

from __future__ import annotations

from benchbook.experiments.families.features import figures as family
from benchbook.experiments.families.features.arms import hot_share
from benchbook.experiments.hot_cold_keys.arms import BASELINE, DISJOINT
from benchbook.experiments.hot_cold_keys.cache_figures import along_trial, blocks, certificate, distributions
from benchbook.experiments.hot_cold_keys.caches import Summary
from benchbook.experiments.hot_cold_keys.numbers import ladder
from benchbook.experiments.hot_cold_keys.reads_figures import reads
from benchbook.experiments.hot_cold_keys.slow_figures import surface
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Lines

RATIOS = {
    "the 1,000 measured requests (difference of counters)": "note_heap_hit_ratio",
    "since the server's start, warm-up included": "cumulative_heap_hit_ratio_without_load",
    "cumulative with loading, as the note computed it": "cumulative_heap_hit_ratio",
}


def _ratio(metric: str) -> Ask:
    return lambda summary, arm: summary.share(arm, metric, "note_heap_blocks")


hit_ratios = Dots(
    rows=lambda summary: summary.reading,
    series={name: _ratio(metric) for name, metric in RATIOS.items()},
    axis="heap hit ratio (%)", quantity="percent", heading="hit ratio", factor=100, scale="percent", height=150,
    table_only=lambda summary: summary.rungs,
    nothing="No hit ratio was counted in this run",
)  # fmt: skip


tails = Dots(
    rows=lambda summary: summary.plain,
    series=family.quantiles(family.by_arm),
    axis="latency of a request (ms)", quantity="latency (ms)", heading="quantile", height=120,
    table_only=lambda summary: summary.rungs,
    nothing="No request was timed in this run",
)  # fmt: skip


def _arm_of(summary: Summary, share: float) -> str:
    return {100: BASELINE, 0: DISJOINT}.get(int(share)) or hot_share(int(share))


def _at_share(metric: str) -> Ask:
    return lambda summary, share: summary.latency(_arm_of(summary, share), metric)


hot_shares = Lines(
    over=ladder,
    across="share of requests on warmed keys (%)", column="hot share (%)", reverse=True, ticks=(0, 50, 80, 100),
    series=family.quantiles(_at_share),
    axis="latency of a request (ms)", quantity="latency (ms)", heading="quantile",
    more={"configuration": lambda summary, share: summary.label(_arm_of(summary, share))},
    nothing="No request was timed in this run",
)  # fmt: skip

claims = ClaimFigure(only=lambda answer: bool(answer.row))

FIGURES = {
    "certificate": certificate,
    "reads": reads,
    "latency": distributions,
    "tails": tails,
    "hit_ratio": hit_ratios,
    "along_trial": along_trial,
    "blocks": blocks,
    "hot_share": hot_shares,
    "surface": surface,
    "claims": claims,
}
