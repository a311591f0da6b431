"""Every claim of the chapter: recomputed from data/notes, and its verdict."""

from __future__ import annotations

from benchbook.experiments import recomputed
from benchbook.experiments.notes_reanalysis import badger, feature_serving, learned_index, pgbench_large, pgbench_small
from benchbook.experiments.recomputed import Estimand
from benchbook.model import Verdict

ESTIMANDS: dict[str, Estimand] = {
    **feature_serving.ESTIMANDS,
    **badger.ESTIMANDS,
    **pgbench_large.ESTIMANDS,
    **pgbench_small.ESTIMANDS,
    **learned_index.ESTIMANDS,
}
"""One per claim that the notes or their repositories decide."""

OPEN = {
    "C001": "the vendor's specification of the instance type was not consulted",
    "C084": "what the image sets by itself is not on record; the report of run 1 shows 10 and 5 before its own "
    "commands, which says what was in force and not who had set it",
    "O083": "the file right before the change was not at hand; `git diff --numstat cdfd1ff 8e8670d -- "
    "src/rocks_storage.rs` in that repository decides it",
}
"""Claims that stay open, and what would close them."""


def judge_claims() -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return recomputed.verdicts("notes_reanalysis", ESTIMANDS, OPEN)
