"""How a claim's number is computed from a summary, and what its verdict stands on: combinators for the usual ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypedDict, Unpack

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.claims.evidence import Inert, Reported
from benchbook.model import Effect, Estimate
from benchbook.numbers.keeping import T
from benchbook.statistics import intervals

Compute = Callable[[Any], Estimate]
"""A summary to an interval, of the summary's confidence."""
Words = Callable[[Any], str]
Arm = str | Callable[[Any], str]
"""A configuration's name, or where it depends on the parameters what gives it for a summary."""


class Blocks(Protocol):
    """What a combinator asks of a run; ``summary.Summary`` has the words."""

    def values(self, arm: str, metric: str) -> np.ndarray: ...
    def ratio(self, top: tuple[str, str], bottom: tuple[str, str]) -> Effect: ...
    def share(self, arm: str, metric: str, of: str) -> Estimate: ...
    def average(self, arm: str, metric: str) -> Estimate: ...
    def estimated(self, statistic: Callable[..., T], *values: Any) -> T: ...


@dataclass(frozen=True)
class Conditions:
    """What a claim leaves out and its number may depend on.

    left_out: that the note does not say it, as half a sentence. under: how the number is computed, by condition that
    was measured and that the note's own numbers allow, the nearest to the note's first. named: whether an amendment
    named them before their data as what the claim may depend on; else a claim that turns on them stays open.
    """

    left_out: str
    under: Callable[[Any], Mapping[str, Compute]]
    named: bool = False


@dataclass(frozen=True)
class Estimand:
    """How a claim's number is computed, and what its verdict stands on.

    quantity: its kind. arms: the configurations whose trials it uses. metric: the one whose A/A pair must agree; None
    where nothing is timed. bounded: it lies on its side of 1 by definition. idle: why the claimed cause did not act in
    this run, or "" (protocol, item 13a). inert: why it cannot act at all, where its counter is zero in every trial, or
    None. report: what the note's own raw report shows of the claim, which then decides it. departs: what the claim
    names and this run does not have, as far as that could carry the verdict, or "". working: how a number was counted,
    for the verdict's reason. conditions: what the claim leaves out, where several of these were measured. of: the
    metric that it is the level of, "" where it compares or is of none.
    """

    compute: Compute
    quantity: Quantity
    arms: tuple[Arm, ...] = ()
    metric: str | None = None
    bounded: bool = False
    idle: Words | None = None
    departs: Words | None = None
    working: Words | None = None
    inert: Callable[[Any], Inert | None] | None = None
    report: Callable[[], Reported | None] | None = None
    conditions: Conditions | None = None
    of: str = ""

    def names(self, summary: Blocks) -> frozenset[str]:
        """The configurations whose trials it uses in this run."""
        return frozenset(named(arm, summary) for arm in self.arms)


class Ground(TypedDict, total=False):
    """What any combinator takes beside its own, as in Estimand."""

    bounded: bool
    idle: Words | None
    departs: Words | None
    working: Words | None
    inert: Callable[[Any], Inert | None] | None
    report: Callable[[], Reported | None] | None
    conditions: Conditions | None


def named(arm: Arm, summary: Blocks) -> str:
    """The configuration's name in this run."""
    return arm if isinstance(arm, str) else arm(summary)


def ratio(
    top: Arm | tuple[Arm, str],
    bottom: Arm | tuple[Arm, str],
    metric: str = "",
    *,
    aa: str | None = "",
    quantity: Quantity | None = None,
    **ground: Unpack[Ground],
) -> Estimand:
    """Ratio of a metric that takes time, paired within blocks: of two configurations, or of two metrics of one.

    top, bottom: configurations, or each with a metric of its own. aa: the metric whose A/A pair must agree; that of
    ``top`` by default, None where nothing is timed. quantity: by default parts of one trial where both are of one
    configuration, else a comparison.
    """
    above, below = (each if isinstance(each, tuple) else (each, metric) for each in (top, bottom))

    def compute(summary: Blocks) -> Estimate:
        pairs = ((named(arm, summary), each) for arm, each in (above, below))
        return summary.ratio(*pairs)

    kind = quantity or (Quantity.PARTS if above[0] == below[0] else Quantity.COMPARISON)
    return Estimand(compute, kind, _each_once(above[0], below[0]), above[1] if aa == "" else aa, **ground)


def counts(top: Arm, bottom: Arm, metric: str, **ground: Unpack[Ground]) -> Estimand:
    """Ratio of a count of two configurations, paired within blocks."""
    return ratio(top, bottom, metric, aa=None, quantity=Quantity.COUNTER, **ground)


