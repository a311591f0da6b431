"""Every claim of the chapter: its estimand computed from the stored trials, and its verdict."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook import statistics
from benchbook.claims import Claim, Quantity
from benchbook.experiments.judging import Estimand, Judging
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.sqlite_fairness.arms import ONE_WRITE, at, note, note_again
from benchbook.experiments.sqlite_fairness.summary import COUNTED, Summary, summarize
from benchbook.experiments.sqlite_fairness.uses import AFTER, AS_RUN, ONCE, UNSYNCED
from benchbook.model import Estimate, Verdict
from benchbook.statistics import Gate

SPEEDUP, LADDER, TAILS = "fig-sqlite-fairness-speedup", "fig-sqlite-fairness-settings", "fig-sqlite-fairness-tails"
INSERTS, DURABILITY = "fig-sqlite-fairness-inserts", "fig-sqlite-fairness-durability"
CLAIMED = "fig-sqlite-fairness-claims"
TIME = "query_mean_ns"
CLAIMED_SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
CLAIMED_ROWS = CLAIMED_SIZES[-1]


Mine = Estimand[Summary]


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


ESTIMANDS: dict[str, Mine] = {
    "O015": Estimand(_preparing, Quantity.COMPARISON, CLAIMED, metric=TIME),
    "O078": Estimand(_prepared_once, Quantity.COMPARISON, SPEEDUP, metric=TIME),
    "O094": Estimand(_all_recovered, Quantity.COUNTER, DURABILITY, working=_recovered_words),
}
"""One per claim that is testable here; the contract tests compare the keys with the ledger."""


def judge_claims(summary: Summary) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return Judging("sqlite_fairness", summarize, ESTIMANDS, _gates, device=False).verdicts(summary)


def _gates(summary: Summary, claim: Claim, estimand: Mine) -> Iterable[Gate]:
    """Of times every check and the A/A pair; of what a kill left only what was counted."""
    gates = summary.consistency_gates()
    if estimand.metric is None:
        return [gate for gate in gates if gate.name == COUNTED]
    p = summary.parameters
    return [*gates, summary.aa_gate(note_again(p), note(ONCE, p.largest), estimand.metric)]
