"""Compare an interval with a claim's region: exactly one outcome (protocol, item 19)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchbook.claims.record import Claim, Rule
from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate, Outcome

EQUAL = (0.95, 1.05)
"""Ratios that are the same for all that anybody tunes for: within 5 %."""
RECOMMENDED = "recommendation"
"""Kind of a claim that advises a setting; of another kind, one that does no harm is all that was claimed."""
RELATIVE_UNITS = {"ratio", "tps", "ms", "ns", "minutes", "bytes", "KB", "MB", "MiB", "GB", "GiB"}
"""Units of positive quantities, where a margin is a share of the edge; elsewhere it is added to the edge."""


@dataclass(frozen=True)
class Region:
    """Where an interval must lie for a claim to be reproduced.

    low, high: edges; None = open. bound: for greater and less, the edge with the margin on top. neutral: the
    value that means "the same", 1 for ratios and 0 for differences; None where there is none, as for a plain
    share or a size, which lies on no side of anything. best: whether it says that a setting belongs to the best
    configuration: an interval wholly within EQUAL then shows that it has no effect.
    """

    rule: Rule
    low: float | None
    high: float | None
    bound: float | None
    neutral: float | None
    best: bool = False

    @property
    def demanded(self) -> Region:
        """The same with its margin included: what must hold an interval for the claim to be reproduced."""
        if self.bound is None:
            return self
        return replace(self, high=self.bound) if self.low is None else replace(self, low=self.bound)

    def outcome(self, low: float, high: float, low90: float, high90: float) -> Outcome:
        """The outcome of the 95 % interval [low, high]; the 90 % one counts for no_difference alone."""
        if self.best:
            return self._best(low, high)
        if self.rule is Rule.GREATER:
            return _above(_set(self.low), _set(self.bound), low, high)
        if self.rule is Rule.LESS:
            # the mirror image: what is less than an edge has its negative above the edge's negative
            return _above(-_set(self.high), -_set(self.bound), -high, -low)
        if self.rule is Rule.INSIDE:
            return self._inside(low, high)
        if self.rule is Rule.NO_DIFFERENCE:
            if _set(self.low) <= low90 and high90 <= _set(self.high):
                return Outcome.REPRODUCED
            outside = high < _set(self.low) or low > _set(self.high)
            return Outcome.CONTRADICTED if outside else Outcome.INCONCLUSIVE
        return Outcome.NOT_A_MEASUREMENT

    def of(self, effect95: Estimate, effect90: Estimate | None) -> Outcome:
        """The outcome of an estimate at 95 %, and at 90 % where there is one."""
        narrow = effect90 or effect95
        return self.outcome(effect95.low, effect95.high, narrow.low, narrow.high)

    def changing(self, low: float, high: float) -> tuple[float, ...]:
        """The edges next to the interval [low, high], at most one on each side: beyond them the outcome is another."""
        named = [edge for edge in (self.low, self.high, self.bound) if edge is not None]
        if self.side and self.neutral is not None:
            named.append(self.neutral)
        if self.best:
            named += EQUAL
        below, above = [edge for edge in named if edge <= low], [edge for edge in named if edge >= high]
        return (*([max(below)] if below else []), *([min(above)] if above else []))

    def counted(self, value: float) -> Outcome:
        """The outcome of a counted or recomputed number: within the edges or not, there is no third."""
        above = self.low is None or value >= self.low
        below = self.high is None or value <= self.high
        return Outcome.REPRODUCED if above and below else Outcome.CONTRADICTED

    @property
    def side(self) -> int:
        """The side of "the same" on which the region lies: 1 above, -1 below, 0 when it straddles or has none."""
        if self.neutral is None:
            return 0
        if self.low is not None and self.low >= self.neutral:
            return 1
        return -1 if self.high is not None and self.high <= self.neutral else 0

    def _best(self, low: float, high: float) -> Outcome:
        """A setting helps, has no effect, or harms."""
        lower, upper = EQUAL
        helps, harms = (low > 1, high < lower) if self.rule is Rule.GREATER else (high < 1, low > upper)
        if helps:
            return Outcome.REPRODUCED
        if harms:
            return Outcome.CONTRADICTED
        return Outcome.NO_EFFECT if lower <= low and high <= upper else Outcome.INCONCLUSIVE

    def _inside(self, low: float, high: float) -> Outcome:
        region_low, region_high = _set(self.low), _set(self.high)
        if region_low <= low and high <= region_high:
            return Outcome.REPRODUCED
        if high >= region_low and low <= region_high:
            return Outcome.INCONCLUSIVE
        neutral = _set(self.neutral) if self.side else 0.0
        claimed = (self.side > 0 and low > neutral) or (self.side < 0 and high < neutral)
        return Outcome.DIRECTION_ONLY if claimed else Outcome.CONTRADICTED


def region(claim: Claim, *, difference: bool | None = None, bounded: bool = False) -> Region:
    """The region of a claim.

    difference: whether the estimate is a difference of two configurations (True), a ratio of two (False) or
    neither, a level of one (None). A claim in the unit "ratio" has the neutral value 1, whether it compares two
    configurations or two numbers of one trial; any other has 0 for a difference and none for a level.
    bounded: a ratio that lies on its side of 1 by definition, such as P99 over P50, has no claimed side: what is
    disjoint from its region contradicts the claim.
    A recommendation whose ratio is to be above 0.95, or below 1.05, without a margin says that a setting belongs to the
    best configuration, which only an effect shows.
    The margin is relative for ratios and for positive quantities with a unit: bound = low (1 + margin), and,
    so that exchanging numerator and denominator changes no verdict, high / (1 + margin) for less. It is added
    for differences, shares and counts: low + margin, high - margin. no_difference is 1 +- margin, or 0 +- margin.
    """
    if claim.unit == "ratio":
        if difference:
            raise BenchbookError(f"claim {claim.id} asks for a ratio and got a difference", "give it a ratio")
        neutral: float | None = None if bounded else 1.0
    else:
        if difference is False:
            raise BenchbookError(
                f"claim {claim.id} is in the unit {claim.unit!r} and got a ratio", "give it a difference or a level"
            )
        neutral = 0.0 if difference else None
    margin = claim.margin or 0.0
    if claim.rule is Rule.NO_DIFFERENCE:
        if neutral is None:
            raise BenchbookError(
                f"claim {claim.id} says no difference and got a level", "give it a ratio or a difference"
            )
        return Region(claim.rule, neutral - margin, neutral + margin, None, neutral)
    relative = claim.unit in RELATIVE_UNITS and not difference
    bound = None
    if claim.rule is Rule.GREATER and claim.low is not None:
        bound = claim.low * (1 + margin) if relative else claim.low + margin
    if claim.rule is Rule.LESS and claim.high is not None:
        bound = claim.high / (1 + margin) if relative else claim.high - margin
    best = is_best(claim)
    return Region(claim.rule, claim.low, claim.high, 1.0 if best else bound, neutral, best)


def is_best(claim: Claim) -> bool:
    """Whether a claim recommends a setting as one of the best configuration."""
    return claim.kind == RECOMMENDED and is_harmless(claim)


def is_harmless(claim: Claim) -> bool:
    """Whether a claim asks only that something is not worse than before by more than 5 %."""
    if claim.unit != "ratio" or claim.margin:
        return False
    edges = {Rule.GREATER: (claim.low, EQUAL[0]), Rule.LESS: (claim.high, EQUAL[1])}.get(claim.rule)
    return edges is not None and edges[0] == edges[1]


def region_of(claim: Claim, estimate: Estimate, *, bounded: bool = False) -> Region:
    """The region of a claim for its number, which says itself whether it is a difference, a ratio or neither."""
    scale = estimate.scale if isinstance(estimate, Effect) else None
    return region(claim, difference=None if scale is None else scale == "difference", bounded=bounded)


def _above(edge: float, bound: float, low: float, high: float) -> Outcome:
    if low > bound:
        return Outcome.REPRODUCED
    if low > edge:
        return Outcome.DIRECTION_ONLY if high <= bound else Outcome.INCONCLUSIVE
    # An inert setting lies between "nothing" and the bound: it is contradicted, not left open for ever.
    return Outcome.CONTRADICTED if high < bound else Outcome.INCONCLUSIVE


def _set(edge: float | None) -> float:
    if edge is None:
        raise BenchbookError("a rule was applied without its region", "load the claim from the ledger, which checks it")
    return edge
