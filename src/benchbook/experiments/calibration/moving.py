"""Shares of decided and of false verdicts on drifting machines, by rule, state and claim.

The claims and true ratios of one cell are tried on the same simulated runs. A share over several of them is their mean,
and its interval counts each run once, as if they told nothing new: it is wider than it need be, never narrower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from benchbook.experiments.calibration.arms import FEELING, SENSITIVITIES, STATES, state_name
from benchbook.experiments.calibration.simulation import machine, rulings
from benchbook.experiments.calibration.simulation.decisions import ruled
from benchbook.experiments.calibration.summary import Share, Summary, proportion
from benchbook.experiments.shape.summary import NotEstimableError
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

EXPECTED = {"quiet": 0.7, "own": 0.0, "earlier": 21, "earlier_worst": 95}
"""In %, what the simulation said by which the rule for one session was chosen: false verdicts about the quiet machine
and about the machine as it was, at most; and of the veto the share of decided claims, and false verdicts in the worst
state. Source: the statistical protocol, item 20, amended 2026-11-22."""
LARGE = 2.0
"""The ratio by which the rules are compared."""
EXPECTED_TWO, EXPECTED_LARGE = 98, 99
"""In %, how often it said that ratios of 2 and of 24 are decided."""


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


def _decided(summary: Summary) -> dict[str, Share]:
    """Of all claims on the ratio of two arms, by rule."""
    everything = cases(summary)
    return {rule: Share(share(summary, rule, DECIDED, everything)) for rule in ("none", "earlier", "new")}


def _highest(summary: Summary, count: str, rule: str = "new") -> SimpleNamespace:
    """The state in which a rule errs most, averaged over claims, true ratios and arms, and that share."""
    found = {each: share(summary, rule, count, cases(summary, states=[each])) for each in summary.parameters.states}
    state, most = max(found.items(), key=lambda each: each[1].point)
    return SimpleNamespace(state=STATES[state], share=Share(most))


def _worst_case(summary: Summary) -> SimpleNamespace:
    """The single combination in which the widened interval is most often wrong about the quiet machine; and others."""
    everything = cases(summary)
    case, far = worst(summary, "new", FALSE_QUIET, everything)
    earlier, none = (Share(worst(summary, rule, FALSE_QUIET, everything)[1]) for rule in ("earlier", "none"))
    return SimpleNamespace(words=case.words, share=Share(far), earlier=earlier, none=none)


def _large(summary: Summary) -> list[SimpleNamespace]:
    """How often large ratios are decided, overall and with arms that feel a movement more alike."""
    ratios = summary.parameters.state_ratios
    near = [name for name, (base, changed) in SENSITIVITIES.items() if abs(base - changed) <= 0.5]
    found = []
    for ratio in sorted({LARGE, max(ratios)} & {each for each in ratios if each >= LARGE}):
        tried = cases(summary, claims=["greater"], ratios=[ratio])
        alike = cases(summary, claims=["greater"], ratios=[ratio], arms=near)
        asked = {"decided": ("new", tried), "alike": ("new", alike), "earlier": ("earlier", tried)}
        shares = {name: Share(share(summary, rule, DECIDED, each)) for name, (rule, each) in asked.items()}
        expected = EXPECTED_TWO if ratio == LARGE else EXPECTED_LARGE
        found.append(SimpleNamespace(ratio=ratio, expected=expected, **shares))
    if not found:
        raise NotEstimableError("this run simulated no large ratios", "ask for some in state_ratios")
    return found


def _agreed(summary: Summary) -> list[SimpleNamespace]:
    """What two sessions that agree are worth for levels, shapes and spreads."""
    found = []
    for kind, name in KINDS.items():
        tried = cases(summary, claims=[kind])
        mean, far = share(summary, "new", FALSE_QUIET, tried), worst(summary, "new", FALSE_QUIET, tried)[1]
        found.append(SimpleNamespace(name=name, mean=Share(mean), worst=Share(far)))
    return found


SPOKEN: Mapping[str, Callable[[Summary], Any]] = {
    "sensitivities": lambda summary: [*SENSITIVITIES.values()],
    "felt": lambda summary: [*FEELING.values()],
    "burst_percent": lambda summary: 100 * ((1 + summary.parameters.slower_percent / 100) ** 2 - 1),
    "trials_of_block": lambda summary: machine.ARMS,
    "canary_percent": lambda summary: 100 * machine.SPREAD,
    "expected": lambda summary: EXPECTED,
    "decided": _decided,
    "highest": lambda summary: _highest(summary, FALSE_QUIET),
    "highest_own": lambda summary: _highest(summary, FALSE_OWN),
    "highest_earlier": lambda summary: _highest(summary, FALSE_QUIET, "earlier"),
    "worst_case": _worst_case,
    "large_ratios": _large,
    "agreeing": _agreed,
    "agreeing_own": lambda summary: Share(worst(summary, "new", FALSE_OWN, cases(summary, claims=KINDS))[1]),
}
"""What the page names of machines that move."""
