"""What a run is asked beside what every run is: its ways, caches, huge pages, the best Option A, and earlier runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from benchbook import project, statistics, store
from benchbook.chapters.read_path import arms
from benchbook.chapters.read_path.measure import READ
from benchbook.measuring.kv import metric_words, summary
from benchbook.measuring.kv.checks import compared
from benchbook.model import Run
from benchbook.numbers.estimands import named
from benchbook.numbers.host_kinds import processor_name
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import Told
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics import Gate
from benchbook.statistics.gates import each_trial

MEAN, P50 = "batch_mean_ns", "query_p50_ns"
EACH = "query_mean_ns"
"""Mean of look-ups that are timed one by one."""
MAPPED, FILE_BYTES = "mapped_bytes", "disk_bytes_per_key"
DISCARDED = "discarded_lookups"
HELD, LOOKUP_KIB = "held_share", "device_kib_per_lookup"
INDEX_BYTES = "index_bytes_per_key"
METRICS: Metrics = {
    **metric_words.METRICS,
    MEAN: Metric("mean time of a look-up", "ns", heading="mean"),
    **{name: metric_words.METRICS[name].but(unit="ns", factor=1.0) for name in (P50, "query_p99_ns", "query_p999_ns")},
    "scan_p50_ns": Metric("P50 of a scan", "ns", heading="scan P50"),
    "write_ns_per_row": Metric("time of a durable write, per row", "µs", 1e-3),
    "syncs_per_batch": Metric("number of syncs per write", format="{:.2g}".format),
    "reopen_s": Metric("time until the store is open again", "ms", 1e3),
    "load_s": Metric("time to fill the store", "s", format="{:,.1f}".format, heading="filled in"),
    FILE_BYTES: Metric("bytes of the files per key", format="{:,.1f}".format, heading="file bytes per key"),
    "huge_page_bytes": Metric("memory in huge pages", "MB", 1e-6),
    MAPPED: Metric("memory that look-ups mapped from files", "MB", 1e-6),
    HELD: Metric("share of the store's files in the page cache", "%", 100),
    LOOKUP_KIB: Metric("KiB read from the device per look-up", format="{:,.2f}".format),
    "operations": Metric("number of look-ups"),
    DISCARDED: Metric("number of look-ups that did not count"),
    "right_answers": Metric("number of right answers"),
}
MAPPED_SHARE = 0.5
"""Of the value file, what its look-ups must have mapped into memory beyond those of what it replaces."""
HUGE_SHARE = 0.9
"""An index lies in huge pages when at least so much of it does."""


class Summary(summary.Summary[arms.Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS
    MEND = "raise operations and scans, or leave this number out"

    def way(self, way: str) -> list[str]:
        """Configurations measured in this way, in the order of the figures."""
        return [arm for arm in self.arms if self.configurations[arm].settings["way"] == way]

    def halves(self) -> list[str]:
        """Configurations that are compared where memory holds half of a store.

        RocksDB is none: the shards of its small block cache are smaller than a filter, which each look-up read again.
        """
        return [arm for arm in self.way(arms.HALF) if arm != arms.ROCKSDB_HALF]

    def base(self, arm: str) -> str:
        """The value file that takes turns with a configuration of the random look-ups: what it is held against."""
        return arms.VALUE_FILE_BESIDE if arm in arms.SECOND else arms.VALUE_FILE

    def passes(self, arm: str) -> float:
        """How many times a configuration's look-ups along the stride went over its keys, those discarded included."""
        made = self.mean(arm, "operations")
        made += self.mean(arm, DISCARDED) if self.has(arm, DISCARDED) else 0.0
        return made / self.parameters.stride_operations

    def best_option_a(self) -> str:
        """The fastest of the settings that stand for Option A. Chosen in the blocks that judge it, which favours it."""
        return min(arms.OPTION_A, key=lambda arm: float(np.log(self.values(arm, MEAN)).mean()))

    def own_table(self) -> str:
        """The faster of RocksDB's tables for mapped files."""
        return min(arms.OWN_TABLES, key=lambda arm: self.level(arm, P50).point)

    def multiples(self) -> dict[str, Told]:
        """P50 of every other engine over that of its group's value file, with intervals that hold together."""
        others = self.having((*arms.RIVALS, *arms.BESIDES), P50)
        compared = [arm for arm in others if self.has(self.base(arm), P50)]
        if not compared:
            raise NotEstimableError("no other engine was timed", "measure again")
        ratios = {arm: self.values(arm, P50) / self.values(self.base(arm), P50) for arm in compared}
        effects = self.estimated(statistics.many_to_one, np.ones(self.run.blocks), ratios)
        return {self.label(arm): Told(effect) for arm, effect in effects.items()}

    def gates(self, names: Iterable[str]) -> list[Gate]:
        """Every answer of these configurations was compared, and none of their stores was read from the device."""
        rows = self.of(names)
        cold = rows.get("cache_state", pd.Series("", index=rows.index)) == READ
        reason = f"{cold.sum()} of {len(rows)} trials read their store from the device"
        return [*compared(rows, "right_answers", "operations"), each_trial("warm", cold, rows["block"], reason)]

    def share_in_huge_pages(self) -> float:
        """Share of the value file's index that the kernel put into huge pages where it was asked to, at most 1."""
        index = self.values(arms.VALUE_FILE, INDEX_BYTES) * self.parameters.rows
        return float(np.minimum(1.0, self.values(arms.VALUE_FILE, "huge_page_bytes") / index).mean())

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p, found = self.parameters, []
        if p.existence_keys < arms.WANTED_KEYS:
            found.append(f"{p.existence_keys:,} keys of each class where {arms.WANTED_KEYS:,} are asked")
        counted = self.has(arms.VALUE_FILE, "huge_page_bytes", INDEX_BYTES)
        if counted and (share := self.share_in_huge_pages()) < HUGE_SHARE:
            found.append(f"huge pages for {share:.0%} of the index where all of it is asked")
        return [*found, *super().departures()]

    def sizes(self) -> str:
        """Rows, after the blocks."""
        return f", {self.parameters.rows:,} rows unless stated otherwise"

    def earlier(self, top: str, bottom: str, metric: str) -> dict[tuple[str, bool], list[Told]]:
        """Ratios of a time of two configurations in published runs of earlier versions, which decide nothing.

        By processor, "" where none was recorded, and whether configurations took turns. A run that asked for other rows
        is left out.
        """
        found: dict[tuple[str, bool], list[Told]] = {}
        for run in _earlier_runs(self):
            there = replace(self, run=run)
            if there.having((top, bottom), metric) == [top, bottom]:
                where = (processor_name(run.provenance) or "", "turns" in run.trials)
                found.setdefault(where, []).append(Told(there.ratio((top, metric), (bottom, metric))))
        return found


