"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchbook.claims import Claim, Quantity
from benchbook.experiments.alex_rocksdb import growth
from benchbook.experiments.alex_rocksdb.arms import (
    AGAIN,
    BTREE_FIRST,
    FLAT_ALONE,
    LOOP,
    NO_ENGINE,
    NO_INDEX,
    PARTS,
    POINT,
    POINT_PARTS,
    TOOL,
    TOOL_UNIFORM,
    TOOL_WHOLE,
    grown,
    sized,
)
from benchbook.experiments.alex_rocksdb.summary import PROCESSES, Summary, summarize
from benchbook.experiments.judging import Estimand, Judging
from benchbook.figures import with_interval
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

BREAKDOWN, REMOVED, SCALE = "fig-alex-breakdown", "fig-alex-left-out", "fig-alex-scale"
CLAIMED, ALONE = "fig-alex-claims", "fig-alex-alone"


TIME = "mean_ns"
"""Of the baseline's two labels: the parts of a query are timed in configurations that have no second label."""
SMALL = "parts at small_rows"
"""Stands for the configuration whose name depends on the parameters."""
Mine = Estimand[Summary]


def _share(arm: str, metric: str, net: str = "") -> Mine:
    """Share of the mean time of a query within its own trials. net: the same less what reading the clock costs."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return summary.share(arm, metric, confidence=confidence)

    def beside(summary: Summary) -> str:
        return _without_clock(summary.share(arm, net))

    return Estimand(compute, Quantity.PARTS, BREAKDOWN, frozenset({arm}), TIME, working=beside if net else None)


def _ratio(top: tuple[str, str], bottom: tuple[str, str], figure_id: str = CLAIMED, net: bool = False) -> Mine:
    """Ratio of two (configuration, metric), paired within blocks. net: whether it is also told without the clock."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return summary.ratio(top, bottom, confidence=confidence)

    def beside(summary: Summary) -> str:
        above, below = ((arm, metric.replace("_mean_ns", "_net_ns")) for arm, metric in (top, bottom))
        return _without_clock(summary.ratio(above, below))

    kind = Quantity.PARTS if top[0] == bottom[0] else Quantity.COMPARISON
    return Estimand(compute, kind, figure_id, frozenset({top[0], bottom[0]}), TIME, working=beside if net else None)


def _without_clock(estimate: Estimate) -> str:
    return f"Less what reading the clock costs it would be {with_interval(estimate)}; as registered"


def _removed(arm: str) -> Mine:
    """Share of a query's time that disappears when a part is left out."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return growth.removed(summary, arm, confidence)

    return Estimand(compute, Quantity.COMPARISON, REMOVED, frozenset({arm, LOOP}), TIME)


def _isolated_over_engine(summary: Summary, confidence: float) -> Estimate:
    alone = grown("note_levels", summary.parameters.rows), "mean_ns"
    return summary.ratio(alone, (TOOL, "engine_mean_ns"), confidence=confidence)


def _at_both_ends(
    compute: Callable[[Summary, float], Estimate], working: Callable[[Summary], str] | None = None
) -> Mine:
    """Growth of the parts; the state of the smaller store is asked about when the verdict is made."""
    return Estimand(compute, Quantity.COMPARISON, SCALE, frozenset({PARTS, SMALL}), TIME, working=working)


def _growth_net(summary: Summary) -> str:
    return _without_clock(growth.index_against_engine(summary, 0.95, "net"))


def _too_few_processes(summary: Summary) -> str:
    """Two trials of a block share its moment, so that each block has one process."""
    return "" if summary.run.blocks >= PROCESSES else f"{summary.run.blocks} processes where it names {PROCESSES}"


ESTIMANDS: dict[str, Mine] = {
    "O003": _share(PARTS, "engine_share", "engine_net_share"),
    "O004": _share(PARTS, "index_share", "index_net_share"),
    "O005": _at_both_ends(growth.engine_share_of_growth),
    "O006": _share(POINT_PARTS, "rest_share", "rest_net_share"),
    "O009": _ratio((TOOL_UNIFORM, "query_mean_ns"), (TOOL, "query_mean_ns")),
    "O010": _share(TOOL, "index_share"),
    "O011": _share(TOOL, "engine_share"),
    "O012": _share(TOOL, "rest_share"),
    "O013": _ratio((PARTS, "query_mean_ns"), (POINT, "mean_ns")),
    "O032": Estimand(_isolated_over_engine, Quantity.COMPARISON, CLAIMED, frozenset({TOOL}), TIME),
    "O033": _ratio((TOOL, "index_mean_ns"), (TOOL, "engine_mean_ns")),
    "O034": _ratio((PARTS, "index_mean_ns"), (FLAT_ALONE, "index_mean_ns"), net=True),
    "O036": _at_both_ends(growth.index_against_engine, _growth_net),
    "O065": Estimand(
        growth.between_processes, Quantity.DISPERSION, CLAIMED, frozenset({LOOP}), departs=_too_few_processes
    ),
    "O070": _ratio((PARTS, "engine_mean_ns"), (PARTS, "index_mean_ns"), net=True),
    "O071": Estimand(growth.note_tree_against_btree, Quantity.COMPARISON, ALONE, metric=TIME),
    "O084": _removed(NO_ENGINE),
    "O085": _removed(NO_INDEX),
    "O098": _ratio((TOOL, "query_mean_ns"), (TOOL_WHOLE, "mean_ns")),
    "O103": _ratio((BTREE_FIRST, "mean_ns"), (LOOP, "mean_ns"), REMOVED),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger.

Times and shares hold what reading the clock costs, as the note's do and as the claims were registered; the numbers
without it stand beside the verdicts.
"""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return Judging("alex_rocksdb", summarize, ESTIMANDS, _gates, device=False).verdicts(summary)


def _gates(summary: Summary, claim: Claim, estimand: Mine) -> Iterable[Gate]:
    """Every answer checked, every store as named, and the baseline equal to itself."""
    paired = [summary.aa_gate(AGAIN, LOOP, estimand.metric)] if estimand.metric else []
    return [*summary.consistency_gates(), *summary.state_gates(_named(summary, estimand.arms)), *paired]


def _named(summary: Summary, arms: frozenset[str]) -> frozenset[str]:
    small = sized(summary.parameters, summary.parameters.small_rows)
    return frozenset(small if arm == SMALL else arm for arm in arms)
