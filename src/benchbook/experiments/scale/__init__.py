"""Does the learned index's lead over SQLite shrink with the number of rows, and what does the note's column add up?"""

from benchbook.experiments.scale import claim_figures, latency_figures, speedup_figures
from benchbook.experiments.scale.arms import plan
from benchbook.experiments.scale.judgements import judge_claims as judge
from benchbook.experiments.scale.learned import lesson
from benchbook.experiments.scale.measure import needs, session
from benchbook.experiments.scale.parameters import Parameters
from benchbook.experiments.scale.prose import (
    advice,
    answer,
    column,
    comparator,
    design,
    held,
    noise,
    note_claims,
    random_keys,
)
from benchbook.experiments.scale.reduction import reduce
from benchbook.experiments.scale.summary import Summary, overview, summarize
from benchbook.figures import Figure

NAME = "scale"
TITLE = "Scale"
ENGINE = "RocksDB and SQLite"
MEASUREMENT_VERSION = 1

FIGURES = {
    "speedups": speedup_figures.speedups,
    "column": speedup_figures.column,
    "lookups": latency_figures.lookups,
    "inserts": latency_figures.inserts,
    "comparator": speedup_figures.comparator,
    "random": speedup_figures.random_keys,
    "tails": latency_figures.tails,
    "claims": claim_figures.claimed,
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
    "column",
    "comparator",
    "design",
    "figures",
    "held",
    "judge",
    "lesson",
    "needs",
    "noise",
    "note_claims",
    "overview",
    "plan",
    "random_keys",
    "reduce",
    "session",
    "summarize",
]
