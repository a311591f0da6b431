"""Does throughput fall off a cliff as note 002 says, and what makes it fall: dirty data, the pool, checkpoints?"""

from benchbook.experiments.io_cliff import comparison_figures, timeline_figures
from benchbook.experiments.io_cliff.arms import plan
from benchbook.experiments.io_cliff.judgements import judge_claims as judge
from benchbook.experiments.io_cliff.learned import lesson
from benchbook.experiments.io_cliff.measure import needs, session
from benchbook.experiments.io_cliff.parameters import Parameters
from benchbook.experiments.io_cliff.prose import (
    answer,
    checkpoints,
    design,
    explanation,
    noise,
    note_timeline,
    one_and_the_same,
)
from benchbook.experiments.io_cliff.reduction import reduce
from benchbook.experiments.io_cliff.summary import Summary, overview, summarize
from benchbook.experiments.kinds import Kind
from benchbook.figures import Figure

NAME = "io_cliff"
TITLE = "The I/O cliff"
KIND = Kind.MEASUREMENT
ENGINE = "PostgreSQL"
MEASUREMENT_VERSION = 1

FIGURES = {
    "timelines": timeline_figures.timelines,
    "cliffs": comparison_figures.cliffs,
    "dirty": timeline_figures.dirty,
    "limits": comparison_figures.limits,
    "waits": comparison_figures.waits,
    "checkpoints": timeline_figures.checkpoints,
    "claims": comparison_figures.claimed,
}


def figures(summary: Summary) -> dict[str, Figure]:
    """All figures of the chapter by short name, in reading order."""
    return {name: draw(summary) for name, draw in FIGURES.items()}


__all__ = [
    "ENGINE",
    "KIND",
    "MEASUREMENT_VERSION",
    "NAME",
    "TITLE",
    "Parameters",
    "Summary",
    "answer",
    "checkpoints",
    "design",
    "explanation",
    "figures",
    "judge",
    "lesson",
    "needs",
    "noise",
    "note_timeline",
    "one_and_the_same",
    "overview",
    "plan",
    "reduce",
    "session",
    "summarize",
]
