"""How much of the speed-up over SQLite is the way in which SQLite was used?"""

from benchbook.experiments.sqlite_fairness import setting_figures, speed_figures
from benchbook.experiments.sqlite_fairness.arms import plan
from benchbook.experiments.sqlite_fairness.judgements import judge_claims as judge
from benchbook.experiments.sqlite_fairness.learned import lesson
from benchbook.experiments.sqlite_fairness.measure import needs, session
from benchbook.experiments.sqlite_fairness.parameters import Parameters
from benchbook.experiments.sqlite_fairness.prose import (
    answer,
    design,
    durable,
    killed,
    note_claims,
    over_sizes,
    preparing,
    settings,
    tails,
    where_rows_lie,
)
from benchbook.experiments.sqlite_fairness.reduction import reduce
from benchbook.experiments.sqlite_fairness.summary import Summary, overview, summarize
from benchbook.figures import Figure

NAME = "sqlite_fairness"
TITLE = "Faster than which SQLite?"
ENGINE = "SQLite and RocksDB"
MEASUREMENT_VERSION = 2

FIGURES = {
    "speedup": speed_figures.speedups,
    "settings": setting_figures.settings,
    "tails": setting_figures.tails,
    "inserts": speed_figures.inserts,
    "durability": setting_figures.durability,
    "claims": speed_figures.claimed,
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
    "durable",
    "figures",
    "judge",
    "killed",
    "lesson",
    "needs",
    "note_claims",
    "over_sizes",
    "overview",
    "plan",
    "preparing",
    "reduce",
    "session",
    "settings",
    "summarize",
    "tails",
    "where_rows_lie",
]
