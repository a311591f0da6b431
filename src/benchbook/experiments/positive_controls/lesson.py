"""What the chapter teaches: a setting helps only what asks for it."""

from __future__ import annotations

from benchbook.experiments.positive_controls.answers import COUNTERS
from benchbook.experiments.positive_controls.arms import ENCRYPTED, PLAIN, SUMS, TPCB
from benchbook.experiments.positive_controls.prose import asked_for, launched, size_matters
from benchbook.experiments.positive_controls.summary import Summary
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.summary import NotEstimableError


def title(summary: Summary) -> str:
    """That neither setting can act where the notes used it, where this run shows it."""
    idle = summary.total(TPCB, "parallel_workers") + summary.total((PLAIN,), "index_cache_lookups")
    acts = min(summary.least(SUMS, "parallel_workers"), summary.least(ENCRYPTED, "index_cache_lookups"))
    if idle or not acts:
        raise NotEstimableError("the counters did not set the workloads apart", "look at the figure")
    return (
        "Two of the notes' settings cannot act: TPC-B starts no parallel worker, and an unencrypted Badger store never "
        "asks its index cache"
    )


LESSON = Teaching(
    title,
    figure=COUNTERS,
    claimed="Note 002 allowed PostgreSQL 32 workers instead of 8, note 001 gave Badger's index cache 1,024 MB, and "
    "both credit the change with a gain. Note 003 says that a CHECKPOINT flushes dirty buffers.",
    advice="Before you tune a setting, find the counter that shows it at work, and look at it under your own workload. "
    "If it stays at 0 there and moves in a case where it must, no value of the setting can help you.",
    numbers=(launched, asked_for, "R095"),
    besides=(launched, asked_for, size_matters),
)
