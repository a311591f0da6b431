"""Settings one at a time: which configurations show each, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchbook.drawing.regular import Dots, Given
from benchbook.errors import BenchbookError
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.ladder.arms import (
    A_AGAIN,
    B_AGAIN,
    BASELINE,
    BGWRITER_200,
    BUFFERS_16,
    COST_4,
    DELAYS,
    FLUSH_2MB,
    MAXPAGES_500,
    MULTIPLIER_4,
    MULTIPLIER_5,
    NAPTIME_10,
    OFF,
    ONE_IO,
    PARALLEL_32,
    PROCESSES_32,
    ROUND_1_BASE,
    ROUND_1_COLD,
    ROUND_2,
    ROUND_2_AGAIN,
    SIBLINGS_3,
    WORKERS_8,
    WRITER_200,
    A,
    B,
)
from benchbook.model import Effect
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics import minimum_detectable

SMALL = 0.03
"""An effect within 3 % on either side counts as none to speak of: the notes sell 5 to 30 %."""
BAND = Given("3 % less or more", {"less": 1 - SMALL, "more": 1 + SMALL}, line="dash", listed=False)
AXIS = "throughput with the setting over that without (above 1: faster)"
SOLD = 0.05
"""The least that the notes sell."""
SOLD_BAND = Given("5 % less or more", {"less": 1 - SOLD, "more": 1 + SOLD}, line="dash", listed=False)


@dataclass(frozen=True)
class Pair:
    """A setting, the configuration with it, and the one beside it without."""

    words: str
    top: str
    bottom: str


NOTHING = "nothing (A/A)"
OF_003: Mapping[str, Pair] = {
    each.words: each
    for each in (
        Pair(NOTHING, ROUND_2_AGAIN, ROUND_2),
        Pair("max_worker_processes 4 instead of 8", ROUND_2, WORKERS_8),
        Pair("bgwriter_delay 10 ms instead of 200", ROUND_2, BGWRITER_200),
        Pair("bgwriter_lru_multiplier 4 instead of 2", MULTIPLIER_4, ROUND_1_BASE),
        Pair("bgwriter_lru_multiplier 5 instead of 4", MULTIPLIER_5, ROUND_2),
        Pair("bgwriter_lru_maxpages 500 instead of 1,000", MAXPAGES_500, ROUND_1_BASE),
        Pair("effective_io_concurrency 100 instead of 200", ONE_IO, ROUND_1_COLD),
        Pair("random_page_cost 1.1 instead of 4", ROUND_2, COST_4),
        Pair("autovacuum_naptime 10 trials instead of 1", NAPTIME_10, ROUND_2),
        Pair("wal_compression on instead of off", ROUND_2, OFF),
        Pair("wal_buffers 128 MB instead of 16", ROUND_2, BUFFERS_16),
        Pair("wal_writer_delay 10 ms instead of 200", ROUND_2, WRITER_200),
        Pair("wal_writer_flush_after 2 MB instead of 1", FLUSH_2MB, ROUND_1_BASE),
        Pair("commit_siblings 3 instead of 5", SIBLINGS_3, ROUND_1_BASE),
        Pair("commit_delay 10 µs instead of 0", DELAYS[10], ROUND_2),
        Pair("commit_delay 50 µs instead of 0", DELAYS[50], ROUND_2),
        Pair("commit_delay 200 µs instead of 0", DELAYS[200], ROUND_2),
    )
}
"""By words, which a figure's rows are called by."""
TABLE_003 = ("bgwriter_lru_multiplier 5 instead of 4", "commit_delay 10 µs instead of 0")
OF_002: Mapping[str, Pair] = {
    each.words: each
    for each in (
        Pair("nothing, small pool (A/A)", A_AGAIN, A),
        Pair("max_worker_processes 32 instead of 8", PROCESSES_32, BASELINE),
        Pair("max_parallel_workers 32 instead of 8", PARALLEL_32, PROCESSES_32),
        Pair("max_parallel_workers_per_gather 8 instead of 4", A, PARALLEL_32),
        Pair("nothing, large pool (A/A)", B_AGAIN, B),
        Pair("effective_cache_size 2.25 × data instead of 0.2", B, "b_cache_default"),
        Pair("work_mem 53 MB instead of 4", B, "b_work_mem_4"),
        Pair("bgwriter_delay 10 ms instead of 200", B, "b_bgwriter_200"),
        Pair("bgwriter_lru_multiplier 10 instead of 2", B, "b_multiplier_2"),
        Pair("bgwriter_lru_maxpages 1,250 instead of 1,000", B, "b_maxpages_1000"),
        Pair("commit_delay 50 µs instead of 0", B, "b_delay_0"),
        Pair("commit_siblings 10 instead of 5", B, "b_siblings_5"),
    )
}


