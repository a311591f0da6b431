"""The figures: latency by keys, by the latency of a read, where the time goes, ratios by condition, the claims.

Their words stand in the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchbook import statistics
from benchbook.chapters.networked_keys import arms
from benchbook.chapters.networked_keys.arms import BASELINE, BY_CHANCE, DISJOINT, MIXED, Place
from benchbook.chapters.networked_keys.network import Condition, Summary
from benchbook.chapters.networked_keys.numbers import FALLS, MIN, NOTED, P50, P95, P99, SPREADS, noted
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.regular import Ask, Dots, Lines
from benchbook.drawing.regular.base import Given
from benchbook.model import Estimate

QUANTILES = {MIN: "fastest", P50: "P50", P95: "P95", P99: "P99"}
CENTRE = (BASELINE, MIXED, BY_CHANCE, DISJOINT)
NOTE = "the note's one run"


def _of(arm: str) -> Ask:
    return lambda summary, metric: summary.typical_ms(arm, metric)


latency = Dots(
    rows=QUANTILES, row="quantile",
    series=lambda summary: {summary.label(arm): _of(arm) for arm in CENTRE}, heading="keys",
    given=lambda summary: [Given(NOTE, {metric: noted(name) for metric, name in NOTED.items()})],
    axis="latency of a request (ms)", quantity="latency (ms)",
)  # fmt: skip


def _reads(summary: Summary) -> list[float]:
    """Latencies that were added to reads over the same way, from the lowest."""
    return sorted({place.read_ms for place in (summary.parameters.centre, *summary.parameters.doses)})


def _at(keys: str, metric: str) -> Ask:
    return lambda summary, read_ms: summary.typical_ms(keys, metric, Place(read_ms, summary.parameters.trip_ms))


def _across(summary: Summary, name: str, words: str, line: str) -> Given:
    reads = _reads(summary)
    return Given(f"{words} ({noted(name):g} ms)", {reads[0]: noted(name), reads[-1]: noted(name)}, line, listed=False)


doses = Lines(
    over=_reads,
    across="added to each read (ms)",
    series={
        "disjoint keys: P99": _at(DISJOINT, P99),
        "disjoint keys: P50": _at(DISJOINT, P50),
        "same keys, which read nothing: P50": _at(BASELINE, P50),
    },
    given=lambda summary: [
        _across(summary, "p50", "the note's P50", "dot"), _across(summary, "min", "the note's fastest", "longdash"),
    ],
    axis="latency of a request (ms)", quantity="latency (ms)", heading="keys and quantile", scale="zero",
)  # fmt: skip

PARTS = {"added to reads": "reads_time_share", "added to round trips": "trips_time_share"}


def _share(metric: str) -> Ask:
    def ask(summary: Summary, arm: str) -> Estimate:
        values, usable = summary.whole((arm, metric))
        return summary.estimated(statistics.arithmetic_mean, values, of=usable)

    return ask


time = Dots(
    rows=lambda summary: [arm for arm in summary.arms if arm != arms.REPEATED and "varied" not in arm],
    series={name: _share(metric) for name, metric in PARTS.items()}, heading="part",
    axis="share of the requests' time (%)", quantity="percent", factor=100, scale="percent",
)  # fmt: skip


def _under(condition: Condition | None, ratios: Mapping[str, Any]) -> Ask:
    return lambda summary, row: summary.over(*ratios[row], condition)


def _conditions(ratios: Mapping[str, Any]) -> Any:
    def series(summary: Summary) -> dict[str, Ask]:
        return {words: _under(condition, ratios) for words, condition in summary.every_condition.items()}

    return series


falls = Dots(
    rows={row: row for row in FALLS}, row="ratio",
    series=_conditions(FALLS), heading="condition",
    axis="ratio of latencies", rule=1.0, height=230,
)  # fmt: skip
spreads = Dots(
    rows={row: row for row in SPREADS}, row="ratio",
    series=_conditions(SPREADS), heading="condition",
    given=lambda summary: [Given(NOTE, _noted_spreads())],
    axis="ratio within a trial", height=230,
)  # fmt: skip


def _noted_spreads() -> dict[str, float]:
    names = dict(zip(SPREADS, ("min", "p95", "p99", "stddev"), strict=True))
    return {row: noted(name) / noted("p50") for row, name in names.items()}


claims = ClaimFigure()

FIGURES = {"latency": latency, "doses": doses, "time": time, "falls": falls, "spreads": spreads, "claims": claims}
