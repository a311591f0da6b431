"""The figures: the certificate, hit ratios, quantiles by configuration and by hot share, and the claims."""

from __future__ import annotations

from benchbook.experiments.families.features import figures as family
from benchbook.experiments.families.features.arms import hot_share
from benchbook.experiments.hot_cold_keys.answers import CLAIMED, FEW_COLD, FEW_COLD_PERCENT, HITS, SHARES, TAILS
from benchbook.experiments.hot_cold_keys.arms import BASELINE, BY_CHANCE, DISJOINT
from benchbook.experiments.hot_cold_keys.cache_figures import along_trial, blocks, certificate, distributions, rungs
from benchbook.experiments.hot_cold_keys.reads_figures import reads
from benchbook.experiments.hot_cold_keys.slow_figures import surface
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Found, Lines
from benchbook.figures import with_interval

RATIOS = {
    "the 1,000 measured requests (difference of counters)": "note_heap_hit_ratio",
    "since the server's start, warm-up included": "cumulative_heap_hit_ratio_without_load",
    "cumulative with loading, as the note computed it": "cumulative_heap_hit_ratio",
}


def _ratio(metric: str) -> Ask:
    return lambda summary, arm: summary.share(arm, metric, "note_heap_blocks")


def _window_and_reported(summary: Summary, found: Found) -> str:
    window, _, reported = (100 * summary.mean(BY_CHANCE, metric) for metric in RATIOS.values())
    return f"Disjoint keys by chance: {window:.1f} % in those requests, {reported:.1f} % in all."


hit_ratios = Dots(
    id=HITS,
    title="Three hit ratios",
    rows=lambda summary: summary.reading,
    series={name: _ratio(metric) for name, metric in RATIOS.items()},
    axis="heap hit ratio (%)", quantity="percent", heading="hit ratio", factor=100, scale="percent", height=150,
    said=_window_and_reported,
    table_only=rungs,
    nothing="No hit ratio was counted in this run",
    caption="Hit ratio of the tables' pages: in the first 1,000 measured requests, since the server's start, since "
    "the tables were created. {said} {intervals}.",
    alt="Points for {n} configurations and three ways to compute a hit ratio. {said}",
)  # fmt: skip


def _hot_and_cold(summary: Summary, found: Found) -> str:
    hot, cold = (summary.latency(arm, summary.tail).point for arm in (BASELINE, DISJOINT))
    return f"{summary.tail_heading} is {hot:.3g} ms with the warmed keys and {cold:.3g} ms with disjoint keys."


tails = family.tails(TAILS, said=_hot_and_cold, also=lambda summary: summary.client_sentence(), table_only=rungs)


def _arm_of(summary: Summary, share: float) -> str:
    return {100: BASELINE, 0: DISJOINT}.get(int(share)) or hot_share(int(share))


def _at_share(metric: str) -> Ask:
    return lambda summary, share: summary.latency(_arm_of(summary, share), metric)


def _ladder(summary: Summary) -> list[float]:
    return [100, *sorted(summary.parameters.hot_shares_percent, reverse=True), 0]


def _with_few_cold(summary: Summary, found: Found) -> str:
    if FEW_COLD not in summary.configurations:
        return f"The shares shown are {', '.join(f'{share:g} %' for share in _ladder(summary))}."
    effect = with_interval(summary.ratio((FEW_COLD, summary.tail), (BASELINE, summary.tail)))
    return f"With {100 - FEW_COLD_PERCENT} % on warmed keys, {summary.tail_heading} is {effect} times that with 100 %."


hot_shares = Lines(
    id=SHARES,
    title="Latency by hot share",
    over=_ladder,
    across="share of requests on warmed keys (%)", column="hot share (%)", reverse=True, ticks=(0, 50, 80, 100),
    series=family.quantiles(_at_share),
    axis="latency of a request (ms)", quantity="latency (ms)", heading="quantile",
    more={"configuration": lambda summary, share: summary.label(_arm_of(summary, share))},
    said=_with_few_cold,
    told=lambda summary: f"{summary.client_share():.0%}",
    nothing="No request was timed in this run",
    caption="Latency against the share of requests that go to warmed keys; the others are for keys never read before. "
    "{said} An empty statement takes {more} of the P50 at 100 %. {intervals}, logarithmic axis.",
    alt=lambda summary, found: (
        f"Lines of {' and '.join(found)} over hot shares from 100 to 0 percent. {_with_few_cold(summary, found)}"
    ),
)  # fmt: skip

claims = ClaimFigure(id=CLAIMED, only=lambda answer: answer.figure == CLAIMED)

OPTIONAL = ("note_cached_share", "note_min_reads", "measured_read_ms", "measured_trip_ms", "blocks_in_pool_at_start")

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
