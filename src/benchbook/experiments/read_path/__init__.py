"""Is an index over a value file, without RocksDB on the read path, as fast as the note hoped, and faster than what?"""

from benchbook.experiments.read_path import claim_figures, engine_figures, speed_figures
from benchbook.experiments.read_path.arms import plan
from benchbook.experiments.read_path.judgements import judge_claims as judge
from benchbook.experiments.read_path.learned import lesson
from benchbook.experiments.read_path.measure import needs, session
from benchbook.experiments.read_path.parameters import Parameters
from benchbook.experiments.read_path.prose import (
    advice,
    answer,
    design,
    durability,
    existence,
    note_claims,
    order,
    reached,
    redb,
    rivals,
)
from benchbook.experiments.read_path.reduction import reduce
from benchbook.experiments.read_path.summary import Summary, overview, summarize
from benchbook.figures import Figure

NAME = "read_path"
TITLE = "The read path without RocksDB"
ENGINE = "Value file, SQLite, LMDB, RocksDB"
MEASUREMENT_VERSION = 3

FIGURES = {
    "stride": speed_figures.strides,
    "speed_up": speed_figures.speed_ups,
    "gets": speed_figures.gets,
    "index": engine_figures.indexes,
    "scans": engine_figures.scans,
    "writes": engine_figures.writes,
    "opening": engine_figures.opening,
    "memory": engine_figures.memory,
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
    "design",
    "durability",
    "existence",
    "figures",
    "judge",
    "lesson",
    "needs",
    "note_claims",
    "order",
    "overview",
    "plan",
    "reached",
    "redb",
    "reduce",
    "rivals",
    "session",
    "summarize",
]
