"""Figures of indexes alone: the time of a look-up, and the memory of a key."""

from __future__ import annotations

from benchbook.experiments.alex_rocksdb import notes
from benchbook.experiments.alex_rocksdb.answers import ALONE
from benchbook.experiments.alex_rocksdb.arms import DEPENDENT, INDEXES, KEYS, THROUGHPUT, alone
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.shape.regular import Ask, Dots, Given
from benchbook.figures import spoken

ACCOUNTS = {"index_bytes_per_key": "the index's own account", "resident_bytes_per_key": "growth of the process"}


def _alone(keys: str, kind: str) -> Ask:
    return lambda summary, index: summary.time(alone(index, keys, kind))


indexes = Dots(
    id=ALONE,
    title="Indexes alone",
    rows=INDEXES,
    series={f"{keys} keys, {kind}": _alone(keys, kind) for keys in KEYS for kind in (THROUGHPUT, DEPENDENT)},
    metric=Summary.METRICS["mean_ns"].but(words="mean time of a look-up", heading="look-up"), row="index",
    words=spoken,
    nothing="This run timed no index alone",
    caption="A look-up of an existing key in an index alone, {p.index_rows:,} keys, uniform look-ups, without a clock "
    "inside. Throughput: the next key is known in advance, and the processor works on several look-ups at once. "
    "Dependent: the next key depends on the last answer. Logarithmic axis; {intervals}.",
    alt="Points with intervals for {n} indexes in {series} series. {said}.",
)  # fmt: skip


def _held(metric: str) -> Ask:
    return lambda summary, index: summary.level(alone(index, "random", THROUGHPUT), metric)


memory = Dots(
    id="fig-alex-bytes",
    title="Bytes per key",
    rows=INDEXES,
    series={name: _held(metric) for metric, name in ACCOUNTS.items()},
    axis="bytes per key", row="index",
    given=lambda summary: [Given("the project's own number", {"": notes.bytes_per_key()}, line="dash", listed=False)],
    nothing="No index reported its size in this run",
    caption="Memory of an index with {p.index_rows:,} random keys, keys and eight bytes of value included: by its own "
    "count, if it has one, and by the growth of its process. The project reported {more} bytes per key. Logarithmic "
    "axis; {intervals}.",
    alt="Points for {n} indexes, with a line at {more} bytes. {said}.",
    told=lambda summary: f"{notes.bytes_per_key():.1f}",
)  # fmt: skip
