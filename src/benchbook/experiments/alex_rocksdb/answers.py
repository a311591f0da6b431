"""The claims of the chapter: how each number comes from the stored trials, which figure shows it, what is said of it.

Times and shares hold what reading the clock costs, as the note's do and as the claims were registered; the numbers
without it stand beside the verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from benchbook.claims import Quantity
from benchbook.experiments.alex_rocksdb import growth
from benchbook.experiments.alex_rocksdb.arms import (
    AGAIN,
    BTREE_FIRST,
    FLAT_ALONE,
    LOOP,
    NO_ENGINE,
    NO_INDEX,
    PARTS,
    POINT,
    POINT_PARTS,
    TOOL,
    TOOL_UNIFORM,
    TOOL_WHOLE,
    grown,
)
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, custom, ratio, share
from benchbook.experiments.shape.inert import Control, cannot_act
from benchbook.figures import with_interval
from benchbook.model import Estimate
from benchbook.statistics import Gate

BREAKDOWN, REMOVED, SCALE = "fig-alex-breakdown", "fig-alex-left-out", "fig-alex-scale"
CLAIMED, SHARES, ALONE = "fig-alex-claims", "fig-alex-shares", "fig-alex-alone"
TIME = "mean_ns"
"""Of the baseline's two labels: the parts of a query are timed in configurations that have no second label."""
PROCESSES = 10
"""Fresh processes for a spread between them."""
AA = (AGAIN, LOOP)


def _of_query(arm: str, part: str, *, net: bool = False) -> Estimand:
    """Share of a part of the mean time of a query. net: whether it is also told less what reading the clock costs."""

    def beside(summary: Summary) -> str:
        return _without_clock(summary.share(arm, f"{part}_net_share"))

    words = beside if net else None
    return share(arm, f"{part}_share", "lookups", quantity=Quantity.PARTS, aa=TIME, working=words)


def _times(top: tuple[str, str], bottom: tuple[str, str], *, net: bool = False) -> Estimand:
    """Ratio of two times. net: whether it is also told without the clock."""

    def beside(summary: Summary) -> str:
        above, below = ((arm, metric.replace("_mean_ns", "_net_ns")) for arm, metric in (top, bottom))
        return _without_clock(summary.ratio(above, below))

    return ratio(top, bottom, aa=TIME, working=beside if net else None)


def _without_clock(estimate: Estimate) -> str:
    return f"Without the cost of reading the clock it would be {with_interval(estimate)}; as registered"


def _removed(arm: str) -> Estimand:
    """Share of a query's time that disappears when a part is left out."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return growth.removed(summary, arm, confidence)

    return custom(compute, Quantity.COMPARISON, arm, LOOP, aa=TIME)


def _isolated_over_engine(summary: Summary, confidence: float) -> Estimate:
    alone = grown("note_levels", summary.parameters.rows), "mean_ns"
    return summary.ratio(alone, (TOOL, "engine_mean_ns"), confidence=confidence)


def _at_both_ends(compute: Callable[[Summary, float], Estimate]) -> Estimand:
    """Growth of the parts from the fewest to the most rows."""
    return custom(compute, Quantity.COMPARISON, PARTS, growth.smallest, aa=TIME)


_SCALES = custom(growth.note_tree_against_btree, Quantity.COMPARISON, aa=TIME)
"""The note's tree against the usual index; against a store that it stands in front of, a small tree could only lose."""
_NO_LSM = cannot_act(
    "files",
    (PARTS, growth.smallest),
    counted="RocksDB had 0 files in {} trials",
    why="as the note's benchmark writes its rows, all of them are in one memtable while it looks them up, so that no "
    "look-up reads the levels of an LSM tree",
    control=Control("compacted_stride", "files", "flushed and compacted, the store has at least {} file a trial", ""),
)
"""What RocksDB's part of a query is not: the read path that the note's sentence names."""


def _too_few_processes(summary: Summary) -> str:
    """Two trials of a block share its moment, so that each block has one process."""
    few = summary.run.blocks < PROCESSES
    return f"{summary.run.blocks} processes where the claim names {PROCESSES}" if few else ""


