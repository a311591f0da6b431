"""What a run of this chapter is asked: several configurations together, the slowest, and what could not act."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchbook import notes, statistics
from benchbook.chapters.rocksdb_tuning import arms
from benchbook.chapters.rocksdb_tuning.arms import AFTER, BEFORE, BENCHMARK, IN_FILES, STRIDE, at
from benchbook.figures import mean_count
from benchbook.measuring.kv import metric_words, piloted
from benchbook.model import Effect, Estimate
from benchbook.numbers.estimands import outermost
from benchbook.numbers.inert import Control, Found, cannot_act
from benchbook.numbers.metrics import Metric, Metrics

TIME = piloted.TIME
B_BEFORE, B_AFTER = at(BENCHMARK, BEFORE), at(BENCHMARK, AFTER)
S_BEFORE, S_AFTER, S_SQLITE = (at(STRIDE, use) for use in (BEFORE, AFTER, arms.SQLITE))
WRITTEN, SETTLED = at(IN_FILES, arms.AS_WRITTEN), at(IN_FILES, BEFORE)
STATED_CACHE_MIB = 8
METRICS: Metrics = {
    **metric_words.METRICS,
    "insert_s": Metric("time to insert all rows", "s", format="{:.3g}".format, heading="insert"),
    "level0_files": Metric("number of files in level 0", format=mean_count, heading="of them in level 0"),
    "files_bytes": Metric("size of all table files", "MB", 1e-6, format="{:,.1f}".format, heading="table files"),
    "cache_capacity_bytes": Metric("size of the block cache", "MiB", 2**-20, format="{:,.0f}".format),
    "index_share": Metric("the index's share of a query's time", "%", 100),
    "engine_share": Metric("RocksDB's share of a query's time", "%", 100),
    "filtered_share": Metric("look-ups per filter that skipped a file", "%", 100),
    "block_requests": Metric("number of data blocks asked for"),
    "block_cache_hit_ratio": Metric("hit ratio of the block cache", "%", 100),
    "file_bytes_per_lookup": Metric("bytes read from files per look-up", "bytes", format="{:,.1f}".format),
}


class Summary(piloted.Summary[arms.Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    def together(self, names: Sequence[str]) -> np.ndarray:
        """Geometric mean of the mean look-up of several configurations, in ns, shape (blocks,)."""
        return np.asarray(np.exp(np.mean([np.log(self.values(arm, TIME)) for arm in names], axis=0)))

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        left = [f"{rows:,} rows left out" for rows in arms.SMALLER_ROWS if rows not in self.parameters.smaller_rows]
        return [*left, *super().departures()]

    def sizes(self) -> str:
        """Rows, after the blocks."""
        return f", {self.parameters.rows:,} rows unless stated otherwise"

    def quotient(self, best: str) -> Estimate:
        """What the further setting leaves of a look-up's time over what the five options left."""
        before, after, further = (self.values(arm, TIME) for arm in (S_BEFORE, S_AFTER, best))
        return self.beyond_pilot(further / after, after / before)

    def gained(self) -> Estimate:
        """Speed-up over SQLite after the options over that before, each with the SQLite beside it."""
        after, before = (
            self.values(arms.BESIDE[state], TIME) / self.values(at(BENCHMARK, state), TIME) for state in (AFTER, BEFORE)
        )
        return self.estimated(statistics.ratio, after, before)

    def singles(self) -> dict[str, Effect]:
        """Of each of the five options by itself, from intervals that hold together."""
        values = {use: self.values(at(BENCHMARK, use), TIME) for use in arms.SINGLES}
        before = self.values(B_BEFORE, TIME)
        return self.estimated(statistics.many_to_one, before, values)

    def slowest(self) -> Effect:
        """The largest of these."""
        return outermost(self.singles().values())


def without_files(*names: str) -> Callable[[Summary], str]:
    """That RocksDB had no file in some trial of these, so that what concerns files had nothing to act on."""

    def why(summary: Summary) -> str:
        without = [arm for arm in names if summary.values(arm, "table_files").min() == 0]
        if not without:
            return ""
        trials = int((summary.values(without[0], "table_files") == 0).sum())
        return (
            f"in {trials} of {summary.run.blocks} trials of “{summary.label(without[0])}” RocksDB had no file, and the "
            "options and a compaction act on files alone"
        )

    return why


def no_file(*names: str, scope: str = "", refutes: bool = True) -> Found:
    """That the note's benchmark has no file at all, so what concerns files cannot act; the rest as in ``Inert``."""
    return cannot_act(
        "table_files",
        names,
        counted="RocksDB had 0 files in {} trials",
        why="as the note's benchmark writes its rows, all of them are in one memtable while it looks them up, and "
        "filters, block cache and compaction act on files alone",
        control=Control(
            SETTLED, "table_files", "flushed and compacted, the same rows make at least {} file a trial", ""
        ),
        scope=scope,
        refutes=refutes,
    )


def nothing_in_level_0(summary: Summary) -> str:
    """That pinning level 0 had no file to pin; "" where each trial had one."""
    least = min(float(summary.values(at(arms.LEVEL_0, use), "level0_files").min()) for use in (AFTER, arms.UNPINNED))
    return "" if least else "in some trial level 0 had no file"


def stated_defaults(summary: Summary) -> float:
    """How many of the two defaults that the note states hold in the release that its project pins."""
    cache, filters = (notes.reading(f"rocksdb_default_{each}") for each in ("block_cache_mib", "filter_policies"))
    return float((cache == STATED_CACHE_MIB) + (filters == 0))
