"""Was Badger's block cache too small, or could no size have helped?"""

from benchbook.experiments.cache_sizing import cache_figures, latency_figures, memory_figures, size_figures
from benchbook.experiments.cache_sizing.arms import plan
from benchbook.experiments.cache_sizing.judgements import judge_claims as judge
from benchbook.experiments.cache_sizing.learned import lesson
from benchbook.experiments.cache_sizing.measure import needs, session
from benchbook.experiments.cache_sizing.parameters import Parameters
from benchbook.experiments.cache_sizing.prose import (
    advice,
    answer,
    design,
    evictions,
    index_cache,
    latency,
    note_claims,
    reads,
    residents,
)
from benchbook.experiments.cache_sizing.reduction import reduce
from benchbook.experiments.cache_sizing.summary import Summary, overview, summarize
from benchbook.figures import Figure

NAME = "cache_sizing"
TITLE = "Cache sizing"
ENGINE = "Badger"
MEASUREMENT_VERSION = 1

FIGURES = {
    "cost": cache_figures.costs,
    "hit_ratio": cache_figures.hit_ratios,
    "by_size": size_figures.by_size,
    "along": cache_figures.along,
    "ladder": cache_figures.resident,
    "latency": latency_figures.latencies,
    "trade": latency_figures.trade,
    "memory": memory_figures.memory,
    "claims": latency_figures.claimed,
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
    "advice",
    "answer",
    "design",
    "evictions",
    "figures",
    "index_cache",
    "judge",
    "latency",
    "lesson",
    "needs",
    "note_claims",
    "overview",
    "plan",
    "reads",
    "reduce",
    "residents",
    "session",
    "summarize",
]