ANSWERS = (
    Answer(
        "O011", _of_query(TOOL, "engine"), BREAKDOWN,
        said="RocksDB takes about 77 % (62 to 96 %) of a look-up, by its diagnostic program's count",
        seen="run like that program, it takes {} %", factor=100,
        row="RocksDB's part ÷ total, in the note's tool",
    ),
    Answer(
        "O003", _of_query(PARTS, "engine", net=True), BREAKDOWN,
        said="RocksDB's read path takes about 77 % (62 to 96 %) of a query at ten million rows",
        seen="its search, in one memtable's skip list and in no file, takes {} % of the engine's query", factor=100,
        lead=True, brief="its search, in one memtable and in no file, takes {} %",
        row="RocksDB's look-up, all in the memtable ÷ query",
    ),
    Answer(
        "O085", _removed(NO_INDEX), REMOVED,
        said="the learned index costs only 21 %", seen="leaving it out removes {} % of a query's time", factor=100,
        row="1 − query without ALEX ÷ query",
    ),
    Answer(
        "O005", replace(_at_both_ends(growth.engine_share_of_growth), inert=_NO_LSM), SCALE,
        said="RocksDB's LSM tree makes queries slower from ten thousand to ten million rows",
        seen="the search in that memtable's skip list accounts for {} % of the growth", factor=100,
        row="growth of RocksDB's part, all in the memtable ÷ growth of the query",
    ),
    Answer(
        "O103", _times((BTREE_FIRST, "mean_ns"), (LOOP, "mean_ns")), REMOVED,
        said="the index is not the problem", seen="with a B-tree in its place, a query takes {} times as long",
        row="query with a B-tree ÷ with ALEX",
    ),
    Answer(
        "O071", _SCALES, ALONE,
        said="the learned index scales well: at most a quarter worse than a B-tree",
        seen="from the fewest to the most keys, the look-up time of the note's tree grows {} times as much as a "
        "B-tree's",
        row="growth to 10 M keys: the note's tree alone ÷ B-tree alone",
    ),
    Answer("O004", _of_query(PARTS, "index", net=True), BREAKDOWN, row="ALEX's part ÷ query"),
    Answer(
        "O006", _of_query(POINT_PARTS, "rest", net=True), BREAKDOWN,
        row="all but ALEX and RocksDB ÷ the engine's own query",
    ),
    Answer(
        "O009", _times((TOOL_UNIFORM, "query_mean_ns"), (TOOL, "query_mean_ns")), CLAIMED,
        row="keys from all rows ÷ the tool's 10,000 keys",
    ),
    Answer("O010", _of_query(TOOL, "index"), BREAKDOWN, row="ALEX's part ÷ total, in the note's tool"),
    Answer("O012", _of_query(TOOL, "rest"), BREAKDOWN, row="the rest ÷ total, in the note's tool"),
    Answer(
        "O013", _times((PARTS, "query_mean_ns"), (POINT, "mean_ns")), CLAIMED,
        row="sum of the parts ÷ the engine's own query",
    ),
    Answer(
        "O032", custom(_isolated_over_engine, Quantity.COMPARISON, TOOL, aa=TIME), CLAIMED,
        row="ALEX alone ÷ RocksDB's part",
    ),
    Answer(
        "O033", _times((TOOL, "index_mean_ns"), (TOOL, "engine_mean_ns")), CLAIMED,
        row="ALEX's part ÷ RocksDB's part, in the note's tool",
    ),
    Answer(
        "O034", _times((PARTS, "index_mean_ns"), (FLAT_ALONE, "index_mean_ns"), net=True), CLAIMED,
        row="ALEX between RocksDB look-ups ÷ alone",
    ),
    Answer(
        "O065", custom(growth.between_processes, Quantity.DISPERSION, LOOP, departs=_too_few_processes), SHARES,
        row="standard deviation between processes ÷ mean query",
    ),
    Answer(
        "O070", replace(_times((PARTS, "engine_mean_ns"), (PARTS, "index_mean_ns"), net=True), inert=_NO_LSM), CLAIMED,
        row="RocksDB's part, all in the memtable ÷ ALEX's part",
    ),
    # The same sentence in other words of the note.
    Answer("O036", _SCALES, ALONE, row="growth to 10 M keys, “sound”: the note's tree alone ÷ B-tree alone"),
    Answer("O084", _removed(NO_ENGINE), REMOVED, row="1 − query without RocksDB ÷ query"),
    Answer(
        "O098", _times((TOOL, "query_mean_ns"), (TOOL_WHOLE, "mean_ns")), CLAIMED,
        row="a timer around each part ÷ one around the whole",
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Every answer of the store checked, and every store as named."""
    return [*summary.consistency_gates(), *summary.state_gates(answer.estimand.names(summary))]
