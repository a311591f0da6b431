"""Do hot keys explain the latency that note 000 blames on the database?"""

from benchbook.experiments.hot_cold_keys import cache_figures, latency_figures
from benchbook.experiments.hot_cold_keys.arms import plan
from benchbook.experiments.hot_cold_keys.judgements import judge_claims as judge
from benchbook.experiments.hot_cold_keys.learned import lesson
from benchbook.experiments.hot_cold_keys.measure import needs, session
from benchbook.experiments.hot_cold_keys.parameters import Parameters
from benchbook.experiments.hot_cold_keys.prose import (
    answer,
    design,
    implied_shares,
    misses_of_the_service_level,
    noise,
    note_claims,
)
from benchbook.experiments.hot_cold_keys.reduction import reduce
from benchbook.experiments.hot_cold_keys.summary import Summary, overview, summarize
from benchbook.figures import Figure

NAME = "hot_cold_keys"
TITLE = "Hot versus cold keys"
ENGINE = "PostgreSQL"
MEASUREMENT_VERSION = 2

FIGURES = {
    "certificate": cache_figures.certificate,
    "latency": latency_figures.distributions,
    "tails": latency_figures.tails,
    "hit_ratio": cache_figures.hit_ratios,
    "along_trial": cache_figures.along_trial,
    "blocks": cache_figures.blocks,
    "hot_share": latency_figures.hot_shares,
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
    "answer",
    "design",
    "figures",
    "implied_shares",
    "judge",
    "lesson",
    "misses_of_the_service_level",
    "needs",
    "noise",
    "note_claims",
    "overview",
    "plan",
    "reduce",
    "session",
    "summarize",
]
