"""What a run of this chapter is asked beside what every run is: times less the clock's, shares, where the rows lay."""

from __future__ import annotations

import numpy as np

from benchbook import statistics
from benchbook.experiments.alex_rocksdb.arms import NOTHING, Parameters
from benchbook.experiments.alex_rocksdb.metrics import FILES, MEMTABLE
from benchbook.experiments.families.kv import metric_words
from benchbook.experiments.families.kv.checks import compared
from benchbook.experiments.shape import summary
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import mean_count
from benchbook.model import Estimate
from benchbook.statistics import Gate

_PARTS = {"query": "a query", "index": "ALEX", "engine": "RocksDB's get", "rest": "the rest of a query"}
_TIMES = {"mean_ns": "mean time", "p50_ns": "P50", "p99_ns": "P99", "p999_ns": "P99.9"}


def _of_a_part(part: str, words: str) -> dict[str, Metric]:
    return {
        **{f"{part}_{name}": Metric(f"{word} of {words}", "ns") for name, word in _TIMES.items()},
        f"{part}_net_ns": Metric(f"mean time of {words} less the clock's", "ns"),
        f"{part}_share": Metric(f"share of {words} in a query's mean time", "%", 100),
        f"{part}_net_share": Metric(f"share of {words} in a query's mean time less the clock's", "%", 100),
    }


METRICS: Metrics = {
    **metric_words.METRICS,
    **{name: metric for part, words in _PARTS.items() for name, metric in _of_a_part(part, words).items()},
    "mean_ns": Metric("mean time of a query", "ns", heading="mean"),
    "timer_ns": Metric("time to read the clock", "ns"),
    "background_work": Metric("number of flushes and compactions that were running"),
    "files": Metric("number of table files", format=mean_count, heading="files"),
    "writes": Metric("number of writes that loaded the rows", heading="writes"),
    "leaves": Metric("number of leaves"),
    "depth": Metric("depth of the index"),
    "row_cache_hits": Metric("number of row cache hits", heading="row cache hits"),
    "memtable_hits": Metric("number of look-ups that the memtable answered", heading="memtable hits"),
    "memtable_misses": Metric("number of look-ups that the memtable did not answer", heading="memtable misses"),
    "block_cache_hits": Metric("number of block cache hits", heading="block cache hits"),
    "block_cache_misses": Metric("number of block cache misses", heading="block cache misses"),
    "bloom_useful": Metric("number of look-ups that a Bloom filter rejected", heading="bloom useful"),
    "bloom_passed": Metric("number of look-ups that a Bloom filter passed", heading="bloom passed"),
}


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    def positive(self, arm: str, metric: str) -> np.ndarray:
        """The same for a time less the clock's own; NotEstimableError when the clock takes all of it."""
        values = self.values(arm, metric)
        if values.min() <= 0:
            raise NotEstimableError(
                f"{self.in_words(metric)} of “{self.label(arm)}” is below the cost of reading the clock",
                "raise rows, or measure on a machine with a cheaper clock",
            )
        return values

    def time(self, arm: str, metric: str = "mean_ns") -> Estimate:
        """Geometric mean over trials in nanoseconds, with its interval."""
        return self.level(arm, metric)

    def share(self, arm: str, metric: str, of: str = "lookups", *, confidence: float = 0.95) -> Estimate:
        """Mean share of a query's time over trials, resolved by the number of look-ups.

        What is left of the rest without the clock may come out below 0; such a share has no logit, and the interval
        is then that of a mean.
        """
        values = self.values(arm, metric)
        if values.min() < 0 or values.max() > 1:
            return statistics.arithmetic_mean(values, confidence=confidence, sessions=self.sessions)
        return super().share(arm, metric, of, confidence=confidence)

    def rows_in(self, arm: str) -> list[str]:
        """Where RocksDB held the rows in each trial, in block order; empty when no trial says."""
        rows = self.in_blocks(arm)
        return [] if "rows_in" not in rows else [str(each) for each in rows["rows_in"] if isinstance(each, str)]

    def consistency_gates(self) -> list[Gate]:
        """Every look-up was checked against what was written; without store and index there is no answer."""
        return compared(self.run.trials[self.run.trials["configuration"] != NOTHING])

    def state_gates(self, arms: frozenset[str]) -> list[Gate]:
        """Whether RocksDB held the rows where the configuration put them, and did nothing else while they were read."""
        expected = {name: arm for name, arm in self.configurations.items() if name in arms}
        wrong = []
        for name, arm in expected.items():
            if arm.settings["engine"] == "none":
                continue
            states = self.rows_in(name)
            wanted = FILES if arm.settings["settle"] == "compact" else MEMTABLE
            if arm.settings["options"] != "tool":  # where that store has its rows is for its buffer to say
                off = len(states) - states.count(wanted) or self.run.blocks - len(states)
                if off:
                    wrong.append(f"{off} trials of “{self.label(name)}” did not read from {wanted} alone")
            if self.has(name, "background_work") and self.values(name, "background_work").any():
                wrong.append(f"RocksDB worked in the background during “{self.label(name)}”")
        return [Gate("state", not wrong, float(len(wrong)), "; ".join(wrong) or "every store was in its named state")]

    def sizes(self) -> str:
        """Rows, after the blocks."""
        return f", {self.parameters.rows:,} rows unless stated otherwise"
