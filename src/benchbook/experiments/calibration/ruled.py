"""A run's counts on moving machines go in; shares of decided and of false verdicts, by rule, state and claim, come out.

The claims and true ratios of one cell are tried on the same simulated runs. A share over several of them is their mean,
and its interval counts each run once, as if they told nothing new: it is wider than it need be, never narrower.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchbook.experiments.calibration import rulings
from benchbook.experiments.calibration.cells import state_name
from benchbook.experiments.calibration.machine import SENSITIVITIES
from benchbook.experiments.calibration.summary import Summary, proportion
from benchbook.experiments.calibration.tallies import metric
from benchbook.model import Estimate

DECIDED, FALSE_QUIET, FALSE_OWN = "decided", "false_quiet", "false_own"


@dataclass(frozen=True)
class Case:
    """One combination of what a verdict was tried on."""

    state: str
    arms: str
    claim: str
    true_ratio: float


def cases(
    summary: Summary,
    *,
    states: Iterable[str] | None = None,
    arms: Iterable[str] = tuple(SENSITIVITIES),
    claims: Iterable[str] = rulings.COMPARISONS,
    ratios: Iterable[float] | None = None,
) -> list[Case]:
    """All combinations of what is asked for; by default everything that was simulated of comparisons."""
    p = summary.parameters
    return [
        Case(state, pair, claim, ratio)
        for state in (p.states if states is None else states)
        for pair in arms
        for claim in claims
        for ratio in (p.state_ratios if ratios is None else ratios)
    ]


def share(summary: Summary, rule: str, count: str, tried: Sequence[Case]) -> Estimate:
    """Mean share of decided or false verdicts over the cases."""
    cells = dict.fromkeys(state_name(each.state, each.arms) for each in tried)
    runs = sum(summary.total(cell, "state_runs") or 0 for cell in cells)
    mean = sum(_of(summary, rule, count, each) for each in tried) / len(tried)
    return proportion(round(mean * runs), runs)


def worst(
    summary: Summary, rule: str, count: str, tried: Sequence[Case], *, most: bool = True
) -> tuple[Case, Estimate]:
    """The case with the largest share, or the smallest, and that share."""
    chosen = (max if most else min)(tried, key=lambda each: _of(summary, rule, count, each))
    return chosen, share(summary, rule, count, [chosen])


def _of(summary: Summary, rule: str, count: str, case: Case) -> float:
    cell = state_name(case.state, case.arms)
    found = summary.metrics[cell][f"{metric(rule, case.claim, case.true_ratio)}_{count}"]
    return found / summary.metrics[cell]["state_runs"]
