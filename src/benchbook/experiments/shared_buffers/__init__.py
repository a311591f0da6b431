"""Does a larger buffer pool make PostgreSQL faster, and how large is too large?"""

from benchbook.experiments.shared_buffers import course_figures, memory_figures, pool_figures
from benchbook.experiments.shared_buffers.arms import plan
from benchbook.experiments.shared_buffers.judgements import judge_claims as judge
from benchbook.experiments.shared_buffers.learned import lesson
from benchbook.experiments.shared_buffers.measure import needs, session
from benchbook.experiments.shared_buffers.parameters import Parameters
from benchbook.experiments.shared_buffers.prose import (
    answer,
    by_hand,
    caches,
    design,
    dips,
    noise,
    note_claims,
    one_and_the_same,
)
from benchbook.experiments.shared_buffers.reduction import reduce
from benchbook.experiments.shared_buffers.summary import Summary, overview, summarize
from benchbook.figures import Figure

NAME = "shared_buffers"
TITLE = "How large a buffer pool"
ENGINE = "PostgreSQL"
MEASUREMENT_VERSION = 1

FIGURES = {
    "timelines": course_figures.timelines,
    "claims": course_figures.claimed,
    "pools": pool_figures.pools,
    "latency": pool_figures.latency,
    "cliff": pool_figures.cliff,
    "tiers": memory_figures.tiers,
    "share_of_ram": memory_figures.share_of_ram,
    "checkpoint": memory_figures.checkpoint,
    "sizes": course_figures.sizes,
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
    "by_hand",
    "caches",
    "design",
    "dips",
    "figures",
    "judge",
    "lesson",
    "needs",
    "noise",
    "note_claims",
    "one_and_the_same",
    "overview",
    "plan",
    "reduce",
    "session",
    "summarize",
]
