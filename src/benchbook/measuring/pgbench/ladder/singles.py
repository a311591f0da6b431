"""Settings one at a time: which configurations show each, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchbook.drawing.regular import Dots, Given
from benchbook.errors import BenchbookError
from benchbook.measuring.pgbench import summary as family
from benchbook.model import Effect
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics import minimum_detectable

AXIS = "throughput with the setting over that without (above 1: faster)"
SMALL, SOLD = 0.03, 0.05
"""An effect within 3 % on either side counts as none to speak of; 5 % is the least that the notes sell."""
BAND, SOLD_BAND = (
    Given(f"{100 * share:g} % less or more", {"less": 1 - share, "more": 1 + share}, line="dash", listed=False)
    for share in (SMALL, SOLD)
)
Pairs = Mapping[str, tuple[str, str]]
"""A setting in words, to the configuration with it and the one beside it without; a figure's rows are called so."""
OF_003: Pairs = {
    "nothing (A/A)": ("round_2_again", "round_2"),
    "max_worker_processes 4 instead of 8": ("round_2", "workers_default"),
    "bgwriter_delay 10 ms instead of 200": ("round_2", "bgwriter_200"),
    "bgwriter_lru_multiplier 4 instead of 2": ("round_1_multiplier_4", "round_1_beside"),
    "bgwriter_lru_multiplier 5 instead of 4": ("multiplier_5", "round_2"),
    "bgwriter_lru_maxpages 500 instead of 1,000": ("round_1_maxpages_500", "round_1_beside"),
    "effective_io_concurrency 100 instead of 200": ("round_1_cold_io_100", "round_1_cold"),
    "random_page_cost 1.1 instead of 4": ("round_2", "page_cost_4"),
    "autovacuum_naptime 10 trials instead of 1": ("naptime_10", "round_2"),
    "wal_compression on instead of off": ("round_2", "no_compression"),
    "wal_buffers 128 MB instead of 16": ("round_2", "wal_buffers_16"),
    "wal_writer_delay 10 ms instead of 200": ("round_2", "wal_writer_200"),
    "wal_writer_flush_after 2 MB instead of 1": ("round_1_flush_2mb", "round_1_beside"),
    "commit_siblings 3 instead of 5": ("round_1_siblings_3", "round_1_beside"),
    "commit_delay 10 µs instead of 0": ("delay_10", "round_2"),
    "commit_delay 50 µs instead of 0": ("delay_50", "round_2"),
    "commit_delay 200 µs instead of 0": ("delay_200", "round_2"),
}
OF_002: Pairs = {
    "nothing, small pool (A/A)": ("scenario_a_again", "scenario_a"),
    "max_worker_processes 32 instead of 8": ("processes_32", "baseline"),
    "max_parallel_workers 32 instead of 8": ("parallel_32", "processes_32"),
    "max_parallel_workers_per_gather 8 instead of 4": ("scenario_a", "parallel_32"),
    "nothing, large pool (A/A)": ("scenario_b_again", "scenario_b"),
    "effective_cache_size 2.25 × data instead of 0.2": ("scenario_b", "b_cache_default"),
    "work_mem 53 MB instead of 4": ("scenario_b", "b_work_mem_4"),
    "bgwriter_delay 10 ms instead of 200": ("scenario_b", "b_bgwriter_200"),
    "bgwriter_lru_multiplier 10 instead of 2": ("scenario_b", "b_multiplier_2"),
    "bgwriter_lru_maxpages 1,250 instead of 1,000": ("scenario_b", "b_maxpages_1000"),
    "commit_delay 50 µs instead of 0": ("scenario_b", "b_delay_0"),
    "commit_siblings 10 instead of 5": ("scenario_b", "b_siblings_5"),
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


def rows(pairs: Pairs, summary: family.Summary) -> dict[str, str]:
    return {words: named(words, summary) for words in pairs}


def ask(pairs: Pairs, summary: family.Summary, words: str) -> Effect:
    return summary.gain(*pairs[words])


def dots(pairs: Pairs, band: Given, nothing: str, **more: Any) -> Dots:
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
            for words, pair in pairs.items():
                if "A/A" not in words:
                    with suppress(BenchbookError):
                        found[f"{named(words, summary)} (note {note})"] = summary.gain(*pair)
        if not found:
            raise NotEstimableError("this run did not measure the settings one at a time", "measure all parts")
        return Sorted(found)

    return summary.once("settings one at a time", find)


def detectable(summary: family.Summary) -> float:
    """The smallest ratio that this run would see in four of five cases, by how far round 2 differs from itself."""
    again = summary.gain("round_2_again", "round_2")
    return minimum_detectable(again.sd, again.n)