def _earlier_runs(summary: Summary) -> Iterator[Run]:
    """The chapter's published runs that an earlier version of it measured with as many rows."""
    version, rows = summary.run.measurement_version, summary.parameters.rows
    for folder in sorted((project.published() / summary.chapter.name).glob("*/run.json")):
        run = _stored(str(folder.parent))
        if run.measurement_version < version and run.parameters["rows"] == rows:
            yield run


@lru_cache(maxsize=32)
def _stored(folder: str) -> Run:
    """Published runs do not change."""
    return store.read_run(Path(folder), published=True)


def not_from_the_file(
    *others: str | Callable[[Summary], str], value_file: str = arms.BYPASS
) -> Callable[[Summary], str]:
    """Why look-ups of the value file read no other place than ``others`` did; "" where they read its pages."""

    def why(summary: Summary) -> str:
        wanted = MAPPED_SHARE * summary.values(value_file, FILE_BYTES) * summary.parameters.rows
        for other in (named(each, summary) for each in others):
            more = summary.values(value_file, MAPPED) - summary.values(other, MAPPED)
            missed = int((more < wanted).sum())
            if missed:
                return (
                    f"in {missed} of {len(more)} blocks look-ups of the value file mapped less than "
                    f"{MAPPED_SHARE:.0%} of it into memory beyond what “{summary.label(other)}” mapped"
                )
        return ""

    return why
