"""The numbers of the chapter: the engine over SQLite and over itself after one row more, at the first and last size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchbook.chapters.later_write.arms import AFTER, AGAIN, BEFORE, MORE, ONE, Parameters, at, millions, sqlite
from benchbook.measuring.kv import metric_words, summary
from benchbook.numbers.estimands import ratio
from benchbook.numbers.metrics import Metric, Metrics

TIME, HELD, FILES, LEVEL_0 = "query_mean_ns", "memtable_rows", "table_files", "level0_files"
FILTER_BITS = 10
"""Of the note's Bloom filter, for each row."""
METRICS: Metrics = {
    **metric_words.METRICS,
    "insert_s": Metric("time to write all rows and fill the index", "s", format="{:.3g}".format, heading="loading"),
    LEVEL_0: Metric("number of files in level 0", format="{:.3g}".format, heading="files in level 0"),
    "files_bytes": Metric("size of all files", "MB", 1e-6, heading="files"),
}
FIRST, LAST = 0, -1


class Summary(summary.Summary[Parameters]):
    """One run of this chapter."""

    METRICS = METRICS


def _of(state: str, use: str, size: int) -> Callable[[Summary], str]:
    return lambda summary: at(state, use, summary.parameters.rows[size])


def _sqlite(size: int) -> Callable[[Summary], str]:
    return lambda summary: sqlite(summary.parameters.rows[size])


AA = (AGAIN, _of(ONE, BEFORE, FIRST))
NUMBERS = {
    "more_before": ratio(_of(MORE, BEFORE, LAST), _of(ONE, BEFORE, LAST), TIME),
    "first_before": ratio(_of(MORE, BEFORE, FIRST), _of(ONE, BEFORE, FIRST), TIME),
    "first_after": ratio(_of(MORE, AFTER, FIRST), _of(ONE, AFTER, FIRST), TIME),
    "lead_one": ratio(_sqlite(LAST), _of(ONE, BEFORE, LAST), TIME),
    "lead_more": ratio(_sqlite(LAST), _of(MORE, BEFORE, LAST), TIME),
    "lead_first": ratio(_sqlite(FIRST), _of(ONE, BEFORE, FIRST), TIME),
    "lead_first_more": ratio(_sqlite(FIRST), _of(MORE, BEFORE, FIRST), TIME),
    "options_first": ratio(_of(MORE, AFTER, FIRST), _of(MORE, BEFORE, FIRST), TIME),
    "options_more": ratio(_of(MORE, AFTER, LAST), _of(MORE, BEFORE, LAST), TIME),
    "grown": ratio(_of(ONE, BEFORE, LAST), _of(ONE, BEFORE, FIRST), TIME),
    "equal": ratio(*AA, TIME),
}


def _mean(arm: Callable[[Summary], str], metric: str) -> Callable[[Summary], Any]:
    return lambda summary: summary.mean(arm(summary), metric)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "first": lambda summary: millions(summary.parameters.rows[FIRST]),
    "last": lambda summary: millions(summary.parameters.rows[LAST]),
    "held_one": _mean(_of(ONE, BEFORE, LAST), HELD),
    "held_more": _mean(_of(MORE, BEFORE, LAST), HELD),
    "files_first": _mean(_of(MORE, AFTER, FIRST), FILES),
    "files_last": _mean(_of(MORE, AFTER, LAST), FILES),
    "level0_first": _mean(_of(MORE, AFTER, FIRST), LEVEL_0),
    "level0_last": _mean(_of(MORE, AFTER, LAST), LEVEL_0),
    "filter_mb": lambda summary: FILTER_BITS * summary.parameters.rows[LAST] / 8e6,
}
