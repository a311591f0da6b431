"""The numbers of the chapter, each once and by name: what the options do on each release, and how far apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from benchbook.chapters.rocksdb_releases.arms import AGAIN, COMPARED, NOTES, OURS, RELEASES, Parameters, at
from benchbook.drawing.two_releases import Comparisons
from benchbook.measuring.kv import metric_words
from benchbook.measuring.kv import summary as family
from benchbook.numbers.estimands import average, ratio
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import percent

TIME, MISSES, BYTES = "lookup_mean_ns", "filter_misses_per_lookup", "file_bytes_per_lookup"
AA = (AGAIN, at(OURS, "files_before"))
COMPARISONS = Comparisons(TIME, COMPARED, at, RELEASES)


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and sentences."""

    METRICS: ClassVar[Metrics] = {
        **metric_words.METRICS,
        MISSES: Metric("misses of the filter per look-up", format="{:.3g}".format, heading="filter"),
        BYTES: Metric("bytes read from files per look-up", "KB", 1e-3, format="{:,.1f}".format, heading="read"),
        "cache_capacity_bytes": Metric("size of the block cache", "MiB", 2**-20, format="{:g}".format, heading="cache"),
        "files_bytes": Metric("size of the files", "MB", 1e-6, format="{:,.1f}".format, heading="files"),
    }

    def all_in_memory(self) -> bool:
        """Whether no row was in a file on either release where all were written as one."""
        arms = [at(release, case) for release in RELEASES for case in ("memtable_before", "memtable_after")]
        held = all(self.values(arm, "memtable_rows").min() >= self.parameters.rows for arm in arms)
        return held and all(self.values(arm, "table_files").max() <= 0 for arm in arms)

    def open_files(self) -> int:
        """How many files the note's release keeps open where nobody says so; -1: all of them."""
        held: dict[str, Any] = self.run.provenance["notes_options"]
        [found] = re.findall(r"\bmax_open_files=(-?\d+)", held["db_options"])
        return int(found)


def _mean(release: str, case: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(at(release, case), metric) / unit


NUMBERS = {
    **COMPARISONS.numbers(),
    **{f"misses_{release}": percent(average(at(release, "files_after"), MISSES)) for release in RELEASES},
    "newer_memtable": ratio(at(NOTES, "memtable_before"), at(OURS, "memtable_before"), TIME),
    "newer_files": ratio(at(NOTES, "files_before"), at(OURS, "files_before"), TIME),
    "newer_default": ratio(at(NOTES, "files_default"), at(OURS, "files_default"), TIME),
    "same": ratio(*AA, TIME),
}
WORDS = COMPARISONS.words() | {
    "all_in_memory": Summary.all_in_memory,
    "open_files": Summary.open_files,
    **{f"cache_{release}": _mean(release, "files_default", "cache_capacity_bytes", 2**20) for release in RELEASES},
    **{f"read_{release}_mb": _mean(release, "files_after", BYTES, 1e6) for release in RELEASES},
    **{f"tables_{release}": _mean(release, "files_after", "table_files") for release in RELEASES},
}
