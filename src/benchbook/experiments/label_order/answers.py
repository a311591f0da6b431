"""Both claims of the chapter: does the label that is run first differ from those run later?"""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.claims import Quantity
from benchbook.experiments.label_order.arms import FIRST_LABEL, SECOND_LABEL
from benchbook.experiments.label_order.summary import Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, custom
from benchbook.model import Estimate
from benchbook.statistics import Gate

FIRST = "fig-label-order-first"
AA = (SECOND_LABEL, FIRST_LABEL)


LEFT = "data that the run before left to be written"
"""By which a place in the order could act."""
LEAST_BYTES = 32 * 2**20
"""Less than this a disk of some hundred MB a second takes before the first burst begins."""


def nothing_carried_over(summary: Summary) -> str:
    """Why no label found anything of the one before it, or ""."""
    more = summary.carried_over()
    if more >= LEAST_BYTES:
        return ""
    return (
        f"a later label began with {more / 1e6:.1f} MB more waiting to be written than the first, where "
        f"{LEAST_BYTES / 1e6:.0f} MB are the least that a run could feel: Badger writes everything when it is closed"
    )


def _first_over_later(metric: str) -> Estimand:
    """Ratio of a latency of the label run first over that of the labels run later in the same block."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return summary.first_over_later(metric, confidence=confidence)

    return custom(compute, Quantity.COMPARISON, aa=metric, idle=nothing_carried_over)


ANSWERS = (
    Answer(
        "B008", _first_over_later("burst_mean_ns"), FIRST,
        said="the burst mean of 9.35 ms does not come from being run first",
        seen="the mean of a burst that is run first is {} times that of the same setting run later",
        lead=True, brief="run first, a burst takes {} times as long", cause=LEFT,
    ),
    Answer(
        "B010", _first_over_later("burst_p95_ns"), FIRST,
        said="the burst P95 of 34.48 ms does not come from being run first",
        seen="the P95 of a burst that is run first is {} times that of the same setting run later",
        cause=LEFT,
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """The probe timed what the store saved; trials began in the order of the plan."""
    return [*summary.counts_agree(), *summary.in_order()]
