"""What stands beside the cliff that a larger pool removes: a pool of 80 %, and storage without a cap."""

from __future__ import annotations

from benchbook.experiments.io_cliff.arms import A_80, A_FREE, B
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.telling import told


def beside(summary: Summary) -> str:
    """In how many trials a pool of 80 % and the small one without a cap fall, and what a pool of 100 % then gives."""

    def stated() -> str:
        return (
            f"with a pool of 80 %, which the note states, {_fell(summary, A_80)} fall, and one of 100 % gives "
            f"{number(summary.gain(B, A_80))} times the throughput"
        )

    return "; ".join(
        told(
            stated,
            lambda: f"with one of 20 % and no cap {_fell(summary, A_FREE)} fall",
            "how deep they fall follows from the cap, which we set in the note's proportion of writes to transactions",
        )
    )


def _fell(summary: Summary, arm: str) -> str:
    found, of = summary.cliffs(arm)
    return f"{found} of {of} trials"


def other_pools(summary: Summary) -> str:
    """The same at the beginning of a verdict's reason."""
    clauses = beside(summary)
    return f"{clauses[:1].upper()}{clauses[1:]}; with a pool of 20 % under the cap, of the blocks in which it falls"
