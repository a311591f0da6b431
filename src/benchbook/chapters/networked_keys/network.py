"""What a run of this chapter holds: every number at the central latencies, and the same at all the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

import numpy as np

from benchbook import statistics
from benchbook.chapters.networked_keys import arms
from benchbook.chapters.networked_keys.arms import BASELINE, VARIED, Place
from benchbook.claims import Quantity
from benchbook.errors import BenchbookError
from benchbook.measuring.features import summary
from benchbook.measuring.features.metric_words import METRICS
from benchbook.measuring.features.treatment import LEAST_READS, NETWORK_MS, READS
from benchbook.model import Effect, Estimate
from benchbook.notes import lakebase as lakebase_reported
from benchbook.numbers.estimands import Conditions, Estimand, custom
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.summary import NotEstimableError, Value

NS_PER_MS = 1e6
TAIL_REQUESTS = 10_000
"""So many requests of all trials together stand behind a P99 at least, where each trial has as many as the note."""
TYPICAL = "p50_ns"
"""The metric that needs no more requests than are there."""
Condition = Place | str
"""Latencies, or the way in which those of reads vary at the centre."""


class Summary(summary.Summary[arms.Parameters]):
    """One run, ready for figures and verdicts. Trials whose network was not as slow as asked are in no number."""

    METRICS: ClassVar[Metrics] = {
        **METRICS,
        "asked_wait_spread": Metric(
            "standard deviation of the asked delay of reads, by its mean", format="{:.2f}".format
        ),
        "reads_time_share": Metric("share of the requests' time that the added delay of reads takes", "%", 100),
        "trips_time_share": Metric("share of the requests' time that the added round trips take", "%", 100),
    }

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        found = [each for each in super().departures() if "measured requests per trial" not in each]
        return [*found, *filter(None, [other_latencies(self)])]

    def sizes(self) -> str:
        """Requests, after the blocks."""
        return f", {self.parameters.requests:,} requests per trial at the central latencies"

    @property
    def conditions(self) -> dict[str, Condition]:
        """By what it is called: all latencies that this run added but the central ones, and the ways they varied.

        Without that at which nothing is added to reads, since there no block costs what it costs over a network.
        """
        p = self.parameters
        places: dict[str, Condition] = {str(each): each for each in p.elsewhere if each.read_ms}
        return places | {VARIED[by]: by for by in p.varied}

    @property
    def every_condition(self) -> dict[str, Condition | None]:
        """The same after the centre, which is None."""
        return {str(self.parameters.centre): None, **self.conditions}

    def named(self, keys: str, condition: Condition | None) -> str:
        """The configuration of these keys there; None: at the centre."""
        p = self.parameters
        if condition is None or isinstance(condition, Place):
            return arms.at(keys, condition or p.centre, p)
        return arms.varying(keys, condition) if keys in arms.COLD else keys

    def whole(self, *values: Value) -> tuple[np.ndarray, ...]:
        """These metrics of the blocks in which none of their trials failed, shape (blocks,) each, and which these are.

        Raises NotEstimableError below two blocks.
        """
        rows = [(self.in_blocks(arm), metric) for arm, metric in values]
        if not all(len(each) and metric in each for each, metric in rows):
            raise self.missing(*values[0])
        found = np.array([each[metric].to_numpy(dtype=float) for each, metric in rows])
        usable = np.isfinite(found).all(axis=0)
        if usable.sum() < 2:
            raise self.missing(*values[0])
        return (*found[:, usable], usable)

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where a trial lacks a metric."""
        return NotEstimableError(
            f"{self.in_words(metric)} of “{self.label(arm)}” is not estimable in two blocks", "measure more blocks"
        )

    def over(self, top: Value, bottom: Value, condition: Condition | None = None) -> Effect:
        """Ratio of two metrics, of keys or two of them, under one condition, paired within blocks."""
        named = [(self.named(keys, condition), metric) for keys, metric in (top, bottom)]
        above, below, usable = self.whole(*named)
        return self.estimated(statistics.ratio, above, below, of=usable)

    def typical_ms(self, keys: str, metric: str, condition: Condition | None = None) -> Estimate:
        """Geometric mean over trials of a latency in ms."""
        values, usable = self.whole((self.named(keys, condition), metric))
        return self.estimated(statistics.geometric_mean, values / NS_PER_MS, of=usable)

    def block_ms(self, keys: str, condition: Condition | None = None) -> Estimate:
        """By how much each block that was not cached lengthened a request, in ms."""
        cold, hot = (self.named(each, condition) for each in (keys, BASELINE))
        slow, quick, more, less, usable = self.whole((cold, "mean_ns"), (hot, "mean_ns"), (cold, READS), (hot, READS))
        return self.estimated(statistics.arithmetic_mean, (slow - quick) / NS_PER_MS / (more - less), of=usable)


