"""A run's counts over several sessions go in; how often their interval holds and decides, by design and arms, come out.

A design is a number of sessions and of blocks in each, and how the canary's quiet level is found. Shares are over all
states of the machine, or of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchbook.experiments.calibration.arms import ALIKE, KNOWN, LEVELS, UNEQUAL, design_name, patience_name
from benchbook.experiments.calibration.simulation.decisions import ruled
from benchbook.experiments.calibration.simulation.rulings import COMPARISONS
from benchbook.experiments.calibration.summary import Summary, proportion
from benchbook.model import Estimate

NEVER_QUIET = "level"
"""The state in which no session shows how fast the machine is when quiet."""
ARMS = {ALIKE: "arms that feel the machine alike", UNEQUAL: "arms that feel it unequally"}
COVERED, QUIET, BLOCKS = "covered", "quiet_covered", "blocks_covered"
"""Counts of runs: whose interval holds the mean over all sessions; which holds the quiet machine once widened by w;
whose interval over blocks, as if they were independent, holds the mean over all sessions."""


@dataclass(frozen=True)
class Design:
    """So many sessions of so many blocks, measured with one kind of arms."""

    sessions: int
    blocks: int
    arms: str
    level: str = KNOWN

    @property
    def name(self) -> str:
        """How its metrics begin."""
        return design_name(self.sessions, self.blocks, self.level)


def of_levels(summary: Summary) -> list[Design]:
    """Those of fewest sessions, by how the quiet level is found."""
    p = summary.parameters
    sessions = min(p.patience_sessions)
    return [
        Design(sessions, each, arms, level) for arms in ARMS for each in sorted(p.patience_blocks) for level in LEVELS
    ]


def designs(summary: Summary) -> list[Design]:
    """All that were simulated with the quiet level known."""
    p = summary.parameters
    return [
        Design(sessions, blocks, arms)
        for arms in ARMS
        for blocks in sorted(p.patience_blocks)
        for sessions in sorted(p.patience_sessions)
    ]


def share(summary: Summary, design: Design, count: str, states: Iterable[str] = ()) -> Estimate:
    """Share of the runs that a count says; over all states where none is named."""
    cells = _cells(summary, design, states)
    return proportion(
        sum(summary.total(cell, f"{design.name}_{count}") for cell in cells),
        sum(summary.total(cell, "patience_runs") for cell in cells),
    )


def ruling(
    summary: Summary, design: Design, count: str, claims: Iterable[str] = COMPARISONS, states: Iterable[str] = ()
) -> Estimate:
    """Mean share of decided or false verdicts over claims and true ratios; its interval counts each run once."""
    cells, names = _cells(summary, design, states), _names(summary, design, claims)
    runs = sum(summary.total(cell, "patience_runs") for cell in cells)
    found = sum(summary.metrics[cell][f"{name}_{count}"] for cell in cells for name in names) * summary.run.blocks
    return proportion(round(found / len(names)), runs)


def worst_ruling(
    summary: Summary, design: Design, count: str, claims: Iterable[str] = COMPARISONS, states: Iterable[str] = ()
) -> tuple[str, Estimate]:
    """The state with the claim and true ratio that have the largest share, and that share.

    states: to choose from; all where none is named.
    """
    names = _names(summary, design, claims)
    state, name = max(
        ((state, name) for state in tuple(states) or summary.parameters.states for name in names),
        key=lambda each: summary.metrics[patience_name(each[0], design.arms)][f"{each[1]}_{count}"],
    )
    cell = patience_name(state, design.arms)
    return state, proportion(summary.total(cell, f"{name}_{count}"), summary.total(cell, "patience_runs"))


def lowest(
    summary: Summary, ask: Callable[..., Estimate], design: Design, count: str, states: Iterable[str] = ()
) -> tuple[str, Estimate]:
    """The state in which a share is the lowest, and that share. states: to choose from; all where none is named."""
    found = {state: ask(summary, design, count, states=[state]) for state in states or summary.parameters.states}
    return min(found.items(), key=lambda each: each[1].point)


def sometimes_quiet(summary: Summary) -> list[str]:
    """The states that show how fast the machine is when quiet, sooner or later."""
    return [state for state in summary.parameters.states if state != NEVER_QUIET]


def width(summary: Summary, design: Design, what: str) -> float:
    """Mean over the states of the half-width of the interval, or of w; on logs."""
    cells = _cells(summary, design, ())
    return sum(summary.metrics[cell][f"{design.name}_{what}"] for cell in cells) / len(cells)


def _cells(summary: Summary, design: Design, states: Iterable[str]) -> list[str]:
    return [patience_name(state, design.arms) for state in tuple(states) or summary.parameters.states]


def _names(summary: Summary, design: Design, claims: Iterable[str]) -> list[str]:
    return [ruled(design.name, claim, ratio) for claim in claims for ratio in summary.parameters.state_ratios]
