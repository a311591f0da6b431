"""Runs whose first blocks choose the best of several settings, which the other blocks then judge; their estimands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from typing_extensions import TypeVar

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.measuring.kv import summary
from benchbook.model import Effect, Estimate
from benchbook.numbers.estimands import Estimand, custom
from benchbook.numbers.inert import Found
from benchbook.numbers.summary import NotEstimableError
from benchbook.parameters.base import ExperimentParameters

P = TypeVar("P", bound=ExperimentParameters, covariant=True, default=ExperimentParameters)
TIME = "query_mean_ns"


class Summary(summary.Summary[P]):
    """One run, whose parameters have ``pilot_blocks``. Chosen by the blocks that judge it, a setting is favoured."""

    @property
    def pilot(self) -> int:
        """Blocks that choose."""
        return int(self.parameters.pilot_blocks)  # type: ignore[attr-defined]

    def chosen(self, arms: Sequence[str]) -> str:
        """The fastest of several configurations in the pilot blocks."""
        return min(arms, key=lambda arm: float(np.log(self.values(arm, TIME)[: self.pilot]).mean()))

    def judged(self, top: str, bottom: str) -> Effect:
        """Ratio of the mean look-ups of two configurations over the blocks after the pilot."""
        return self.beyond_pilot(self.values(top, TIME), self.values(bottom, TIME))

    def beyond_pilot(self, top: np.ndarray, bottom: np.ndarray) -> Effect:
        """Ratio of two quantities over the blocks after the pilot, paired within blocks. Shapes: (blocks,)."""
        after = slice(self.pilot, None)
        if len(top) < self.pilot + 2:
            raise NotEstimableError("fewer than two blocks follow the pilot", "measure more blocks")
        return self.estimated(statistics.ratio, top[after], bottom[after], of=after)


Picked = Callable[[Any, str], Estimate]
"""A summary and the configuration that the pilot chose, to an interval."""


def picked(compute: Picked, candidates: tuple[str, ...], *others: str, inert: Found | None = None) -> Estimand:
    """What is computed with the candidate that the pilot chose. others: configurations that it uses besides."""

    def found(summary: Summary) -> Estimate:
        return compute(summary, summary.chosen(candidates))

    def working(summary: Summary) -> str:
        return f"The pilot chose “{summary.label(summary.chosen(candidates))}”"

    return custom(found, Quantity.COMPARISON, *candidates, *others, aa=TIME, working=working, inert=inert)


def over(top: str | None, bottom: str | None) -> Picked:
    """Ratio of two times after the pilot; None stands for the candidate."""

    def compute(summary: Summary, best: str) -> Estimate:
        return summary.judged(top or best, bottom or best)

    return compute
