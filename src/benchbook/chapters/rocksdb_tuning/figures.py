"""The figures: options in files and in the memtable, speed-ups, further settings, counters, sizes, claims."""

from __future__ import annotations

from benchbook.chapters.rocksdb_tuning import arms
from benchbook.chapters.rocksdb_tuning.arms import AFTER, BEFORE, BENCHMARK, COUNTED, IN_FILES, STRIDE, at, sized
from benchbook.chapters.rocksdb_tuning.summary import (
    B_AFTER,
    B_BEFORE,
    S_AFTER,
    S_BEFORE,
    S_SQLITE,
    SETTLED,
    TIME,
    Summary,
)
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.regular import Ask, Dots, Given, Lines
from benchbook.measuring.kv import note
from benchbook.model import Estimate

NOTE_GAIN = note.latency_us("OmenDB", "after") / note.latency_us("OmenDB", "before")
TARGET = 2.0
"""The note's own target for the speed-up over SQLite."""
LABELS = {use: each.label for use, each in arms.USES.items()}
SPEEDUPS = {
    "benchmark, before": (arms.BESIDE[BEFORE], B_BEFORE),
    "benchmark, all five options": (arms.BESIDE[AFTER], B_AFTER),
    "every 100th key, before": (S_SQLITE, S_BEFORE),
    "every 100th key, all five options": (S_SQLITE, S_AFTER),
    **{f"… and {LABELS[use]}": (S_SQLITE, at(STRIDE, use)) for use in arms.ROUND_TWO},
}
"""SQLite and the engine by what was tuned."""


def _times(way: str, base: str) -> Ask:
    """A use's mean look-up over that of a configuration, in one way to look up."""
    return lambda summary, use: summary.over(at(way, use), base, TIME)


def _share(metric: str, of: str) -> Ask:
    return lambda summary, use: summary.share(at(COUNTED, use), metric, of)


def _by_size(summary: Summary, rows: int) -> Estimate:
    if rows == summary.parameters.rows:
        return summary.over(B_AFTER, B_BEFORE, TIME)
    return summary.over(sized(AFTER, rows), sized(BEFORE, rows), TIME)


def _sizes(summary: Summary) -> list[int]:
    return [*summary.parameters.smaller_rows, summary.parameters.rows]


FIGURES = {
    "in_files": Dots(
        rows={use: LABELS[use] for use in (*arms.SINGLES, AFTER)} | {arms.LARGER: "all five, with 1 GB of cache"},
        row="options", series={"RocksDB alone, rows in files": _times(IN_FILES, SETTLED)},
        heading="look-ups", axis="mean look-up / before the options (right of 1 = slower)",
        quantity="mean look-up / before the options", rule=1.0, height=180, replicates="blocks",
    ),
    "options": Dots(
        rows={use: LABELS[use] for use in (*arms.SINGLES, arms.PAIR, AFTER)}
        | {arms.LARGER: "all five, with 1 GB of cache"},
        row="options",
        series={
            "the note's benchmark": _times(BENCHMARK, B_BEFORE),
            "every 100th key, warm": _times(STRIDE, S_BEFORE),
        },
        heading="look-ups", axis="mean query / before the options (right of 1 = slower)",
        quantity="mean query / before the options", rule=1.0, height=190, each=26,
        replicates="blocks", given=lambda summary: [Given("the note", {AFTER: NOTE_GAIN})],
    ),
    "speedups": Dots(
        rows={row: row for row in SPEEDUPS}, row="state",
        series={"here": lambda summary, row: summary.over(*SPEEDUPS[row], TIME)},
        heading="", axis="SQLite's mean look-up / the engine's (right of 1 = engine faster)",
        quantity="SQLite's mean look-up / the engine's", rule=1.0, height=180, each=28, replicates="blocks",
        table_only=lambda summary: [row for row in SPEEDUPS if row.endswith(LABELS[arms.COMPACTED])],
        given=lambda summary: [
            Given("the note", {"benchmark, before": note.printed()[10_000_000],
                               "benchmark, all five options": note.speedup_after()}),
            Given("the note's target", dict.fromkeys(SPEEDUPS, TARGET), line="dash", listed=False),
        ],
    ),
    "further": Dots(
        rows={use: LABELS[use] for use in arms.ROUND_TWO}, row="setting",
        series={
            "every 100th key": _times(STRIDE, S_AFTER), "uniform keys": _times(arms.UNIFORM, at(arms.UNIFORM, AFTER)),
        },
        heading="look-ups", axis="mean query / with the five options alone (right of 1 = slower)",
        quantity="mean query / with the five options", rule=1.0, height=180, each=28,
        replicates="blocks", table_only=lambda summary: [arms.COMPACTED],
    ),
    "counters": Dots(
        rows={
            arms.BLOOM: "Bloom filter, rows in the memtable",
            BEFORE: "8 MB cache, rows in files",
            arms.CACHE: "512 MB cache, rows in files",
            arms.UNCACHED: "all five but index in the cache, rows in files",
            AFTER: "all five options, rows in files",
        },
        row="options",
        series={
            "look-ups in which a filter skipped a file": _share("filtered_share", "lookups"),
            "data blocks found in the block cache": _share("block_cache_hit_ratio", "block_requests"),
        },
        heading="counted", axis="share (%)", factor=100, scale="percent", height=180, each=30, replicates="blocks",
    ),
    "sizes": Lines(
        over=_sizes, across="rows", rows=True, aside=True, tick="{:,}".format, series={"all five options": _by_size},
        axis="mean query / before the options", heading="", replicates="blocks",
        given=lambda summary: [
            Given("the note", {10_000_000: NOTE_GAIN}),
            Given("no change", {min(_sizes(summary)): 1, max(_sizes(summary)): 1}, line="dash", listed=False),
        ],
    ),
    "claims": ClaimFigure(what="The chapter's claims that are ratios"),
}  # fmt: skip
