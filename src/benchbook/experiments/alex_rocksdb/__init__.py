"""Does a learned index before RocksDB make the store the bottleneck, and what did the note's programs really time?"""

from benchbook.experiments.alex_rocksdb import alone_figures, breakdown_figures, scale_figures
from benchbook.experiments.alex_rocksdb.arms import plan
from benchbook.experiments.alex_rocksdb.judgements import judge_claims as judge
from benchbook.experiments.alex_rocksdb.learned import lesson
from benchbook.experiments.alex_rocksdb.measure import needs, session
from benchbook.experiments.alex_rocksdb.parameters import Parameters
from benchbook.experiments.alex_rocksdb.prose import (
    answer,
    clock,
    design,
    executed,
    explained,
    index_alone,
    marker,
    note_claims,
    patterns,
)
from benchbook.experiments.alex_rocksdb.reduction import reduce
from benchbook.experiments.alex_rocksdb.summary import Summary, summarize
from benchbook.experiments.alex_rocksdb.tables import evidence, index_table, largest
from benchbook.figures import Figure

NAME = "alex_rocksdb"
TITLE = "ALEX before RocksDB"
ENGINE = "RocksDB"
MEASUREMENT_VERSION = 1

FIGURES = {
    "breakdown": breakdown_figures.shares,
    "times": breakdown_figures.times,
    "left_out": breakdown_figures.left_out,
    "way": breakdown_figures.way,
    "scale": scale_figures.scale,
    "patterns": scale_figures.patterns,
    "alone": alone_figures.indexes,
    "bytes": alone_figures.memory,
    "claims": alone_figures.claimed,
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
    "clock",
    "design",
    "evidence",
    "executed",
    "explained",
    "figures",
    "index_alone",
    "index_table",
    "judge",
    "largest",
    "lesson",
    "marker",
    "needs",
    "note_claims",
    "patterns",
    "plan",
    "reduce",
    "session",
    "summarize",
]
