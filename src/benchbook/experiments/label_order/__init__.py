"""Does a label change the latency of a store, or does its place in the sequence?"""

from benchbook.experiments.cache_sizing.reduction import reduce
from benchbook.experiments.label_order import latency_figures, ratio_figures
from benchbook.experiments.label_order.arms import plan
from benchbook.experiments.label_order.judgements import judge_claims as judge
from benchbook.experiments.label_order.learned import lesson
from benchbook.experiments.label_order.measure import needs, session
from benchbook.experiments.label_order.pairs import chances
from benchbook.experiments.label_order.parameters import Parameters
from benchbook.experiments.label_order.prose import answer, by_chance, design, note_claims, queue
from benchbook.experiments.label_order.summary import Summary, overview, summarize
from benchbook.figures import Figure

NAME = "label_order"
TITLE = "Label and order"
ENGINE = "Badger"
MEASUREMENT_VERSION = 1

FIGURES = {
    "places": latency_figures.by_place,
    "first": ratio_figures.first,
    "labels": latency_figures.by_label,
    "pairs": ratio_figures.apart,
}


def figures(summary: Summary) -> dict[str, Figure]:
    """All figures of the chapter by short name, in reading order."""
    return {name: draw(summary) for name, draw in FIGURES.items()}


__all__ = [
    "ENGINE",
    "MEASUREMENT_VERSION",
    "NAME",
    "TITLE",
    "Parameters",
    "Summary",
    "answer",
    "by_chance",
    "chances",
    "design",
    "figures",
    "judge",
    "lesson",
    "needs",
    "note_claims",
    "overview",
    "plan",
    "queue",
    "reduce",
    "session",
    "summarize",
]
