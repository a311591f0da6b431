"""Untrue and decided verdicts of a run: on machines that move, by case, and over several sessions, by design."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, NamedTuple

from benchbook.experiments.calibration import arms as named
from benchbook.experiments.calibration.arms import FEELING, SENSITIVITIES, STATES
from benchbook.experiments.calibration.shares import Counted, Design, Summary, Worst
from benchbook.experiments.calibration.simulation import decisions, rulings
from benchbook.experiments.calibration.simulation.luck import split_name
from benchbook.model import Estimate

CLAIMS = {
    "greater": "“greater than 1”, margin 5 %",
    "less": "“less than 1”, margin 5 %",
    "inside": "“1.14”, region 1.07 to 1.30",
    "no_difference": "“no difference”, margin 5 %",
    "best": "“belongs to the best setting”",
}
"""Claims on the ratio of two arms, by their rule."""
RULES = {
    "none": "interval alone",
    "earlier": "veto by the canary",
    "new": "one session, widened",
    "sessions": "four sessions, earlier rule",
    "states": "four sessions",
}
"""What figures call the rules for verdicts on machines that move."""
VARIANTS = {
    "new_ends": "one session, widened, canary read beside blocks",
    "sessions_ends": "four sessions, earlier rule, canary read beside blocks",
}
"""What tables call the others."""
KINDS = {"level": "level of one configuration", "shape": "dip or hump", "dispersion": "spread of the trials"}
"""Claims that are not on a ratio of two arms."""
OVER_SESSIONS = {"dates": "three dates, or in turns", "day": "one or two dates", "slopes": "earlier rule"}
"""How tables call the rules for several sessions."""
ARMS = {name: f"1 : {felt:g}" for name, felt in FEELING.items()}
"""How pairs of arms are called: what baseline and changed arm feel of the machine."""
DECIDED, FALSE_QUIET, FALSE_OWN = "decided", "false_quiet", "false_own"
NOTHING, SAME = "inside", "best"
"""Claims of arms that are equal: one of 14 % more, and one that a setting belongs to the best."""
SIDES = ("above", "below")


class Case(NamedTuple):
    """One combination of what a verdict on a machine that moves was tried on."""

    state: str
    arms: str
    claim: str
    ratio: float

    @property
    def words(self) -> str:
        """The machine, the arms, the claim and the true ratio."""
        base, changed = SENSITIVITIES[self.arms]
        arms = "" if self.state == "quiet" else f", arms slowed by {base:g} and {changed:g} of it"
        return f"machine “{STATES[self.state]}”{arms}, claim {CLAIMS[self.claim]}, true ratio {self.ratio:g}"


def cases(summary: Summary, rule: str, count: str, **only: Iterable[Any]) -> dict[Case, Counted]:
    """Decided or untrue verdicts of a rule by case. only: some states, arms, claims, ratios; else all comparisons."""
    p = summary.parameters
    every = {"states": p.states, "arms": SENSITIVITIES, "claims": rulings.COMPARISONS, "ratios": p.state_ratios}
    found = [Case(*each) for each in product(*(every | only).values())]
    return {
        each: (named.state_name(each.state, each.arms), f"{decisions.ruled(rule, each.claim, each.ratio)}_{count}")
        for each in found
    }


def moving(summary: Summary, rule: str, count: str, **only: Iterable[Any]) -> Estimate:
    """Mean share of such verdicts over the cases."""
    return summary.mean_share(cases(summary, rule, count, **only).values(), "state_runs")


def moving_worst(
    summary: Summary, rule: str, count: str, pick: Callable[..., Case] = max, **only: Iterable[Any]
) -> Worst[Case]:
    """The case with the largest share of them, or the smallest, and that share."""
    return summary.worst(cases(summary, rule, count, **only), "state_runs", pick)


def only(summary: Summary, state: str) -> list[str]:
    """This state, such as "follow", in which each session follows the last, as on one date; where it was simulated."""
    return [each for each in summary.parameters.states if each == state]


def others(summary: Summary, state: str) -> list[str]:
    """The others that were."""
    return [each for each in summary.parameters.states if each != state]


def untrue(
    summary: Summary, arms: Iterable[str], rule: str, of: str, states: Iterable[str], designs: Iterable[Design] = ()
) -> Worst[str]:
    """The state in which a rule is most often wrong over several sessions, and that share of the runs.

    An error is a widened interval that lies wholly on one side of the truth: where this stands at the edge of a claim,
    the verdict is untrue. The worse side counts, and of designs (all by default) the worst. of: what verdicts are held
    against, the states met or the quiet machine; "" for levels and dips.
    """
    every = product(states, arms, tuple(designs) or summary.designs, SIDES)
    tried = {
        (state, pair, design, side): (named.patience_name(state, pair), f"{design.name}_{rule}_{side}_{of}".rstrip("_"))
        for state, pair, design, side in every
    }
    (state, *_), share = summary.worst(tried, "patience_runs")
    return Worst(state, share)


def decided(
    summary: Summary, arms: str, rule: str, claim: str, designs: Iterable[Design] = (), states: Iterable[str] = ()
) -> Estimate:
    """Share of the runs of arms that are equal in the states met that decide a claim; over all of both by default."""
    every = product(tuple(states) or summary.parameters.states, tuple(designs) or summary.designs)
    counted = [(named.patience_name(state, arms), f"{each.name}_{rule}_{claim}_decided") for state, each in every]
    return summary.mean_share(counted, "patience_runs")


def luck(summary: Summary, session_sd: float, design: Design, count: str, of: str = "") -> Estimate:
    """Share of the runs whose sessions differ so much; of: a count of the design, by default all runs."""
    runs = f"{design.name}_{of}" if of else "luck_runs"
    return summary.share(named.luck_name(session_sd), f"{design.name}_{count}", runs)


def luck_design(summary: Summary) -> Design:
    """The design whose luck is shown: the fewest sessions of the most blocks."""
    return min(summary.designs, key=lambda each: (each.sessions, -each.blocks))


def hosts(summary: Summary, session_sd: float, split: tuple[int, int], ratio: float, count: str) -> Estimate:
    """Share of the runs on two kinds of hosts that lie apart, or are told apart."""
    place = summary.parameters.host_ratios.index(ratio)
    return summary.share(named.hosts_name(session_sd), f"{split_name(split, place)}_{count}", "hosts_runs")
