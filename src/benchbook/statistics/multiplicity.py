"""How many of all decided verdicts of the book chance, visits, processors and looks may have made false (item 20a)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate
from benchbook.statistics import intervals, laws
from benchbook.statistics.inputs import VISITS
from benchbook.statistics.visits import moves

LEVEL = 0.05
"""Two-sided error that Holm's p-values are held against."""
LATER_LOOK = 0.005
"""At most so much each look after the planned one adds, since it is made with 99 %; simulated it adds less."""


NEAR, NEAR_SD, FAR_SD = 0.10, 0.02, 0.156
"""By how much log ratios differed between processor models, as a standard deviation: up to NEAR from 0, and beyond."""
COMPARISONS = frozenset(
    {intervals.PAIRED_LOG_T, intervals.SIMULTANEOUS_T, intervals.COMPLEMENT_T, intervals.WELCH_LOG_T}
)
"""Intervals of ratios, which visits and processors move by a part of their logarithm."""


@dataclass(frozen=True)
class Decided:
    """One verdict that an interval decided.

    name: of the claim. family: of the ledger, within which Holm's adjustment is made. error: as ``one_sided_error``
    gives it. allowed: the most that its rule lets it be, 0.025 for a 95 % interval. moved, elsewhere: as
    ``moved_error`` and ``elsewhere_error`` give them, 0 for what does not depend on the machine's speed. look: at which
    it fell, from 1. amended: whether its region or estimand was amended with data seen.
    """

    name: str
    family: str
    error: float
    allowed: float
    moved: float = 0.0
    elsewhere: float = 0.0
    look: int = 1
    amended: bool = False


@dataclass(frozen=True)
class Multiplicity:
    """How many verdicts may be false, by what may have made them so.

    decided: those with an interval; counted ones cannot err by chance. chance: the sum of their one-sided errors at the
    distances seen. visits: of those that other visits would carry over the edge. processors: of those that another
    processor model would. looks: at most so many more because some were looked at again, of ``again`` verdicts.
    amended: how many have a region or an estimand that was amended with data seen, to which no probability belongs.
    worst: if each just cleared its edge, 2.5 % of each 95 % interval. errors, adjusted: by claim, the one-sided error
    and Holm's two-sided p-value within its family. fallen: claims whose adjusted p-value is above 5 %, in the order
    given.
    """

    decided: int
    chance: float
    visits: float
    processors: float
    looks: float
    again: int
    amended: int
    worst: float
    errors: dict[str, float]
    adjusted: dict[str, float]
    fallen: tuple[str, ...]

    @property
    def expected(self) -> float:
        """The sum of all that has a probability: of what is false of this machine, or on another processor model."""
        return self.chance + self.visits + self.processors + self.looks


def expected_false(decided: Iterable[Decided]) -> Multiplicity:
    """The expected number of false verdicts over all that are given, and what Holm leaves of them.

    Errors add up whether verdicts depend on each other or not. Each look after the planned one adds at most what a
    99 % interval leaves out on one side. Raises BenchbookError for two claims of one name.
    """
    judged = list(decided)
    errors = {each.name: each.error for each in judged}
    if len(errors) != len(judged):
        raise BenchbookError("a claim is named twice among the decided verdicts", "give each verdict once")
    families: dict[str, dict[str, float]] = {}
    for each in judged:
        families.setdefault(each.family, {})[each.name] = min(1.0, 2 * each.error)
    found = {name: value for family in families.values() for name, value in holm(family).items()}
    adjusted = {each.name: found[each.name] for each in judged}
    again = [each for each in judged if each.look > 1]
    return Multiplicity(
        decided=len(judged),
        chance=sum(errors.values()),
        visits=sum(each.moved for each in judged),
        processors=sum(each.elsewhere for each in judged),
        looks=sum((each.look - 1) * LATER_LOOK for each in again),
        again=len(again),
        amended=sum(each.amended for each in judged),
        worst=sum(each.allowed for each in judged),
        errors=errors,
        adjusted=adjusted,
        fallen=tuple(name for name, value in adjusted.items() if value > LEVEL),
    )


def moved_error(estimate: Estimate, edges: Sequence[float], visits: int) -> float:
    """How often other visits would carry a ratio over an edge, at its distance and by as much as ``visits.moves``.

    0 from four visits on, whose spread is in the interval already, and for what is no ratio.
    """
    if visits >= VISITS or not _compares(estimate):
        return 0.0
    return _carried(estimate, edges, moves(estimate) / math.sqrt(max(visits, 1)))


def elsewhere_error(estimate: Estimate, edges: Sequence[float]) -> float:
    """How often another processor model would carry a ratio over an edge; 0 for what is no ratio."""
    if not _compares(estimate):
        return 0.0
    away = abs(_on(estimate, estimate.point))
    return _carried(estimate, edges, FAR_SD if away > NEAR else NEAR_SD)


