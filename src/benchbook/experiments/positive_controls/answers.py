"""The chapter's claim: a CHECKPOINT flushes dirty pages, asked where nothing else touches them."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.claims import Quantity
from benchbook.experiments.positive_controls.arms import CHECKPOINT
from benchbook.experiments.positive_controls.summary import Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import custom
from benchbook.model import Estimate
from benchbook.statistics import Gate

COUNTERS, PAGES = "fig-controls-counters", "fig-controls-checkpoint"


def still_dirty(summary: Summary, confidence: float) -> Estimate:
    """Dirty pages after the CHECKPOINT over those before."""
    return summary.left("dirty", confidence=confidence)


def nothing_to_write(summary: Summary) -> str:
    """Why the CHECKPOINT had nothing to write; "" where dirty pages were there in every trial."""
    least = float(summary.values(CHECKPOINT, "dirty_pages_before").min())
    return "" if least >= 1 else "in some trial no page was dirty before the CHECKPOINT, so it wrote nothing"


ANSWERS = (
    Answer(
        "R095", custom(still_dirty, Quantity.COUNTER, CHECKPOINT, bounded=True, idle=nothing_to_write), PAGES,
        said="a CHECKPOINT flushes dirty pages", seen="{} % of them are still dirty after it", factor=100,
        cause="dirty pages",
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts, all data in the pool, and no autovacuum, which would dirty pages meanwhile."""
    return summary.gates()
