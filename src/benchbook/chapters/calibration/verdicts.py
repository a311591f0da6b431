"""Untrue and decided verdicts of simulated runs, by how they are visited and looked at, and where they are worst."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

from benchbook.chapters.calibration.arms import FEELING, PROCESSORS, luck_name, visits_name
from benchbook.chapters.calibration.shares import Counted, Design, Summary, Worst
from benchbook.chapters.calibration.simulation.visits import AGAIN, EARLY, PLAIN, SIDES, STRATEGIES
from benchbook.model import Estimate

CLAIMS = {
    "greater": "“greater than 1”, margin 5 %",
    "less": "“less than 1”, margin 5 %",
    "inside": "“1.14”, region 1.07 to 1.30",
    "no_difference": "“no difference”, margin 5 %",
    "best": "“belongs to the best setting”",
}
"""Claims on the ratio of two arms, by their rule."""
VISITS = {
    "1x6": "1 visit of 6 blocks",
    "1x10": "1 visit of 10 blocks",
    "2x4": "2 visits of 4 blocks",
    "3x3": "3 visits of 3 blocks",
    "4x3": "4 visits of 3 blocks",
    "6x2": "6 visits of 2 blocks",
    "8_2": "2 visits, of 8 and of 2 blocks",
    EARLY: "1 visit of 8 blocks, then 2 blocks in a second if it is open",
    AGAIN: "2 to 6 visits of 4 blocks, until decided, later looks at 99 %",
    PLAIN: "2 to 6 visits of 4 blocks, until decided, all looks at 95 %",
}
"""How tables call each way of visiting and looking."""
GROUPS = {
    "one": ("1x6", "1x10"), "few": ("2x4", "3x3"), "many": ("4x3", "6x2"), "uneven": ("8_2", EARLY),
    "even": ("1x6", "1x10", "2x4", "3x3", "4x3", "6x2"), "again": (AGAIN,), "plain": (PLAIN,),
}  # fmt: skip
RULE = tuple(each for each in STRATEGIES if each != PLAIN)
"""What the book's rule allows."""
LARGE = 3.0
"""Ratios above it are told apart: the rule bounds by how much a visit may move them."""
FELT = {"alike": "arms alike", "far": "unequal arms"}
MODELS = {"one": "one processor model", "two": "two processor models"}
FOUND = "found"


class Case(NamedTuple):
    """One machine under one way of visiting, the edge of a claim, and what is counted: a side of it or "found"."""

    strategy: str
    move: float
    block_sd: float
    arms: str
    processors: str
    edge: float
    what: str

    @property
    def words(self) -> str:
        """Where it is: the visits, the noise, the arms, the processors and the edge."""
        return (
            f"{VISITS[self.strategy]}, blocks spread by {100 * self.block_sd:g} %, {FELT[self.arms]}, "
            f"{MODELS[self.processors]}, edge at {self.edge:g}"
        )

    @property
    def counted(self) -> Counted:
        """Where its count stands in a run."""
        cell = visits_name(self.move, self.block_sd, self.arms, self.processors)
        return cell, f"{self.strategy}_{self.edge:g}_{self.what}".replace(".", "_")


def cases(summary: Summary, counts: Iterable[str], **only: Iterable[Any]) -> Iterator[Case]:
    """Every case. only: some strategies, moves, block_sds, arms, processors, edges; else all of the rule."""
    p = summary.parameters
    every: dict[str, Iterable[Any]] = {
        "strategies": RULE, "moves": p.visit_moves, "block_sds": p.block_sds, "arms": FEELING,
        "processors": PROCESSORS, "edges": p.edge_ratios,
    }  # fmt: skip
    return (Case(*each) for each in product(*(every | only).values(), counts))


def untrue(summary: Summary, **only: Iterable[Any]) -> Worst[Case]:
    """The case with the largest share of untrue verdicts on one side of the edge, and that share."""
    return summary.worst({each: each.counted for each in cases(summary, SIDES, **only)}, "visits_runs")


def mean_untrue(summary: Summary, strategy: str) -> Estimate:
    """Mean share of untrue verdicts on one side of the edge, over all machines, edges and both sides."""
    every = cases(summary, SIDES, strategies=[strategy])
    return summary.mean_share([each.counted for each in every], "visits_runs")


def found(summary: Summary, strategy: str, **only: Iterable[Any]) -> Estimate:
    """Mean share of the runs that decide where the truth lies 0.10 from the edge."""
    every = cases(summary, [FOUND], strategies=[strategy], **only)
    return summary.mean_share([each.counted for each in every], "visits_runs")


def no_effect(summary: Summary, design: str, block_sds: Iterable[float] = ()) -> Estimate:
    """Mean share of runs of equal arms that are found to be the same within 5 %."""
    p = summary.parameters
    every = product(p.visit_moves, tuple(block_sds) or p.block_sds, ["alike"], ["one"])
    return summary.mean_share([(visits_name(*each), f"{design}_no_effect") for each in every], "visits_runs")


def edges(summary: Summary, *, large: bool) -> list[float]:
    """Those edges of claims that are ratios above 3, or the others."""
    return [edge for edge in summary.parameters.edge_ratios if (edge > LARGE) == large]


def level(summary: Summary, design: str, level_sd: float, of: str) -> Estimate:
    """Share of verdicts on a level that are untrue on the worse side, where visits differ so much."""
    counts = {side: (luck_name(level_sd), f"level_{design}_{of}_{side}") for side in SIDES}
    return summary.worst(counts, "luck_runs").share


def luck(summary: Summary, visit_sd: float, design: Design, count: str, of: str = "") -> Estimate:
    """Share of the runs whose visits differ so much; of: a count of the design, by default all runs."""
    runs = f"{design.name}_{of}" if of else "luck_runs"
    return summary.share(luck_name(visit_sd), f"{design.name}_{count}", runs)


def luck_design(summary: Summary) -> Design:
    """The design whose luck is shown: the fewest visits of the most blocks."""
    return min(summary.designs, key=lambda each: (each.visits, -each.blocks))
