"""A run's counts over several sessions go in; how often verdicts are untrue, and how often there is one, come out.

A design is a number of sessions and of blocks in each. An error is the share of runs whose widened interval lies wholly
on one side of the truth: that of the verdicts that are untrue, where the truth stands at the edge of a claim. The worse
side counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from benchbook.experiments.calibration.arms import FEELING, design_name, luck_name, patience_name
from benchbook.experiments.calibration.simulation.luck import split_name
from benchbook.experiments.calibration.summary import Summary, proportion
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate

NEVER_QUIET = "level"
"""The state in which no session shows how fast the machine is when quiet."""
FOLLOWING = "follow"
"""The state in which sessions are not independent of each other, as on one date."""
ARMS = {name: f"1 : {felt:g}" for name, felt in FEELING.items()}
"""How pairs of arms are called: what baseline and changed arm feel of the machine."""
SIDES = ("above", "below")
NOTHING, SAME = "inside", "best"
"""Claims of arms that are equal: one of 14 % more, and one that a setting belongs to the best."""


@dataclass(frozen=True)
class Design:
    """So many sessions of so many blocks."""

    sessions: int
    blocks: int

    @property
    def name(self) -> str:
        """How its metrics begin."""
        return design_name(self.sessions, self.blocks)

    @property
    def words(self) -> str:
        """In a legend."""
        return f"{self.sessions} sessions of {self.blocks} blocks"


@dataclass(frozen=True)
class Error:
    """The largest share of untrue verdicts about one thing, and where it is met."""

    state: str
    design: Design
    share: Estimate


def designs(summary: Summary) -> list[Design]:
    """All that were simulated."""
    p = summary.parameters
    return [
        Design(sessions, blocks) for sessions in sorted(p.patience_sessions) for blocks in sorted(p.patience_blocks)
    ]


def luck_design(summary: Summary) -> Design:
    """The design whose luck is shown: the fewest sessions of the most blocks."""
    return min(designs(summary), key=lambda each: (each.sessions, -each.blocks))


def independent(summary: Summary) -> list[str]:
    """The states in which one session tells nothing of the next."""
    return [state for state in summary.parameters.states if state != FOLLOWING]


def following(summary: Summary) -> list[str]:
    """The state in which it does, where it was simulated."""
    return [state for state in summary.parameters.states if state == FOLLOWING]


def error(
    summary: Summary, arms: str, rule: str, of: str, states: Iterable[str], of_designs: Iterable[Design] = ()
) -> Error:
    """The largest error of a rule over states, designs (all where none is named) and sides.

    of: what verdicts are held against, the states met or the quiet machine. Raises NotEstimableError without states.
    """
    tried = [
        (state, design, side) for state in states for design in tuple(of_designs) or designs(summary) for side in SIDES
    ]
    if not tried:
        raise NotEstimableError("this run simulated no such sessions", "ask for them in states")
    state, design, side = max(
        tried, key=lambda e: summary.metrics[patience_name(e[0], arms)][f"{e[1].name}_{rule}_{e[2]}_{of}"]
    )
    name = f"{design.name}_{rule}_{side}_{of}"
    return Error(state, design, summary.share(patience_name(state, arms), name, "patience_runs"))


def standing_error(summary: Summary, kind: str) -> Estimate:
    """The largest error of levels or dips over everything that was simulated of independent sessions."""
    tried = [
        (patience_name(state, arms), f"{design.name}_{kind}_{side}")
        for state in independent(summary)
        for arms in FEELING
        for design in designs(summary)
        for side in SIDES
    ]
    cell, name = max(tried, key=lambda each: summary.metrics[each[0]][each[1]])
    return summary.share(cell, name, "patience_runs")


def decided(
    summary: Summary, arms: str, rule: str, claim: str, of_designs: Iterable[Design], states: Iterable[str] = ()
) -> Estimate:
    """Share of the runs of arms that are equal in the states met that decide a claim; over all states by default."""
    return _mean(summary, arms, [f"{design.name}_{rule}_{claim}_decided" for design in of_designs], states)


def covered(summary: Summary, arms: str, design: Design, states: Iterable[str] = ()) -> Estimate:
    """Share of the intervals that hold the mean over all sessions that the states can give."""
    return _mean(summary, arms, [f"{design.name}_covered"], states)


def width(summary: Summary, arms: str, name: str) -> float:
    """Mean over the states of a half-width or of w; on logs."""
    cells = _cells(summary, arms, ())
    return sum(summary.metrics[cell][name] for cell in cells) / len(cells)


def luck(summary: Summary, session_sd: float, design: Design, count: str, of: str = "") -> Estimate:
    """Share of the runs whose sessions differ so much; of: a count of the design, or of all runs."""
    runs = f"{design.name}_{of}" if of else "luck_runs"
    return summary.share(luck_name(session_sd), f"{design.name}_{count}", runs)


def hosts(summary: Summary, cell: str, split: tuple[int, int], ratio: float, count: str) -> Estimate:
    """Share of the runs on two kinds of hosts that lie apart, or are told apart."""
    place = summary.parameters.host_ratios.index(ratio)
    return summary.share(cell, f"{split_name(split, place)}_{count}", "hosts_runs")


def _mean(summary: Summary, arms: str, names: list[str], states: Iterable[str]) -> Estimate:
    """Mean of shares of the same runs; its interval counts each run once."""
    cells = _cells(summary, arms, states)
    runs = sum(summary.total(cell, "patience_runs") for cell in cells)
    found = sum(summary.total(cell, name) for cell in cells for name in names)
    return proportion(round(found / len(names)), runs)


def _cells(summary: Summary, arms: str, states: Iterable[str]) -> list[str]:
    return [patience_name(state, arms) for state in tuple(states) or summary.parameters.states]
