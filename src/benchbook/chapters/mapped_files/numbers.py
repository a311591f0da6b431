"""The numbers of the chapter: time and reads of a look-up, by engine, read-ahead and share in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchbook.chapters.mapped_files.arms import (
    AGAIN,
    ENGINES,
    LMDB,
    ROCKSDB,
    SQLITE,
    SQLITE_CALLS,
    VALUE_FILE,
    Parameters,
    at,
    sized,
)
from benchbook.measuring.kv import metric_words, summary
from benchbook.numbers.estimands import Estimand, level, ratio
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.summary import NotEstimableError

TIME, KIB = "query_mean_ns", "device_kib_per_lookup"
USUAL_KIB = 128
METRICS: Metrics = {
    **metric_words.METRICS,
    KIB: Metric("data read from the disk per look-up", "KiB", format="{:,.1f}".format, heading="read"),
    "held_share": Metric("share of the files in the page cache", "%", 100, heading="in memory"),
    "checked_reads": Metric("number of answers that were checked"),
}


COMPARED: Mapping[str, str] = {engine: label for engine, (label, _) in ENGINES.items() if engine != ROCKSDB}
"""Engine to label, without RocksDB: the shards of its block cache are smaller than a filter, so that each look-up read
the filter again. Its trials stay, and stand in the table alone."""


class Summary(summary.Summary[Parameters]):
    """One run of this chapter."""

    METRICS = METRICS

    def off(self) -> int:
        """Trials in which the page cache held another share of the files than was asked for."""
        return int((self.run.trials["share"] != "as asked for").sum()) if "share" in self.run.trials else 0


def _size(summary: Summary, which: str) -> int:
    """A read-ahead of this run: the smallest, the largest, or Linux's default."""
    sizes = summary.parameters.sizes
    if which == "usual" and USUAL_KIB not in sizes:
        raise NotEstimableError("Linux's default was not measured", "give read_ahead_kib with 128")
    if which == "most" and len(sizes) == 1:
        raise NotEstimableError("one read-ahead was measured", "measure as root, with several read_ahead_kib")
    return {"least": sizes[0], "most": sizes[-1], "usual": USUAL_KIB}[which]


def _arm(engine: str, which: str) -> Callable[[Summary], str]:
    """The configuration of an engine with a read-ahead, at the share that most figures show."""
    return lambda summary: at(engine, _size(summary, which), summary.parameters.middle)


AA = (AGAIN, _arm(VALUE_FILE, "least"))


def _more(engine: str, which: str = "most") -> Estimand:
    """What a look-up takes with that read-ahead over what it takes with the least."""
    return ratio(_arm(engine, which), _arm(engine, "least"), TIME)


def _mapping(which: str) -> Estimand:
    """What a look-up in SQLite takes with its file mapped over what it takes by calls."""
    return ratio(_arm(SQLITE, which), _arm(SQLITE_CALLS, which), TIME)


NUMBERS = {
    **{f"{engine}_more": _more(engine) for engine in COMPARED},
    **{f"{engine}_usual": _more(engine, "usual") for engine in (VALUE_FILE, LMDB)},
    **{f"mapping_{which}": _mapping(which) for which in ("least", "usual", "most")},
    "read_least": level(_arm(VALUE_FILE, "least"), KIB),
    "read_usual": level(_arm(VALUE_FILE, "usual"), KIB),
    "read_most": level(_arm(VALUE_FILE, "most"), KIB),
    "calls_least": level(_arm(SQLITE_CALLS, "least"), KIB),
    "calls_most": level(_arm(SQLITE_CALLS, "most"), KIB),
    "same": ratio(*AA, TIME),
}


def _held(summary: Summary) -> tuple[float, float]:
    held = summary.run.trials["held_share"].dropna()
    return float(held.min()), float(held.max())


WORDS: dict[str, Callable[[Summary], Any]] = {
    "least": lambda summary: sized(_size(summary, "least")),
    "most": lambda summary: sized(_size(summary, "most")),
    "several": lambda summary: len(summary.parameters.sizes) > 1,
    "off": Summary.off,
    "held": _held,
}