def totals(top: Arm, bottom: Arm, metric: str, **ground: Unpack[Ground]) -> Estimand:
    """The same of all trials together, where some of them count nothing."""

    def compute(summary: Blocks) -> Estimate:
        above, below = (summary.values(named(arm, summary), metric) for arm in (top, bottom))
        return summary.estimated(statistics.ratio_of_totals, above, below)

    return Estimand(compute, Quantity.COUNTER, _each_once(top, bottom), **ground)


def share(
    arm: Arm, metric: str, of: str, *, quantity: Quantity = Quantity.COUNTER, aa: str | None = None,
    **ground: Unpack[Ground],
) -> Estimand:  # fmt: skip
    """Level of a share in one configuration, resolved by what it is a share of. quantity: where time decides."""

    def compute(summary: Blocks) -> Estimate:
        return summary.share(named(arm, summary), metric, of)

    return Estimand(compute, quantity, (arm,), aa, **ground)


def level(arm: Arm, metric: str, unit: float = 1.0, **ground: Unpack[Ground]) -> Estimand:
    """Geometric mean of a count or a size in one configuration, in a unit; the mean where a trial has none of it."""

    def compute(summary: Blocks) -> Estimate:
        values = summary.values(named(arm, summary), metric) / unit
        # A number that may be 0 has no logarithm.
        mean = statistics.geometric_mean if values.all() else statistics.arithmetic_mean
        return summary.estimated(mean, values)

    return Estimand(compute, Quantity.COUNTER, (arm,), of=metric, **ground)


def rise(more: Arm, less: Arm, metric: str, of: str, **ground: Unpack[Ground]) -> Estimand:
    """Difference of a share of counts in two configurations, resolved by the fewest counts of a trial."""

    def compute(summary: Blocks) -> Estimate:
        names = [named(arm, summary) for arm in (more, less)]
        fewest = int(min(summary.values(name, of).min() for name in names))
        first, second = (summary.values(name, metric) for name in names)
        return summary.estimated(statistics.shares_difference, first, second, fewest)

    return Estimand(compute, Quantity.COUNTER, (more, less), **ground)


def custom(
    compute: Compute, quantity: Quantity, *arms: Arm, aa: str | None = None, **ground: Unpack[Ground]
) -> Estimand:
    """What takes more than one of the others. aa: the metric whose A/A pair must agree."""
    return Estimand(compute, quantity, _each_once(*arms), aa, **ground)


def average(arm: Arm, metric: str, **ground: Unpack[Ground]) -> Estimand:
    """Arithmetic mean of a count in one configuration, which may be 0."""

    def compute(summary: Blocks) -> Estimate:
        return summary.average(named(arm, summary), metric)

    return Estimand(compute, Quantity.COUNTER, (arm,), of=metric, **ground)


def told(ask: Callable[..., Estimate], *arguments: object, quantity: Quantity = Quantity.COMPARISON) -> Estimand:
    """What only sentences ask for. arguments: what ``ask`` takes after the summary."""
    return Estimand(lambda summary: ask(summary, *arguments), quantity)


def complement(effect: Effect) -> Estimate:
    """1 - a ratio: the share that is removed, with the interval turned round."""
    method = effect.method.replace(intervals.PAIRED_LOG_T, intervals.COMPLEMENT_T)
    return Estimate(1 - effect.point, 1 - effect.high, 1 - effect.low, effect.n, method, effect.confidence)


def saved(less: Arm, whole: Arm, metric: str, **ground: Unpack[Ground]) -> Estimand:
    """Share of a time that disappears where a part is left out, 1 - less / whole, paired within blocks."""

    def compute(summary: Blocks) -> Estimate:
        pairs = ((named(arm, summary), metric) for arm in (less, whole))
        return complement(summary.ratio(*pairs))

    return custom(compute, Quantity.COMPARISON, less, whole, aa=metric, **ground)


def outermost(effects: Iterable[Effect], pick: Callable[..., Effect] = max) -> Effect:
    """The largest (or smallest) of several ratios: its ends are the largest (or smallest) ends of their intervals."""
    every = list(effects)
    low, high = (getattr(pick(every, key=lambda effect, end=end: getattr(effect, end)), end) for end in ("low", "high"))
    return replace(pick(every, key=lambda effect: effect.point), low=low, high=high)


def known(compute: Callable[[Any], float], words: str = "", *arms: Arm) -> Estimand:
    """A count or a size without an interval. words: how it was come by, for the verdict's reason."""

    def exact(summary: Blocks) -> Estimate:
        return statistics.exact(float(compute(summary)))

    return Estimand(exact, Quantity.COUNTER, _each_once(*arms), working=(lambda _: words) if words else None)


def _each_once(*arms: Arm) -> tuple[Arm, ...]:
    return tuple(dict.fromkeys(arms))
