"""The numbers of a chapter as expressions over metrics and configurations; the operator says which interval there is.

    time, hits = measured("query_mean_ns"), share("hit_ratio", of="lookups")
    time["small"] / time["large"]        a ratio, paired within blocks
    gain["zipf"] / gain["uniform"]       a ratio of ratios
    bytes["large"] - bytes["small"]      a difference, paired within blocks; of two shares by their counts
    1 - time["less"] / time["whole"]     the share that is saved
    time["small"]                        a level; ``.mean`` of what may be 0, also of an expression by block
    hits["large"]                        a share
    measured("p50_ns", gaps=True)        of the blocks in which no trial lacks a value, as a failed one does
    (a - b) / 1e6                        in another unit
    (a / b).after("pilot_blocks")        of the blocks that the pilot did not choose by
    (a / b).but(idle=..., departs=...)   with what its verdict stands on besides (``estimands.Estimand``)
    blockwise(function, a, b)            what a function makes of several in each block, compared with 1

A configuration is a name or a function of the summary that gives one. ``{}`` in a name stands for the row of a figure,
so that ``time["zipf_{}"]`` is what a series asks for; so it does in a metric, as in ``measured("part_{:02}_tps")``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self, Unpack

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.model import Estimate
from benchbook.numbers import estimands
from benchbook.numbers.estimands import Arm, Estimand, Ground, complement
from benchbook.numbers.summary import NotEstimableError

Vector = Callable[[Any, Any], np.ndarray]
"""A summary and the key of a figure's row, None outside of figures, to values by block, shape (blocks,)."""


def of_arm(arm: Arm, summary: Any, key: Any = None) -> str:
    """The configuration's name in this run and in this row."""
    name = estimands.named(arm, summary)
    return name if key is None else name.replace("{}", str(key))


@dataclass(frozen=True)
class Column:
    """The vector of a metric in a configuration. ask: the method of the summary that gives it."""

    metric: str
    arm: Arm
    ask: str

    def __call__(self, summary: Any, key: Any = None) -> np.ndarray:
        metric = self.metric if key is None else self.metric.format(key)
        found: np.ndarray = getattr(summary, self.ask)(of_arm(self.arm, summary, key), metric)
        return found


@dataclass(frozen=True)
class Joined:
    """The vector of two, or of one and a number. of: ``np.divide``, ``np.multiply`` or ``np.subtract``."""

    of: np.ufunc
    left: Vector
    right: Vector | float

    def __call__(self, summary: Any, key: Any = None) -> np.ndarray:
        right = self.right(summary, key) if callable(self.right) else self.right
        found: np.ndarray = self.of(self.left(summary, key), right)
        return found


@dataclass(frozen=True)
class Values(Estimand):
    """Values by block and their interval.

    vector: the values. parts: what the interval is made of. statistic: of ``benchbook.statistics``. pilot: the
    parameter that says after how many blocks they count, "" for all. finish: what is made of the interval. clock: the
    metric that takes time, whose A/A pair must agree where it is compared; None for what is counted. gaps: whether
    blocks are left out in which a trial lacks a value.
    """

    vector: Vector = lambda summary, key: np.empty(0)
    parts: tuple[Vector, ...] = ()
    pilot: str = ""
    statistic: Callable[..., Any] = statistics.geometric_mean
    finish: Callable[[Any], Estimate] = lambda estimate: estimate
    clock: str | None = None
    gaps: bool = False

    def __call__(self, summary: Any, key: Any = None) -> Estimate:
        """Of a run, and for a figure of one of its rows."""
        of: Any = self._blocks(summary)
        parts = [part(summary, key)[of] for part in self.parts]
        if self.gaps:
            of = np.isfinite(parts).all(axis=0)
            if of.sum() < 2:
                raise summary.missing(of_arm(self.arms[0], summary, key), self.of or self.clock)
            parts = [part[of] for part in parts]
        return self.finish(summary.estimated(self.statistic, *parts, of=of))

    def __truediv__(self, other: Values | float) -> Values:
        if not isinstance(other, Values):
            return self._each(np.divide, other)
        kind = Quantity.PARTS if self.arms == other.arms else Quantity.COMPARISON
        return self._with(other, statistics.ratio, np.divide, kind)

    def __mul__(self, unit: float) -> Values:
        return self._each(np.multiply, unit)

    def __sub__(self, other: Values) -> Values:
        made = self._with(other, statistics.difference, np.subtract, Quantity.COMPARISON)
        if self.statistic is other.statistic is statistics.share:
            return _made(made, parts=(*self.parts, *other.parts), statistic=_rise)
        return made

    def __rsub__(self, one: int) -> Values:
        """1 - a ratio: the share that is saved."""
        return _made(self, finish=complement)

    @property
    def mean(self) -> Values:
        """The arithmetic mean, of what may be 0."""
        return _made(self, parts=(self.vector,), statistic=statistics.arithmetic_mean)

    @property
    def totals(self) -> Values:
        """A ratio of all trials together, where some of them count nothing."""
        return _made(self, statistic=statistics.ratio_of_totals)

    def after(self, pilot: str) -> Values:
        """Of the blocks after those of a pilot. pilot: the parameter that says how many these are."""
        return _made(self, pilot=pilot)

    def _blocks(self, summary: Any) -> slice:
        """Those that count."""
        first = int(getattr(summary.parameters, self.pilot)) if self.pilot else 0
        if self.pilot and summary.run.blocks < first + 2:
            raise NotEstimableError("fewer than two blocks follow the pilot", "measure more blocks")
        return slice(first, None)

    def but(self, **ground: Unpack[Ground]) -> Self:
        """With what the verdict stands on besides."""
        return replace(self, **ground)

    def as_quantity(self, kind: Quantity, metric: str | None = None) -> Self:
        """As a number of another kind. metric: the one whose A/A pair must agree; None where nothing is timed."""
        return replace(self, quantity=kind, metric=metric)

    def _each(self, of: np.ufunc, by: float) -> Values:
        """In another unit: of a ratio its numerator is, of all else each part."""

        first, *others = self.parts
        if self.statistic is not statistics.ratio:
            others = [Joined(of, each, by) for each in others]
        return _made(self, vector=Joined(of, self.vector, by), parts=(Joined(of, first, by), *others))

    def _with(self, other: Values, statistic: Any, of: np.ufunc, kind: Quantity) -> Values:
        timed = self.clock or other.clock
        return _made(
            self, vector=Joined(of, self.vector, other.vector), parts=(self.vector, other.vector), statistic=statistic,
            of="", clock=timed, arms=tuple(dict.fromkeys((*self.arms, *other.arms))), metric=timed,
            quantity=kind if timed else Quantity.COUNTER, working=self.working or other.working,
        )  # fmt: skip


