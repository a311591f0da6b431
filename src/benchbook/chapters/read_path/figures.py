"""The figures: look-ups along the stride and at random, speed-ups over each SQLite, indexes alone, durable stores."""

from __future__ import annotations

from functools import partial

from benchbook.chapters.read_path import arms
from benchbook.chapters.read_path.numbers import WORDS
from benchbook.chapters.read_path.summary import EACH, FILE_BYTES, INDEX_BYTES, MEAN, METRICS, P50, Summary
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.regular import Dots, Given, level
from benchbook.figures import with_interval
from benchbook.model import Estimate
from benchbook.numbers.metrics import Metric

IN_HUGE_PAGES = {arms.VALUE_FILE, arms.VALUE_FILE_AGAIN, arms.VALUE_FILE_BESIDE, arms.VALUE_FILE_HASH}
WAYS = {
    (arms.SQLITE_AUTOCOMMIT, arms.VALUE_FILE, EACH): "prepared once (random keys)",
    (arms.SQLITE_BEST, arms.VALUE_FILE, EACH): "at its best (random keys)",
    (arms.SQLITE_AS_RUN, arms.BYPASS, MEAN): "as the note ran it (the note's stride)",
}
"""Which two are compared by which mean time, to the use of SQLite."""
dots = partial(Dots, heading="what", nothing="This run timed nothing")


def _hoped(summary: Summary) -> list[Given]:
    lines = {"the note's target": ("target", "dash"), "forecast, low end": ("forecast_low", "dot")}
    lines |= {"forecast, high end": ("forecast_high", "dashdot")}
    return [Given(name, {"": WORDS[word](summary)}, line=dash, listed=False) for name, (word, dash) in lines.items()]


def _index_bytes(summary: Summary, arm: str) -> Estimate:
    """Bytes of index a key; of the hash table, which does not count them, those where it stood alone."""
    if arm == arms.VALUE_FILE_HASH_SMALL and not summary.has(arm, INDEX_BYTES):
        arm = arms.HASH_PRESENT
    return summary.level(arm, INDEX_BYTES)


def _durable(metric: str, shown: Metric) -> partial[Dots]:
    """One metric of the stores that were written durably, by engine. shown: as the figure shows it."""
    return partial(
        dots, rows=lambda summary: summary.way(arms.DURABLE), series={shown.axis: level(metric)}, metric=shown,
        nothing="This run made no durable writes",
    )  # fmt: skip


def _scans(summary: Summary) -> Dots:
    """P50 of range scans; what keeps no order has no row."""
    words = f"P50 of a scan of {summary.parameters.scan_rows:,} rows"
    return _durable("scan_p50_ns", METRICS["scan_p50_ns"].but(words=words, unit="µs", factor=1e-3, heading=""))()


FIGURES = {
    "stride": dots(
        rows=lambda summary: summary.way(arms.STRIDE), series={"mean": level(MEAN)},
        metric=METRICS[MEAN].but(unit="µs", factor=1e-3), words=lambda e: f"{with_interval(e, 1e-3)} µs",
    ),
    "speed_up": dots(
        rows=WAYS, series={"speed-up": lambda summary, way: summary.over(*way)},
        axis="time of SQLite / time of ALEX + value file (right of 1 = value file faster)",
        quantity="speed-up", given=_hoped,
    ),
    "gets": dots(
        rows=lambda summary: summary.way(arms.UNIFORM),
        series={"P50": level(P50), "P99": level("query_p99_ns"), "P99.9": level("query_p999_ns")},
        axis="time of a look-up (µs)", quantity="time (µs)", factor=1e-3,
    ),
    "half": dots(
        rows=Summary.halves,
        series={"mean": level(EACH), "P50": level(P50), "P99": level("query_p99_ns")},
        axis="time of a look-up (µs)", quantity="time (µs)", factor=1e-3,
        nothing="This run did not bound memory", mend="measure as root, with bound_memory=true",
    ),
    "index": dots(
        rows=lambda summary: summary.way(arms.INDEX), series={"mean": level(MEAN)},
        metric=METRICS[MEAN].but(words="mean time of a dependent look-up"), words=lambda e: f"{with_interval(e)} ns",
    ),
    "scans": _scans,
    "writes": _durable("write_ns_per_row", METRICS["write_ns_per_row"])(
        more={"syncs per write": lambda summary, arm: summary.mean(arm, "syncs_per_batch")}
    ),
    "opening": _durable("reopen_s", METRICS["reopen_s"])(),
    "bytes": dots(
        # Bytes do not depend on the pages in which they lie.
        rows=lambda summary: [arm for arm in summary.way(arms.UNIFORM) if arm not in IN_HUGE_PAGES],
        series={"files": level(FILE_BYTES), "index in memory": _index_bytes}, axis="bytes per key", scale="zero",
        given=lambda summary: [
            Given("key and value alone", {"": 8 + summary.parameters.value_bytes}, line="dash", listed=False)
        ],
        nothing="No store counted its bytes in this run",
    ),
    "claims": ClaimFigure(),
}  # fmt: skip
