"""What a run is asked beside what every run is, such as times less the clock's; and what the note is asked."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchbook import notes, statistics
from benchbook.chapters.alex_rocksdb import arms
from benchbook.chapters.alex_rocksdb.metrics import FILES, MEMTABLE
from benchbook.figures import mean_count
from benchbook.measuring.kv import metric_words
from benchbook.measuring.kv.note import latency_us
from benchbook.model import Estimate
from benchbook.numbers import summary
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.summary import NotEstimableError
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


class Summary(summary.Summary[arms.Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    def smallest(self) -> str:
        """The configuration with the parts timed at the fewest rows."""
        return arms.sized(self.parameters, self.parameters.small_rows)

    def sizes(self) -> str:
        """Rows, after the blocks."""
        return f", {self.parameters.rows:,} rows unless stated otherwise"

    def positive(self, arm: str, metric: str) -> np.ndarray:
        """The same for a time less the clock's own; NotEstimableError when the clock takes all of it."""
        values = self.values(arm, metric)
        if values.min() <= 0:
            raise NotEstimableError(
                f"{self.in_words(metric)} of “{self.label(arm)}” is below the cost of reading the clock",
                "raise rows, or measure on a machine with a cheaper clock",
            )
        return values

    def share(self, arm: str, metric: str, of: str = "lookups") -> Estimate:
        """Mean share of a query's time over trials, resolved by the number of look-ups.

        What is left of the rest without the clock may come out below 0; such a share has no logit, and the interval
        is then that of a mean.
        """
        values = self.values(arm, metric)
        if values.min() < 0 or values.max() > 1:
            return self.estimated(statistics.arithmetic_mean, values)
        return super().share(arm, metric, of)

    def additivity(self) -> Estimate:
        """What the parts take one by one, over the query that has both; 1 when they neither hide nor hinder each other.

        Each trial without a part still holds the loop, so the loop is taken off once.
        """
        first, second, loop, both = (
            self.values(arm, "mean_ns") for arm in (arms.NO_ENGINE, arms.NO_INDEX, arms.NOTHING, arms.LOOP)
        )
        return self.estimated(statistics.ratio, first + second - loop, both)

    def between_processes(self) -> Estimate:
        """Coefficient of variation of the mean query time between fresh processes of one configuration.

        One process of each block counts: the A/A pair's two share the block's moment and are no two witnesses of it.
        """
        return statistics.sd_interval(self.positive(arms.LOOP, "mean_ns"))

    def engine_share_of_growth(self) -> Estimate:
        """RocksDB's part of what a query takes longer at the most rows than at the fewest.

        Growth is a difference, so what reading the clock costs is in neither number.
        """
        engine, query = (
            self.values(arms.PARTS, metric) - self.values(self.smallest(), metric)
            for metric in ("engine_net_ns", "query_net_ns")
        )
        if query.min() <= 0:
            raise NotEstimableError(
                "in one block the query took no longer with the most rows than with the fewest, so there is no growth "
                "to divide",
                "raise rows or blocks",
            )
        return self.estimated(statistics.arithmetic_mean, engine / query)

    def index_against_engine(self, kind: str) -> Estimate:
        """Growth of ALEX's time over that of RocksDB's, within the same queries. kind: mean, or net of the clock."""
        index, engine = (
            self.positive(arms.PARTS, metric) / self.positive(self.smallest(), metric)
            for metric in (f"index_{kind}_ns", f"engine_{kind}_ns")
        )
        return self.estimated(statistics.ratio, index, engine)

    def note_tree_against_btree(self) -> Estimate:
        """Growth of the note's multi-level tree over that of a B-tree with the same keys, each alone."""
        p = self.parameters
        tree, btree = (
            np.divide(*(self.positive(arms.grown(index, rows), "mean_ns") for rows in (p.rows, p.small_rows)))
            for index in ("note_levels", "btree")
        )
        return self.estimated(statistics.ratio, tree, btree)

    def rows_in(self, arm: str) -> list[str]:
        """Where RocksDB held the rows in each trial, in block order; empty when no trial says."""
        rows = self.in_blocks(arm)
        return [] if "rows_in" not in rows else [str(each) for each in rows["rows_in"] if isinstance(each, str)]

    def state_gate(self, names: frozenset[str]) -> Gate:
        """Whether RocksDB held the rows where the configuration put them, and did nothing else while they were read."""
        wrong = []
        for name, arm in self.configurations.items():
            if name not in names or arm.settings["engine"] == "none":
                continue
            states = self.rows_in(name)
            wanted = FILES if arm.settings["settle"] == "compact" else MEMTABLE
            if arm.settings["options"] != "tool":  # where that store has its rows is for its buffer to say
                off = len(states) - states.count(wanted) or self.run.blocks - len(states)
                if off:
                    wrong.append(f"{off} trials of “{self.label(name)}” did not read from {wanted} alone")
            if self.has(name, "background_work") and self.values(name, "background_work").any():
                wrong.append(f"RocksDB worked in the background during “{self.label(name)}”")
        return Gate("state", not wrong, float(len(wrong)), "; ".join(wrong) or "every store was in its named state")


COMPONENTS = {"index": "ALEX index lookup", "engine": "RocksDB get", "rest": "Overhead/other", "query": "Total"}
"""Name of a part here to its name in the note's breakdown."""


def noted(column: str) -> dict[str, float]:
    """The note's breakdown by part: mean times, ``before_ns``, or shares in %, ``share_percent``."""
    return {part: notes.number("omendb_breakdown", column, component=name) for part, name in COMPONENTS.items()}


def benchmark_ns() -> float:
    """Mean time of a query in the note's benchmark, before the change."""
    return 1_000 * latency_us("OmenDB", "before")


def isolated_ns() -> float:
    """Mean time of a look-up in the note's index alone."""
    return 1_000 * notes.number("omendb_latency", "latency_us", system="ALEX", state="isolated")


def noted_bytes() -> float:
    """What the project reported of its index's memory, a key: an estimate that counts the leaves' headers."""
    return notes.reading("alex_isolated_memory_mib") * 2**20 / notes.reading("alex_isolated_memory_keys")


def note_claims() -> pd.DataFrame:
    """The note's breakdown and the two other times that it prints for the same rows."""
    times, shares = noted("before_ns"), noted("share_percent")
    rows = [(name, f"{times[part]:,.0f}", f"{shares[part]:.1f} %") for part, name in COMPONENTS.items()]
    rows += [("query in the benchmark", f"{benchmark_ns():,.0f}", ""), ("ALEX, isolated", f"{isolated_ns():,.0f}", "")]
    return pd.DataFrame(rows, columns=["10 million rows", "mean (ns)", "share"]).set_index("10 million rows")
