"""The numbers of a chapter by name, as its sentences ask for them: computed once, written with their interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from benchbook.figures.numbers import open_end, with_interval
from benchbook.model import Estimate
from benchbook.numbers import hosts
from benchbook.numbers.analysis import Analysis, Summarized
from benchbook.numbers.estimands import Estimand, Words


@dataclass(frozen=True)
class Number:
    """A number of a chapter. factor: from the estimand to the unit of the words, such as 100 for a share in %.

    by_host: whether each kind of host has its own in the words, where these lie apart. unit: follows each of them.
    """

    estimand: Estimand
    factor: float = 1.0
    by_host: bool = False
    unit: str = ""


def percent(estimand: Estimand) -> Number:
    """A share, told in %."""
    return Number(estimand, 100.0)


def on_hosts(given: Estimand | Number, unit: str = "") -> Number:
    """A number that is told for each kind of host where these lie apart. unit: follows each of them, such as " %"."""
    return replace(_number(given), by_host=True, unit=unit)


@dataclass(frozen=True)
class Told:
    """A number in a sentence. Its ends are in the unit of the words; printed it has its interval.

    hosts: kinds of host that lie apart, where each is told; the ends are then the outermost of theirs.
    """

    estimate: Estimate
    factor: float = 1.0
    hosts: Mapping[str, Estimate] = field(default_factory=dict)
    unit: str = ""

    @property
    def each(self) -> list[Estimate]:
        """Those of kinds of host that lie apart, or the one of all blocks."""
        return [*self.hosts.values()] or [self.estimate]

    @property
    def point(self) -> float:
        """The number alone."""
        return self.factor * self.estimate.point

    @property
    def low(self) -> float:
        """Lower end of the interval; of too few blocks for one below everything, so that no sentence builds on it."""
        return self.factor * min(-math.inf if each.bare else each.low for each in self.each)

    @property
    def high(self) -> float:
        """Upper end of the interval; of too few blocks for one above everything."""
        return self.factor * max(math.inf if each.bare else each.high for each in self.each)

    @property
    def compared(self) -> str:
        """A ratio of rates with its interval, and where that tells no direction, that it does not."""
        return f"{self}{open_end(self.estimate)}"

    def __str__(self) -> str:
        return hosts.in_words(self.hosts, self.factor, self.unit) or (
            f"{with_interval(self.estimate, self.factor)}{self.unit}"
        )


def numbers(module: Any) -> Mapping[str, Number]:
    """NUMBERS of a chapter's module, a bare estimand in its own unit; those of a mapping in it have both names."""
    return dict(_flat(module.NUMBERS))


def _flat(given: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Number]]:
    for name, each in given.items():
        if isinstance(each, Mapping):
            yield from _flat(each, f"{before}{name}_")
        else:
            yield f"{before}{name}", _number(each)


def departing(departs: Words, given: Mapping[str, Estimand | Number]) -> dict[str, Number]:
    """These numbers, which a run has nothing to say about that departs so from what claims name."""
    every = {name: _number(each) for name, each in given.items()}
    return {name: replace(each, estimand=replace(each.estimand, departs=departs)) for name, each in every.items()}


def _number(given: Estimand | Number) -> Number:
    return given if isinstance(given, Number) else Number(given)


def estimate(summary: Summarized, name: str, number: Number) -> Estimate:
    """The number of a run at 95 %, computed when it is first asked for; raises BenchbookError where there is none."""
    return summary.once(f"number {name}", lambda: number.estimand.compute(summary))


def told(summary: Summarized, name: str, number: Number) -> Told:
    """The number as a sentence has it; raises BenchbookError where the run has none."""
    found = estimate(summary, name, number)
    if not number.by_host or isinstance(summary, Analysis):
        return Told(found, number.factor)
    each = summary.once(f"hosts of {name}", lambda: hosts.apart(summary, number.estimand.compute))
    return Told(found, number.factor, each, number.unit)
