"""How chapters of this family compare configurations: several with one from intervals that hold together, A with A."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.drawing.regular import Ask
from benchbook.figures import with_interval
from benchbook.measuring.pgbench.summary import Summary
from benchbook.model import Effect, Estimate
from benchbook.numbers.estimands import Estimand, Ground, custom, known, outermost
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.prose import filled

UNKNOWN = "unknown"
"""What nobody counted, in words."""


def largest(one: str, others: Iterable[str], **ground: Unpack[Ground]) -> Estimand:
    """Largest ratio of the TPS of the others to that of one."""
    names = tuple(others)

    def compute(summary: Summary) -> Estimate:
        return outermost(against(summary, one, names).values(), max)

    return custom(compute, Quantity.COMPARISON, one, *names, aa="tps", **ground)


def smallest(one: str, others: Iterable[str], **ground: Unpack[Ground]) -> Estimand:
    """Smallest ratio of the TPS of one to those of the others."""
    names = tuple(others)

    def compute(summary: Summary) -> Estimate:
        return outermost(map(inverse, against(summary, one, names).values()), min)

    return custom(compute, Quantity.COMPARISON, one, *names, aa="tps", **ground)


def against(summary: Summary, baseline: str, others: Iterable[str]) -> dict[str, Effect]:
    """Ratios of the TPS of these configurations to that of one."""
    values = {name: summary.values(name, "tps") for name in others}
    return summary.estimated(statistics.many_to_one, summary.values(baseline, "tps"), values)


def over(baseline: str, *others: str) -> Ask:
    """What gives a figure the TPS of one of the others over that of the baseline; their intervals hold together."""

    def ask(summary: Summary, arm: str) -> Effect:
        def find() -> dict[str, Effect]:
            return against(summary, baseline, summary.having(others, "tps"))

        found = summary.once(f"{others} over {baseline}", find)
        if arm not in found:
            raise summary.missing(arm, "tps")
        return found[arm]

    return ask


def inverse(effect: Effect) -> Effect:
    """The ratio the other way round."""
    return replace(effect, point=1 / effect.point, low=1 / effect.high, high=1 / effect.low)


def restarts(*settings: str, words: str) -> Estimand:
    """How many of these settings need a restart, as pg_settings says it. words: what is counted, for the reason."""

    def count(summary: Summary) -> float:
        contexts = summary.run.provenance.get("contexts") or {}
        if not {*settings} <= {*contexts}:
            raise NotEstimableError("this run did not record pg_settings", "measure again")
        return float(sum(contexts[name] == "postmaster" for name in settings))

    return known(count, f"The count is of those of {words} whose context is postmaster")


def second_name(first: Callable[[Any], str]) -> Callable[[Any], str]:
    """The name under which the configuration that ``first`` names is measured again."""
    return lambda summary: f"{first(summary)}_again"


def needed(summary: Summary, pair: tuple[str, str]) -> dict[int, int]:
    """How many blocks a ratio of TPS needs for a half-width in %, at the spread of an A/A pair."""
    sd = summary.gain(*pair).sd
    blocks = {each: statistics.blocks_for_half_width(sd, math.log1p(each / 100)) for each in (5, 2, 1)}
    return {each: count for each, count in blocks.items() if count is not None}


def repeated(summary: Summary, again: str, first: str, *metrics: str) -> str:
    """How far the baseline differs from itself, such as "TPS 1.00 [0.98, 1.02], ..."; "" where nothing is estimable."""
    ratios = (partial(_ratio, summary, again, first, metric) for metric in metrics)
    return ", ".join(filled(*ratios))


def _ratio(summary: Summary, again: str, first: str, metric: str) -> str:
    return f"{summary.METRICS[metric].brief} {with_interval(summary.gain(again, first, metric))}"


def mean(arm: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    """A word of a chapter: the mean of a metric over a configuration's trials, in a unit."""
    return lambda summary: summary.mean(arm, metric) / unit
