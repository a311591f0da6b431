"""Figures of indexes alone: the time of a look-up, and the memory of a key."""

from __future__ import annotations

from benchbook.experiments.alex_rocksdb import notes
from benchbook.experiments.alex_rocksdb.arms import DEPENDENT, INDEXES, KEYS, THROUGHPUT, alone
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.shape.regular import Ask, Dots, Given
from benchbook.figures import spoken

ACCOUNTS = {"index_bytes_per_key": "the index's own account", "resident_bytes_per_key": "growth of the process"}


def _alone(keys: str, kind: str) -> Ask:
    return lambda summary, index: summary.time(alone(index, keys, kind))


indexes = Dots(
    rows=INDEXES,
    series={f"{keys} keys, {kind}": _alone(keys, kind) for keys in KEYS for kind in (THROUGHPUT, DEPENDENT)},
    metric=Summary.METRICS["mean_ns"].but(words="mean time of a look-up", heading="look-up"), row="index",
    words=spoken,
    nothing="This run timed no index alone",
)  # fmt: skip


def _held(metric: str) -> Ask:
    return lambda summary, index: summary.level(alone(index, "random", THROUGHPUT), metric)


memory = Dots(
    rows=INDEXES,
    series={name: _held(metric) for metric, name in ACCOUNTS.items()},
    axis="bytes per key", row="index",
    given=lambda summary: [Given("the project's own number", {"": notes.bytes_per_key()}, line="dash", listed=False)],
    nothing="No index reported its size in this run",
)  # fmt: skip