def _compares(estimate: Estimate) -> bool:
    return intervals.of_blocks(estimate.method) in COMPARISONS and estimate.low < estimate.high


def _carried(estimate: Estimate, edges: Sequence[float], sd: float) -> float:
    """Share of the normal law beyond the nearest edge on each side of the point, on the scale of the interval."""
    point = _on(estimate, estimate.point)
    apart = [_on(estimate, edge) - point for edge in edges]
    nearest = [min(side, default=math.inf) for side in ([d for d in apart if d > 0], [-d for d in apart if d <= 0])]
    return sum(laws.normal_below(-each / sd) for each in nearest)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p-values: at most 5 % of families have any false claim when each is held against 0.05.

    Source: Holm 1979. `statsmodels.stats.multitest.multipletests` gives the same numbers, and collects garbage each
    time, which takes half a second where a whole book is in memory.
    """
    if not p_values:
        raise BenchbookError("a family without p-values was given", "give at least one comparison")
    for name, value in p_values.items():
        if not 0 <= value <= 1:
            raise BenchbookError(
                f"p-value {value:g} of {name} is not between 0 and 1", "compute it again from the interval"
            )
    names = sorted(p_values, key=p_values.__getitem__)
    steps = np.array([p_values[name] for name in names]) * np.arange(len(names), 0, -1)
    adjusted = dict(zip(names, np.minimum(np.maximum.accumulate(steps), 1.0).tolist(), strict=True))
    return {name: adjusted[name] for name in p_values}


def one_sided_error(estimate: Estimate, edges: Sequence[float]) -> float:
    """How often an interval's point lies so far from an edge, or further, if the edge itself is the truth.

    The distance is taken on the interval's own scale: logarithms for ratios and positive quantities, logits for
    shares, logarithms of what is left for a share that disappears, plain for differences and for Student's t on
    values as they are. A standard error is the half of the interval that looks at the edge, divided by the t quantile
    that made it (n - 1 degrees of freedom; for Welch that is a few too few, which errs on the safe side; the normal
    one for Wilson's and wherever n is 1). Simultaneous intervals are wider than their own t quantile, so the sd of the
    effect is used. The nearest edge on each side counts and both errors are added. Order statistics and bootstraps
    have no standard error: half of what the interval leaves out, 2.5 % of 95, for each side with an edge. A number
    without width has no error.
    Raises BenchbookError for an edge within the interval: such a verdict is not decided by it.
    """
    inside = [edge for edge in edges if estimate.low < edge < estimate.high]
    if inside:
        raise BenchbookError(
            f"the edge {inside[0]:g} lies within [{estimate.low:g}, {estimate.high:g}]",
            "give the edges that the interval excludes and that would change the verdict",
        )
    below = [edge for edge in edges if edge <= estimate.low]
    above = [edge for edge in edges if edge >= estimate.high]
    if estimate.low == estimate.high:
        return 0.0
    nearest = [(max(below), estimate.low)] if below else []
    nearest += [(min(above), estimate.high)] if above else []
    return min(1.0, sum(_error(estimate, edge, end) for edge, end in nearest))


def _error(estimate: Estimate, edge: float, end: float) -> float:
    method = intervals.of_blocks(estimate.method)
    if method in _WITHOUT_ERROR:
        return (1 - estimate.confidence) / 2
    distance, half = (abs(_on(estimate, value) - _on(estimate, estimate.point)) for value in (edge, end))
    if math.isinf(distance):
        return 0.0
    tail = (1 + estimate.confidence) / 2
    if method in _NORMAL or estimate.n < 2:
        return laws.normal_below(-distance / half * laws.normal_quantile(tail))
    freedom = estimate.n - 1
    if method == intervals.SIMULTANEOUS_T and isinstance(estimate, Effect):
        error = estimate.sd / math.sqrt(estimate.n)
    else:
        error = half / laws.student_quantile(tail, freedom)
    return laws.student_above(distance / error, freedom)


_WITHOUT_ERROR = frozenset({intervals.ORDER, intervals.STATIONARY})
_NORMAL = frozenset({intervals.WILSON, intervals.WILSON_TRIALS})
_PLAIN = frozenset({intervals.T, intervals.PAIRED_T, intervals.PAIRED_SHARES_T, intervals.SLOPE_T})


def _on(estimate: Estimate, value: float) -> float:
    """A value on the estimate's own scale; infinite where the scale ends, as an edge of 0 does for ratios."""
    method = intervals.of_blocks(estimate.method)
    logarithms = method not in intervals.ON_LOGITS | intervals.ON_COMPLEMENTS
    if intervals.linear(estimate) or method in _PLAIN or (logarithms and estimate.low <= 0):
        return value
    try:
        found = intervals.to_scale(estimate, value)
    except ValueError:
        return math.inf
    return found if math.isfinite(found) else math.inf
