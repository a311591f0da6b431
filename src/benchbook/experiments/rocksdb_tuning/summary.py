"""What a run of this chapter is asked beside what every run is: several configurations together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchbook.experiments.families.kv import metric_words, piloted
from benchbook.experiments.rocksdb_tuning.arms import SMALLER_ROWS, Parameters
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.figures import mean_count

TIME = piloted.TIME
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


class Summary(piloted.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    def together(self, arms: Sequence[str]) -> np.ndarray:
        """Geometric mean of the mean look-up of several configurations, in ns, shape (blocks,)."""
        return np.asarray(np.exp(np.mean([np.log(self.values(arm, TIME)) for arm in arms], axis=0)))

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        left = [f"{rows:,} rows left out" for rows in SMALLER_ROWS if rows not in self.parameters.smaller_rows]
        return [*left, *super().departures()]

    def sizes(self) -> str:
        """Rows, after the blocks."""
        return f", {self.parameters.rows:,} rows unless stated otherwise"
