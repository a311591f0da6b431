"""The numbers of a chapter by name, as its sentences ask for them: computed once, written with their interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchbook.experiments.shape.estimands import Estimand
from benchbook.figures import with_interval
from benchbook.model import Estimate

Spell = Callable[[Estimate, float], str]
"""How a number with its interval is written. float: the factor to its unit."""
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Number:
    """A number of a chapter. factor: from the estimand to the unit of the words, such as 100 for a share in %."""

    estimand: Estimand
    factor: float = 1.0


def percent(estimand: Estimand) -> Number:
    """A share, told in %."""
    return Number(estimand, 100.0)


@dataclass(frozen=True)
class Told:
    """A number in a sentence. Its ends are in the unit of the words; printed it has its interval."""

    estimate: Estimate
    factor: float = 1.0
    spell: Spell = with_interval

    @property
    def point(self) -> float:
        """The number alone."""
        return self.factor * self.estimate.point

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.factor * self.estimate.low

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.factor * self.estimate.high

    def __str__(self) -> str:
        return self.spell(self.estimate, self.factor)


def numbers(module: Any) -> Mapping[str, Number]:
    """Those of a chapter's module ``numbers``, a bare estimand in its own unit."""
    return {name: each if isinstance(each, Number) else Number(each) for name, each in module.NUMBERS.items()}


def estimate(summary: Any, name: str, number: Number) -> Estimate:
    """The number of a run at 95 %, computed when it is first asked for; raises BenchbookError where there is none."""
    found: Estimate = summary.once(f"number {name}", lambda: number.estimand.compute(summary, CONFIDENCE))
    return found
