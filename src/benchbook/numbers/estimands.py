"""How a claim's number is computed from a summary, and what its verdict stands on; ``algebra`` makes the usual ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.claims.evidence import Inert, Reported
from benchbook.model import Effect, Estimate
from benchbook.statistics import intervals

Compute = Callable[[Any], Estimate]
"""A summary to an interval, of the summary's confidence."""
Words = Callable[[Any], str]
Arm = str | Callable[[Any], str]
"""A configuration's name, or where it depends on the parameters what gives it for a summary."""


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

    def names(self, summary: Any) -> frozenset[str]:
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


def named(arm: Arm, summary: Any) -> str:
    """The configuration's name in this run."""
    return arm if isinstance(arm, str) else arm(summary)


def custom(
    compute: Compute, quantity: Quantity, *arms: Arm, aa: str | None = None, **ground: Unpack[Ground]
) -> Estimand:
    """What takes more than one of the others. aa: the metric whose A/A pair must agree."""
    return Estimand(compute, quantity, tuple(dict.fromkeys(arms)), aa, **ground)


def told(ask: Callable[..., Estimate], *arguments: object, quantity: Quantity = Quantity.COMPARISON) -> Estimand:
    """What only sentences ask for. arguments: what ``ask`` takes after the summary."""
    return Estimand(lambda summary: ask(summary, *arguments), quantity)


def complement(effect: Effect) -> Estimate:
    """1 - a ratio: the share that is removed, with the interval turned round."""
    method = effect.method.replace(intervals.PAIRED_LOG_T, intervals.COMPLEMENT_T)
    return Estimate(1 - effect.point, 1 - effect.high, 1 - effect.low, effect.n, method, effect.confidence)


def outermost(effects: Iterable[Effect], pick: Callable[..., Effect] = max) -> Effect:
    """The largest (or smallest) of several ratios: its ends are the largest (or smallest) ends of their intervals."""
    every = list(effects)
    low, high = (getattr(pick(every, key=lambda effect, end=end: getattr(effect, end)), end) for end in ("low", "high"))
    return replace(pick(every, key=lambda effect: effect.point), low=low, high=high)


def known(compute: Callable[[Any], float], words: str = "", *arms: Arm) -> Estimand:
    """A count or a size without an interval. words: how it was come by, for the verdict's reason."""

    return custom(
        lambda summary: statistics.exact(float(compute(summary))), Quantity.COUNTER, *arms,
        working=(lambda _: words) if words else None,
    )  # fmt: skip