def _made(old: Values, **changes: Any) -> Values:
    made = replace(old, **changes)
    return replace(made, compute=made.__call__)


@dataclass(frozen=True)
class measured:  # noqa: N801  # reads as a word of a chapter
    """A metric that takes time: ``time["arm"]`` are its values there. gaps: whether trials may lack it.

    pair: the metric whose A/A pair must agree where it is compared, for one that the pair has not; by default itself.
    """

    name: str
    gaps: bool = False
    pair: str = ""

    def __getitem__(self, arm: Arm) -> Values:
        return _column(arm, self.name, "seen" if self.gaps else "positive", self.pair or self.name)


@dataclass(frozen=True)
class counted:  # noqa: N801
    """A metric that is counted, which no A/A pair bears on. gaps: whether trials may lack it."""

    name: str
    gaps: bool = False

    def __getitem__(self, arm: Arm) -> Values:
        return _column(arm, self.name, "seen" if self.gaps else "values", None)


@dataclass(frozen=True)
class share:  # noqa: N801
    """A share of things counted, whose interval stays within 0 and 1. of: the metric that counts them."""

    name: str
    of: str

    def __getitem__(self, arm: Arm) -> Values:
        part, whole = (_column(arm, each, "values", None) for each in (self.name, self.of))
        return _made(part, parts=(part.vector, whole.vector), statistic=statistics.share, of="")


def _column(arm: Arm, name: str, ask: str, clock: str | None) -> Values:
    plain, vector = Values(statistics.exact, Quantity.COUNTER, (arm,), of=name, clock=clock), Column(name, arm, ask)
    return _made(plain, vector=vector, parts=(vector,), statistic=_level, gaps=ask == "seen")


def _level(values: np.ndarray, **how: Any) -> Estimate:
    """Geometric mean; the arithmetic one where a trial has none of it, since 0 has no logarithm."""
    return (statistics.geometric_mean if values.all() else statistics.arithmetic_mean)(values, **how)


def _rise(more: np.ndarray, of: np.ndarray, less: np.ndarray, other: np.ndarray, **how: Any) -> Estimate:
    """Difference of two shares, resolved by the fewest counts of a trial."""
    return statistics.shares_difference(more, less, int(min(of.min(), other.min())), **how)


def blockwise(make: Callable[..., np.ndarray], *values: Values) -> Values:
    """What a function makes of several within each block, compared with 1: a mean of speed-ups, or one over sizes.

    make: of arrays of shape (blocks,), one for each of the values.
    """

    def vector(summary: Any, key: Any) -> np.ndarray:
        return make(*(each.vector(summary, key) for each in values))

    def one(summary: Any, key: Any) -> np.ndarray:
        return np.ones(len(vector(summary, key)))

    every = tuple(dict.fromkeys(arm for each in values for arm in each.arms))
    timed = next((each.clock for each in values if each.clock), None)
    kind = Quantity.COMPARISON if timed else Quantity.COUNTER
    return _made(
        values[0], vector=vector, parts=(vector, one), statistic=statistics.ratio, of="", arms=every,
        quantity=kind, clock=timed, metric=timed,
    )  # fmt: skip


def mean(arm: Arm, metric: str, unit: float = 1.0) -> Callable[[Any], float]:
    """A word of a chapter: the arithmetic mean over trials, without an interval, in a unit."""
    return lambda summary: float(summary.mean(of_arm(arm, summary), metric) / unit)


def fastest(time: measured, *candidates: str, pilot: str) -> Callable[[Any], str]:
    """The candidate that the first blocks of a run found fastest. pilot: the parameter that says how many choose."""

    def chosen(summary: Any) -> str:
        blocks = slice(int(getattr(summary.parameters, pilot)))
        return min(candidates, key=lambda arm: float(np.log(summary.values(arm, time.name)[blocks]).mean()))

    return chosen


def picked(time: measured, *candidates: str, pilot: str) -> Values:
    """The same of the fastest candidate, to be compared ``.after(pilot)``.

    Chosen by the blocks that judge it, a setting would be favoured.
    """
    chosen = fastest(time, *candidates, pilot=pilot)
    return replace(time[chosen], arms=candidates, working=lambda of: f"The pilot chose “{of.label(chosen(of))}”")
