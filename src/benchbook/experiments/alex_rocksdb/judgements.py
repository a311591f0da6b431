"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchbook import statistics
from benchbook.claims import Claim
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
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.judging import Evidence, verdicts
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

BREAKDOWN, REMOVED, SCALE = "fig-alex-breakdown", "fig-alex-left-out", "fig-alex-scale"
CLAIMED, ALONE = "fig-alex-claims", "fig-alex-alone"


@dataclass(frozen=True)
class Estimand:
    """How a claim's number is computed.

    arms: whose rows must lie where the configuration put them. aa: whether the A/A pair must agree; a spread between
    processes is what that pair itself is made of.
    """

    compute: Callable[[Summary, float], Estimate]
    arms: frozenset[str]
    figure_id: str
    aa: bool = True


def _share(arm: str, metric: str, figure_id: str = BREAKDOWN) -> Estimand:
    """Share of the mean time of a query within its own trials."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return summary.share(arm, metric, confidence=confidence)

    return Estimand(compute, frozenset({arm}), figure_id)


def _ratio(top: tuple[str, str], bottom: tuple[str, str], figure_id: str = CLAIMED) -> Estimand:
    """Ratio of two (configuration, metric), paired within blocks."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return summary.ratio(top, bottom, confidence=confidence)

    return Estimand(compute, frozenset({top[0], bottom[0]}), figure_id)


def _removed(arm: str) -> Estimand:
    """Share of a query's time that disappears when a part is left out."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return growth.removed(summary, arm, confidence)

    return Estimand(compute, frozenset({arm, LOOP}), REMOVED)


def _isolated_over_engine(summary: Summary, confidence: float) -> Estimate:
    alone = grown("note_levels", summary.parameters.rows), "mean_ns"
    return summary.ratio(alone, (TOOL, "engine_mean_ns"), confidence=confidence)


def _at_both_ends(compute: Callable[[Summary, float], Estimate]) -> Estimand:
    """Growth of the parts; the state of the smaller store is asked about when the verdict is made."""
    return Estimand(compute, frozenset({PARTS, SMALL}), SCALE)


SMALL = "parts at small_rows"
"""Stands for the configuration whose name depends on the parameters."""
ESTIMANDS: dict[str, Estimand] = {
    "O003": _share(PARTS, "engine_net_share"),
    "O004": _share(PARTS, "index_net_share"),
    "O005": _at_both_ends(growth.engine_share_of_growth),
    "O006": _share(POINT_PARTS, "rest_net_share"),
    "O009": _ratio((TOOL_UNIFORM, "query_mean_ns"), (TOOL, "query_mean_ns")),
    "O010": _share(TOOL, "index_share"),
    "O011": _share(TOOL, "engine_share"),
    "O012": _share(TOOL, "rest_share"),
    "O013": _ratio((PARTS, "query_mean_ns"), (POINT, "mean_ns")),
    "O032": Estimand(_isolated_over_engine, frozenset({TOOL}), CLAIMED),
    "O033": _ratio((TOOL, "index_mean_ns"), (TOOL, "engine_mean_ns")),
    "O034": _ratio((PARTS, "index_net_ns"), (FLAT_ALONE, "index_net_ns")),
    "O036": _at_both_ends(growth.index_against_engine),
    "O065": Estimand(growth.between_processes, frozenset({LOOP, AGAIN}), CLAIMED, aa=False),
    "O070": _ratio((PARTS, "engine_net_ns"), (PARTS, "index_net_ns")),
    "O071": Estimand(growth.note_tree_against_btree, frozenset(), ALONE),
    "O084": _removed(NO_ENGINE),
    "O085": _removed(NO_INDEX),
    "O098": _ratio((TOOL, "query_mean_ns"), (TOOL_WHOLE, "mean_ns")),
    "O103": _ratio((BTREE_FIRST, "mean_ns"), (LOOP, "mean_ns"), REMOVED),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger.

The diagnostic program's shares hold its clock, as the note's do. ``net`` is less what reading the clock costs: the
claims about the engine's own query ask for a query that nobody times from within.
"""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    consistent = summary.consistency_gates()

    def evidence(claim: Claim) -> Evidence:
        estimand = ESTIMANDS[claim.id]
        return Evidence(
            compute=partial(estimand.compute, summary),
            gates=lambda: [
                *consistent,
                *summary.state_gates(_named(summary, estimand.arms)),
                *_aa_gates(summary, estimand),
            ],
            figure_id=estimand.figure_id,
        )

    return verdicts("alex_rocksdb", evidence)


def _named(summary: Summary, arms: frozenset[str]) -> frozenset[str]:
    small = sized(summary.parameters, summary.parameters.small_rows)
    return frozenset(small if arm == SMALL else arm for arm in arms)


def _aa_gates(summary: Summary, estimand: Estimand) -> list[Gate]:
    if not estimand.aa:
        return []
    return [statistics.aa_gate(summary.ratio((AGAIN, "mean_ns"), (LOOP, "mean_ns")))]
