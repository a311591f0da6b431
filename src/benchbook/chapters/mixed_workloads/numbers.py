"""The numbers of the chapter: each store over RocksDB under each workload, and what the options do to inserts."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.chapters.mixed_workloads.arms import (
    AFTER,
    AGAIN,
    ALEX,
    BEFORE,
    FILE,
    LMDB,
    LOOKUP,
    NOTE,
    REDB,
    ROCKSDB,
    SQLITE,
    WORKLOADS,
    A,
    C,
    Parameters,
    at,
)
from benchbook.measuring.kv import metric_words, summary
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import average, level, ratio
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.statistics import Gate

AA = (AGAIN, AFTER)
INSERT, OPERATION, READ, UPDATE, AMPLIFICATION, LOOKED_UP = (
    "insert_mean_ns", "operation_mean_ns", "read_p99_ns", "update_p99_ns", "write_amplification", "lookup_mean_ns",
)  # fmt: skip
US = 1e-3
SYNCED = 0.01
"""Syncs for each operation that RocksDB may make when it writes a file in the background."""
METRICS: Metrics = {
    **metric_words.METRICS,
    INSERT: Metric("mean time of an insert", "µs", US, "{:.3g}".format, heading="insert"),
    OPERATION: Metric("mean time of an operation", "µs", US, heading="operation"),
    READ: Metric("P99 of a read", "µs", US, heading="read, P99"),
    UPDATE: Metric("P99 of an update", "µs", US, heading="update, P99"),
    "update_max_ns": Metric("longest update", "ms", 1e-6, "{:.3g}".format, heading="longest update"),
    AMPLIFICATION: Metric("bytes written for each byte given", format="{:.2f}".format, heading="written ÷ given"),
    "run_syncs": Metric("number of syncs during the operations", heading="syncs while it works"),
}
OTHERS = (NOTE, ALEX, SQLITE, LMDB, REDB, FILE)


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """No write waited for the device, in any store."""
    trials = summary.run.trials
    if "run_syncs" not in trials:
        return []
    each = (trials["run_syncs"] / trials["operations"]).dropna()
    said = f"{each.max():.2g} syncs for each operation at most, where background work alone may sync"
    return [Gate("durability", bool(each.max() <= SYNCED), float(each.max()), said)]


NUMBERS = {
    "insert": ratio(BEFORE, AFTER, INSERT),
    "insert_us": level(AFTER, INSERT, 1e3),
    **{
        f"{name}_{store}": ratio(at(name, store), at(name, ROCKSDB), OPERATION)
        for name in WORKLOADS
        for store in OTHERS
    },
    **{f"amplification_{store}": average(at(A, store), AMPLIFICATION) for store in (ROCKSDB, SQLITE, LMDB, REDB, FILE)},
    **{
        f"file_over_{store}": ratio(at(LOOKUP, FILE), at(LOOKUP, store), LOOKED_UP, aa=INSERT) for store in (REDB, LMDB)
    },
    "lookup_redb": level(at(LOOKUP, REDB), LOOKED_UP, 1e3),
    "tail_updates": ratio(at(A, LMDB), at(A, ROCKSDB), UPDATE),
    "tail_reads": ratio(at(A, LMDB), at(A, ROCKSDB), READ),
    "worst_rocksdb": level(at(A, ROCKSDB), "update_max_ns", 1e6),
    "updates_cost": ratio(at(A, ROCKSDB), at(C, ROCKSDB), OPERATION),
    "equal": ratio(*AA, INSERT),
}
WORDS = {
    "left_out": lambda summary: summary.run.provenance.get("left_out", {}),
    "redb_version": lambda summary: summary.run.provenance.get("redb", "of an unknown version"),
}
