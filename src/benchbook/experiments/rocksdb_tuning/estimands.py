"""What the claims need beyond a ratio: the pilot's choice, several together, the slowest, and what could not act."""

from __future__ import annotations

from collections.abc import Callable

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments import notes
from benchbook.experiments.rocksdb_tuning.arms import (
    AFTER,
    AS_WRITTEN,
    BEFORE,
    BENCHMARK,
    BESIDE,
    COMPACTED,
    IN_FILES,
    LEVEL_0,
    RANDOM,
    ROUND_TWO,
    SINGLES,
    SMALLER_ROWS,
    SQLITE,
    STRIDE,
    UNIFORM,
    UNIVERSAL,
    UNPINNED,
    at,
    sized,
)
from benchbook.experiments.rocksdb_tuning.summary import TIME, Summary
from benchbook.experiments.shape.estimands import (
    Estimand,
    complement,
    custom,
    outermost,
)
from benchbook.experiments.shape.inert import Control, Found, cannot_act
from benchbook.model import Effect, Estimate

B_BEFORE, B_AFTER = at(BENCHMARK, BEFORE), at(BENCHMARK, AFTER)
S_BEFORE, S_AFTER, S_SQLITE = (at(STRIDE, use) for use in (BEFORE, AFTER, SQLITE))
WRITTEN, SETTLED = at(IN_FILES, AS_WRITTEN), at(IN_FILES, BEFORE)
CANDIDATES = tuple(at(STRIDE, use) for use in ROUND_TWO)
SINGLE_ARMS = tuple(at(BENCHMARK, use) for use in SINGLES)
COMPACTIONS = (at(STRIDE, UNIVERSAL), at(STRIDE, COMPACTED))
STATED_CACHE_MIB = 8
USUAL_FILE_MIB, USUAL_ROW_BYTES, FILTER_BITS = 64, 108, 10
"""Of RocksDB's default file, of a row with a key of 8 bytes and a value of 100, and of the note's filter per row."""


def filter_mb(rows: float) -> float:
    """Size of the note's Bloom filter over so many rows of one file, in MB."""
    return FILTER_BITS * rows / 8e6


def usual_filter_mb() -> float:
    """The same over a usual file of usual rows, uncompressed."""
    return filter_mb(USUAL_FILE_MIB * 2**20 / USUAL_ROW_BYTES)


def chosen(summary: Summary) -> str:
    """The best of the further settings."""
    return summary.chosen(CANDIDATES)


def quotient(summary: Summary, best: str, confidence: float) -> Estimate:
    """What the further setting leaves of a look-up's time over what the five options left."""
    before, after, further = (summary.values(arm, TIME) for arm in (S_BEFORE, S_AFTER, best))
    return summary.beyond_pilot(further / after, after / before, confidence)


def gained(summary: Summary, confidence: float) -> Estimate:
    """Speed-up over SQLite after the options over that before, each with the SQLite beside it."""
    after, before = (
        summary.values(BESIDE[state], TIME) / summary.values(at(BENCHMARK, state), TIME) for state in (AFTER, BEFORE)
    )
    return statistics.ratio(after, before, confidence=confidence, sessions=summary.sessions)


def several(after: tuple[str, ...], before: tuple[str, ...]) -> Estimand:
    """Geometric mean of the ratio over several pairs of configurations."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        pair = (summary.together(arms) for arms in (after, before))
        return statistics.ratio(*pair, confidence=confidence, sessions=summary.sessions)

    return custom(compute, Quantity.COMPARISON, *after, *before, aa=TIME)


def uniform(use: str) -> tuple[str, ...]:
    return tuple(at(way, use) for way in (UNIFORM, RANDOM))


def smaller(use: str) -> tuple[str, ...]:
    return tuple(sized(use, rows) for rows in SMALLER_ROWS)


def slowest(summary: Summary, confidence: float) -> Effect:
    """The largest of the five single ratios, from intervals that hold together."""
    values = {use: summary.values(at(BENCHMARK, use), TIME) for use in SINGLES}
    return outermost(
        statistics.many_to_one(
            summary.values(B_BEFORE, TIME), values, confidence=confidence, sessions=summary.sessions
        ).values()
    )


def removed(summary: Summary, confidence: float) -> Estimate:
    """Share of RocksDB's time that a full compaction removes."""
    return complement(summary.over(SETTLED, WRITTEN, TIME, confidence=confidence))


def without_files(*arms: str) -> Callable[[Summary], str]:
    """That RocksDB had no file in some trial of these, so that what concerns files had nothing to act on."""

    def why(summary: Summary) -> str:
        without = [arm for arm in arms if summary.values(arm, "table_files").min() == 0]
        if not without:
            return ""
        trials = int((summary.values(without[0], "table_files") == 0).sum())
        return (
            f"in {trials} of {summary.run.blocks} trials of “{summary.label(without[0])}” RocksDB had no file, and the "
            "options and a compaction act on files alone"
        )

    return why


def no_file(*arms: str) -> Found:
    """That the note's benchmark has no file at all, so that what concerns files cannot act on it."""
    return cannot_act(
        "table_files",
        arms,
        counted="RocksDB had 0 files in {} trials",
        why="as the note's benchmark writes its rows, all of them are in one memtable while it looks them up, and "
        "filters, block cache and compaction act on files alone",
        control=Control(
            SETTLED, "table_files", "flushed and compacted, the same rows make at least {} file a trial", ""
        ),
    )


def nothing_in_level_0(summary: Summary) -> str:
    """That pinning level 0 had no file to pin; "" where each trial had one."""
    least = min(float(summary.values(at(LEVEL_0, use), "level0_files").min()) for use in (AFTER, UNPINNED))
    return "" if least else "in some trial level 0 had no file"


def stated_defaults(summary: Summary) -> float:
    """How many of the two defaults that the note states hold in the release that its project pins."""
    cache, filters = (notes.reading(f"rocksdb_default_{each}") for each in ("block_cache_mib", "filter_policies"))
    return float((cache == STATED_CACHE_MIB) + (filters == 0))


def stated_words() -> str:
    return (
        "RocksDB 10.4.2, which the note's project builds, makes a block cache of "
        f"{notes.reading('rocksdb_default_block_cache_mib'):.0f} MiB and no filter by default"
    )
