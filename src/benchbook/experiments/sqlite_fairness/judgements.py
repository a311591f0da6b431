"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchbook import statistics
from benchbook.claims import Claim
from benchbook.experiments.environment import canary_gates
from benchbook.experiments.judging import Evidence, verdicts
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.sqlite_fairness.arms import ONE_WRITE, at, note, note_again
from benchbook.experiments.sqlite_fairness.summary import COUNTED, Summary
from benchbook.experiments.sqlite_fairness.uses import AFTER, AS_RUN, ONCE, UNSYNCED
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

SPEEDUP, LADDER, TAILS = "fig-sqlite-fairness-speedup", "fig-sqlite-fairness-settings", "fig-sqlite-fairness-tails"
INSERTS, DURABILITY = "fig-sqlite-fairness-inserts", "fig-sqlite-fairness-durability"
CLAIMED = "fig-sqlite-fairness-claims"
CLAIMED_SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
CLAIMED_ROWS = CLAIMED_SIZES[-1]


@dataclass(frozen=True)
class Estimand:
    """How a claim's number is computed. figure_id: where it shows. timed: whether the A/A arm must agree.

    working: how a number was counted, for the verdict's reason.
    """

    compute: Callable[[Summary, float], Estimate]
    figure_id: str
    timed: bool = True
    working: Callable[[Summary], str] | None = None


def _preparing(summary: Summary, confidence: float) -> Estimate:
    """SQLite's mean look-up when each is prepared, over that of a statement that is prepared once."""
    return summary.ratio(note(AS_RUN, CLAIMED_ROWS), note(ONCE, CLAIMED_ROWS), confidence=confidence)


def speedup_over_sizes(summary: Summary, use: str, confidence: float = 0.95) -> Estimate:
    """Geometric mean over the claimed sizes of SQLite's mean look-up in one use over the note's engine's after."""
    sqlite, omendb = (
        np.exp(np.mean([np.log(summary.values(note(each, rows), "query_mean_ns")) for rows in CLAIMED_SIZES], axis=0))
        for each in (use, AFTER)
    )
    return statistics.ratio(sqlite, omendb, confidence=confidence)


def _prepared_once(summary: Summary, confidence: float) -> Estimate:
    return speedup_over_sizes(summary, ONCE, confidence)


def _all_recovered(summary: Summary, confidence: float) -> Estimate:
    """1 when every acknowledged row was found in every trial of the insert path as run; else 0."""
    acknowledged, recovered = _counts(summary)
    if acknowledged.min() < 1:
        raise NotEstimableError("no row was acknowledged before the kill", "raise one_write_rows")
    return statistics.exact(float((recovered == acknowledged).all()))


def _recovered_words(summary: Summary) -> str:
    acknowledged, recovered = _counts(summary)
    whole = int((recovered == acknowledged).sum())
    syncs = summary.values(at(ONE_WRITE, UNSYNCED), "write_syncs_per_commit").mean()
    return (
        f"{recovered.sum():,.0f} of {acknowledged.sum():,.0f} acknowledged rows were found after kill -9, all of them "
        f"in {whole} of {len(recovered)} trials, with {syncs:.1f} syncs a batch"
    )


def _counts(summary: Summary) -> tuple[np.ndarray, np.ndarray]:
    arm = at(ONE_WRITE, UNSYNCED)
    return summary.values(arm, "acknowledged_rows"), summary.values(arm, "recovered_rows")


ESTIMANDS: dict[str, Estimand] = {
    "O015": Estimand(_preparing, CLAIMED),
    "O078": Estimand(_prepared_once, SPEEDUP),
    "O094": Estimand(_all_recovered, DURABILITY, False, _recovered_words),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    consistent = summary.consistency_gates()
    counted = [gate for gate in consistent if gate.name == COUNTED]

    def evidence(claim: Claim) -> Evidence:
        estimand = ESTIMANDS[claim.id]
        return Evidence(
            compute=partial(estimand.compute, summary),
            gates=lambda: [*consistent, *_aa_gates(summary)] if estimand.timed else counted,
            figure_id=estimand.figure_id,
            working=partial(estimand.working, summary) if estimand.working else None,
        )

    return verdicts("sqlite_fairness", evidence)


def _aa_gates(summary: Summary) -> list[Gate]:
    p = summary.parameters
    return [statistics.aa_gate(summary.ratio(note_again(p), note(ONCE, p.largest))), *canary_gates(summary.run)]