@dataclass(frozen=True)
class Sorted:
    """The settings of both notes by what their intervals say: moved (wholly on one side of 1), small (within 3 %)."""

    every: Mapping[str, Effect]

    @property
    def moved(self) -> dict[str, Effect]:
        """Those whose interval leaves 1 out, the largest first."""
        found = {name: e for name, e in self.every.items() if not e.low <= 1 <= e.high}
        return dict(sorted(found.items(), key=lambda item: -abs(item[1].point - 1)))

    @property
    def small(self) -> dict[str, Effect]:
        """Those whose interval lies within 3 % of 1."""
        return self.within(SMALL)

    def within(self, share: float) -> dict[str, Effect]:
        """Those whose interval lies within a share of 1 on either side."""
        return {name: e for name, e in self.every.items() if e.low >= 1 - share and e.high <= 1 + share}


def named(words: str, summary: family.Summary) -> str:
    """The words of a setting, which name the codec where they say that the log is compressed."""
    codec = summary.run.provenance.get("wal_compression")
    return re.sub(r"\bon\b", str(codec), words) if codec and words.startswith("wal_compression") else words


def rows(pairs: Mapping[str, Pair], summary: family.Summary) -> dict[str, str]:
    """The rows of a figure of these settings."""
    return {words: named(words, summary) for words in pairs}


def ask(pairs: Mapping[str, Pair], summary: family.Summary, words: str) -> Effect:
    """Throughput with a setting over that without."""
    return summary.gain(pairs[words].top, pairs[words].bottom)


def dots(pairs: Mapping[str, Pair], band: Given, nothing: str, **more: Any) -> Dots:
    """A figure of these settings. band: what counts as no change to speak of. nothing, more: as in ``Dots``."""
    return Dots(
        rows=partial(rows, pairs), row="setting", series={"measured": partial(ask, pairs)},
        given=lambda summary: (band,), axis=AXIS, rule=1, replicates="blocks",
        nothing=nothing, mend="measure all parts", **more,
    )  # fmt: skip


def sort(summary: family.Summary) -> Sorted:
    """All settings of both notes that the run measured, A/A pairs left out; computed once.

    Raises NotEstimableError where it measured none.
    """

    def find() -> Sorted:
        found: dict[str, Effect] = {}
        for note, pairs in (("003", OF_003), ("002", OF_002)):
            for words in pairs:
                if "A/A" in words:
                    continue
                try:
                    found[f"{named(words, summary)} (note {note})"] = ask(pairs, summary, words)
                except BenchbookError:
                    continue
        if not found:
            raise NotEstimableError("this run did not measure the settings one at a time", "measure all parts")
        return Sorted(found)

    return summary.once("settings one at a time", find)


def detectable(summary: family.Summary) -> float:
    """The smallest ratio that this run would see in four of five cases, by how far round 2 differs from itself."""
    again = summary.gain(ROUND_2_AGAIN, ROUND_2)
    return minimum_detectable(again.sd, again.n)
