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


def _first_over_later(metric: str) -> Estimand:
    """Ratio of a latency of the label run first over that of the labels run later in the same block."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return summary.first_over_later(metric, confidence=confidence)

    return custom(compute, Quantity.COMPARISON, aa=metric)


ANSWERS = (
    Answer(
        "B008", _first_over_later("burst_mean_ns"), FIRST,
        said="the place in the order does not cause the 9.35 ms",
        seen="the mean of a burst that is run first is {} times that of the same setting run later",
        lead=True, brief="run first, a burst takes {} times as long",
    ),
    Answer(
        "B010", _first_over_later("burst_p95_ns"), FIRST,
        said="the place in the order does not cause the P95 of 34.48 ms",
        seen="the P95 of a burst that is run first is {} times that of the same setting run later",
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """The probe timed what the store saved; trials began in the order of the plan."""
    return [*summary.counts_agree(), *summary.in_order()]
