"""How chapters of this family compare several configurations with one: from intervals that hold together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Unpack

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.families.pgbench.summary import Summary
from benchbook.experiments.shape.estimands import Compute, Estimand, Ground, custom, outermost
from benchbook.model import Effect, Estimate


def largest(one: str, others: Iterable[str], **ground: Unpack[Ground]) -> Estimand:
    """Largest ratio of the TPS of the others to that of one."""
    names = tuple(others)

    def compute(summary: Summary[Any], confidence: float) -> Estimate:
        return outermost(against(summary, one, names, confidence=confidence).values(), max)

    return _compared(compute, one, names, **ground)


def smallest(one: str, others: Iterable[str], **ground: Unpack[Ground]) -> Estimand:
    """Smallest ratio of the TPS of one to those of the others."""
    names = tuple(others)

    def compute(summary: Summary[Any], confidence: float) -> Estimate:
        found = against(summary, one, names, confidence=confidence)
        return outermost([inverse(effect) for effect in found.values()], min)

    return _compared(compute, one, names, **ground)


def against(
    summary: Summary[Any], baseline: str, others: Iterable[str], *, confidence: float = 0.95
) -> dict[str, Effect]:
    """Ratios of the TPS of these configurations to that of one."""
    values = {name: summary.values(name, "tps") for name in others}
    return statistics.many_to_one(
        summary.values(baseline, "tps"), values, confidence=confidence, sessions=summary.sessions
    )


def inverse(effect: Effect) -> Effect:
    """The ratio the other way round."""
    return replace(effect, point=1 / effect.point, low=1 / effect.high, high=1 / effect.low)


def _compared(compute: Compute, one: str, others: Iterable[str], **ground: Unpack[Ground]) -> Estimand:
    return custom(compute, Quantity.COMPARISON, one, *others, aa="tps", **ground)
