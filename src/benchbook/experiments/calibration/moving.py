"""Shares of decided and of false verdicts on drifting machines, by rule, state and claim.

The claims and true ratios of one cell are tried on the same simulated runs. A share over several of them is their mean,
and its interval counts each run once, as if they told nothing new: it is wider than it need be, never narrower.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchbook.experiments.calibration.arms import SENSITIVITIES, STATES, state_name
from benchbook.experiments.calibration.simulation import rulings
from benchbook.experiments.calibration.simulation.decisions import ruled
from benchbook.experiments.calibration.summary import Summary, proportion
from benchbook.model import Estimate

DECIDED, FALSE_QUIET, FALSE_OWN = "decided", "false_quiet", "false_own"
WORDS = {
    "greater": "“greater than 1”, margin 5 %",
    "less": "“less than 1”, margin 5 %",
    "inside": "“1.14”, region 1.07 to 1.30",
    "no_difference": "“no difference”, margin 5 %",
    "best": "“belongs to the best setting”",
}
"""Claims by their rule."""
RULES = {
    "none": "interval alone",
    "earlier": "veto by the canary",
    "new": "one session, widened",
    "sessions": "four sessions, earlier rule",
    "states": "four sessions",
}
"""What figures call the rules for verdicts that they show."""
VARIANTS = {
    "new_ends": "one session, widened, canary read beside blocks",
    "sessions_ends": "four sessions, earlier rule, canary read beside blocks",
}
"""What tables call the others."""
KINDS = {"level": "level of one configuration", "shape": "dip or hump", "dispersion": "spread of the trials"}
"""Claims that are not on a ratio of two arms."""


@dataclass(frozen=True)
class Case:
    """One combination of what a verdict was tried on."""

    state: str
    arms: str
    claim: str
    true_ratio: float

    @property
    def words(self) -> str:
        """The machine, the arms, the claim and the true ratio."""
        base, changed = SENSITIVITIES[self.arms]
        arms = "" if self.state == "quiet" else f", arms slowed by {base:g} and {changed:g} of it"
        return f"machine “{STATES[self.state]}”{arms}, claim {WORDS[self.claim]}, true ratio {self.true_ratio:g}"


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
    runs = sum(summary.total(cell, "state_runs") for cell in cells)
    mean = sum(_of(summary, rule, count, each) for each in tried) / len(tried)
    return proportion(round(mean * runs), runs)


def worst(
    summary: Summary, rule: str, count: str, tried: Sequence[Case], *, most: bool = True
) -> tuple[Case, Estimate]:
    """The case with the largest share, or the smallest, and that share."""
    chosen = (max if most else min)(tried, key=lambda each: _of(summary, rule, count, each))
    return chosen, share(summary, rule, count, [chosen])


def _of(summary: Summary, rule: str, count: str, case: Case) -> float:
    found = summary.metrics[state_name(case.state, case.arms)]
    return found[f"{ruled(rule, case.claim, case.true_ratio)}_{count}"] / found["state_runs"]