def other_latencies(summary: Summary) -> str:
    """That this run did not add what the claims ask for; "" where it did."""
    p, asked = summary.parameters, arms.Parameters()
    if any(getattr(p, name) != getattr(asked, name) for name in ("requests", "n_tables")):
        return (
            f"{p.requests:,} measured requests of {p.n_tables} tables instead of {asked.requests:,} of {asked.n_tables}"
        )
    if (p.centre, {*p.elsewhere}, {*p.varied}) != (asked.centre, {*asked.elsewhere}, {*asked.varied}):
        return "other latencies than those that the claims name"
    return ""


def no_network(keys: str) -> Callable[[Summary], str]:
    """Why a run shows nothing of storage over a network: cold keys read no more, or a block costs less; else ""."""

    def why(summary: Summary) -> str:
        for words, condition in {"at the central latencies": None, **summary.conditions}.items():
            cold, hot, _ = summary.whole(*((summary.named(each, condition), READS) for each in (keys, BASELINE)))
            if (further := float((cold - hot).min())) < LEAST_READS:
                return f"{words}, cold keys read {further:.2g} blocks per request more than warmed ones in one block"
            if (cost := summary.block_ms(keys, condition).point) < NETWORK_MS:
                return f"{words}, an uncached block costs {cost:.2g} ms, and over a network {NETWORK_MS:g} ms or more"
        return ""

    return why


def everywhere(summary: Summary, top: Value, bottom: Value) -> dict[str, Effect]:
    """A ratio at the centre, by its latencies, and under every other condition of which this run has it."""
    found = {}
    for words, compute in _under(top, bottom, summary).items():
        with suppress(NotEstimableError):
            found[words] = compute(summary)
    return found


def _under(top: Value, bottom: Value, summary: Summary) -> dict[str, Callable[[Summary], Effect]]:
    """How the ratio is computed under each condition, the centre first."""

    def at(condition: Condition | None) -> Callable[[Summary], Effect]:
        return lambda run: run.over(top, bottom, condition)

    return {words: at(condition) for words, condition in summary.every_condition.items()}


def longest_trip_ms() -> float:
    """The note's second run allows no longer trip: its fastest request asked thirty tables one by one, in 9.08 ms."""
    return lakebase_reported.milliseconds("min") / arms.Parameters().n_tables


def _allowed(top: Value, bottom: Value, summary: Summary) -> dict[str, Callable[[Summary], Effect]]:
    """How the ratio is computed under each condition whose trips the note allows."""
    conditions = summary.every_condition.items()
    allowed = {words for words, place in conditions if isinstance(place, Place) and place.trip_ms <= longest_trip_ms()}
    if summary.parameters.trip_ms <= longest_trip_ms():
        allowed.add(str(summary.parameters.centre))
    return {words: compute for words, compute in _under(top, bottom, summary).items() if words in allowed}


def _departs(top: Value, bottom: Value) -> Callable[[Summary], str]:
    def why(summary: Summary) -> str:
        p = summary.parameters
        if other := other_latencies(summary):
            return other
        seen = p.requests * summary.run.blocks
        if "p99" in top[1] and seen < TAIL_REQUESTS:
            return f"{seen:,} requests of all trials together, and a P99 needs {TAIL_REQUESTS:,}"
        if p.trip_ms > longest_trip_ms() and p.dose_requests < p.requests and {top[1], bottom[1]} - {TYPICAL}:
            few = f"{p.dose_requests:,} requests a trial over the way that the note allows"
            return f"{few}, where {p.requests:,} are asked"
        return ""

    return why


def judged(top: Value, bottom: Value, **more: Any) -> Estimand:
    """A claim's ratio under the latencies that the note's own numbers allow, of which it names none."""
    spread = top[0] == bottom[0]
    kind = Quantity.DISPERSION if spread else Quantity.COMPARISON
    latencies = Conditions("the note names no latency", partial(_allowed, top, bottom), named=True)
    return custom(
        lambda summary: summary.over(top, bottom), kind, *dict.fromkeys((top[0], bottom[0])), aa=top[1],
        bounded=spread, idle=no_network(bottom[0]), departs=_departs(top, bottom), conditions=latencies, **more,
    )  # fmt: skip


def costs(summary: Summary) -> Mapping[str, Estimate]:
    """What a block that is not cached costs a request at each place of latencies, in ms."""
    found = {}
    for place in (summary.parameters.centre, *summary.parameters.elsewhere):
        with suppress(BenchbookError):
            found[str(place)] = summary.block_ms(arms.DISJOINT, place)
    return found
