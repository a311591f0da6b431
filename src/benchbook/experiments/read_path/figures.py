"""The figures: look-ups along the stride and at random, speed-ups over each SQLite, indexes alone, durable stores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from benchbook import statistics
from benchbook.experiments.read_path.arms import (
    ALEX_PRESENT,
    BESIDES,
    BYPASS,
    DURABLE,
    DURABLE_VALUE_FILE,
    HALF,
    HASH_PRESENT,
    INDEX,
    RIVALS,
    SQLITE_AS_RUN,
    SQLITE_AUTOCOMMIT,
    SQLITE_BEST,
    STRIDE,
    UNIFORM,
    VALUE_FILE,
    VALUE_FILE_AGAIN,
    VALUE_FILE_BESIDE,
    VALUE_FILE_HASH,
    VALUE_FILE_HASH_SMALL,
)
from benchbook.experiments.read_path.numbers import WORDS
from benchbook.experiments.read_path.summary import (
    EACH,
    FILE_BYTES,
    INDEX_BYTES,
    MEAN,
    METRICS,
    P50,
    Summary,
)
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.metrics import Metric
from benchbook.experiments.shape.regular import Dots, Found, Given, level
from benchbook.experiments.shape.telling import told
from benchbook.figures import with_interval
from benchbook.model import Estimate

QUANTILES = {P50: "P50", "query_p99_ns": "P99", "query_p999_ns": "P99.9"}
IN_HUGE_PAGES = {VALUE_FILE, VALUE_FILE_AGAIN, VALUE_FILE_BESIDE, VALUE_FILE_HASH}
WAYS = {
    (VALUE_FILE, SQLITE_AUTOCOMMIT, EACH): "prepared once (random keys)",
    (VALUE_FILE, SQLITE_BEST, EACH): "at its best (random keys)",
    (BYPASS, SQLITE_AS_RUN, MEAN): "as the note ran it (the note's stride)",
}
"""Which two are compared by which mean time, to the use of SQLite."""


dots = partial(Dots, heading="what", nothing="This run timed nothing")


strides = dots(
    rows=lambda summary: summary.way(STRIDE),
    series={"mean": level(MEAN)},
    metric=METRICS[MEAN].but(unit="µs", factor=1e-3),
    words=lambda e: f"{with_interval(e, 1e-3)} µs",
)  # fmt: skip


def _faster(summary: Summary, way: tuple[str, str, str]) -> Estimate:
    return summary.times_faster(*way)


def _hoped(summary: Summary) -> list[Given]:
    target, low, high = (WORDS[name](summary) for name in ("target", "forecast_low", "forecast_high"))
    lines = {"the note's target": (target, "dash"), "forecast, low end": (low, "dot")}
    lines |= {"forecast, high end": (high, "dashdot")}
    return [Given(name, {"": value}, line=dash, listed=False) for name, (value, dash) in lines.items()]


def _speed_ups(summary: Summary, found: Found) -> str:
    [marks] = found.values()
    return "; ".join(f"SQLite {use}: {with_interval(e)} times" for use, e in marks.items())


speed_ups = dots(
    rows=WAYS,
    series={"speed-up": _faster},
    axis="time of SQLite / time of ALEX + value file", quantity="speed-up",
    given=_hoped,
    said=_speed_ups,
)  # fmt: skip


def _multiples(summary: Summary, found: Found) -> str:
    """P50 of every other engine over that of its group's value file, with intervals that hold together."""
    compared = [arm for arm in summary.having((*RIVALS, *BESIDES), P50) if summary.has(summary.base(arm), P50)]
    if not compared:
        return "not estimable"
    ratios = {arm: summary.values(arm, P50) / summary.values(summary.base(arm), P50) for arm in compared}
    effects = statistics.many_to_one(np.ones(summary.run.blocks), ratios, sessions=summary.sessions)
    return "; ".join(f"{summary.label(arm)} {with_interval(effect)}" for arm, effect in effects.items())


gets = dots(
    rows=lambda summary: summary.way(UNIFORM),
    series={name: level(metric) for metric, name in QUANTILES.items()},
    axis="time of a look-up (µs)", quantity="time (µs)", factor=1e-3,
    said=_multiples,
)  # fmt: skip


def _alone(summary: Summary, found: Found) -> str:
    [marks] = found.values()
    said = "; ".join(f"{label} {with_interval(e)} ns" for label, e in marks.items())
    ratio = told(lambda: with_interval(summary.times_faster(HASH_PRESENT, ALEX_PRESENT, MEAN)))
    return said + "".join(f". For keys that exist ALEX takes {each} times as long as the hash table" for each in ratio)


indexes = dots(
    rows=lambda summary: summary.way(INDEX),
    series={"mean": level(MEAN)},
    metric=METRICS[MEAN].but(words="mean time of a dependent look-up"),
    said=_alone,
)  # fmt: skip


def _index_bytes(summary: Summary, arm: str) -> Estimate:
    """Bytes of index a key; of the hash table, which does not count them, those where it stood alone."""
    if arm == VALUE_FILE_HASH_SMALL and not summary.has(arm, INDEX_BYTES):
        arm = HASH_PRESENT
    return summary.level(arm, INDEX_BYTES)


def _held(summary: Summary, found: Found) -> str:
    on_disk, indexed = (found.get(name, {}) for name in ("files", "index in memory"))
    parts = []
    for label in dict.fromkeys([*on_disk, *indexed]):
        text = f"{label} {on_disk[label].point:.1f}" if label in on_disk else label
        parts.append(text + (f" and {indexed[label].point:.1f} of index" if label in indexed else ""))
    return "; ".join(parts)


memory = dots(
    # Bytes do not depend on the pages in which they lie.
    rows=lambda summary: [arm for arm in summary.way(UNIFORM) if arm not in IN_HUGE_PAGES],
    series={"files": level(FILE_BYTES), "index in memory": _index_bytes},
    axis="bytes per key", scale="zero",
    given=lambda summary: [
        Given("key and value alone", {"": 8 + summary.parameters.value_bytes}, line="dash", listed=False)
    ],
    said=_held,
    nothing="No store counted its bytes in this run",
)  # fmt: skip


def _durable(metric: str, shown: Metric, more: Mapping[str, Callable[[Summary, str], float]] | None = None) -> Dots:
    """One metric of the stores that were written durably, by engine. shown: as the figure shows it.

    more: further columns of the table.
    """

    def multiple(summary: Summary, arm: str) -> str:
        return f"{summary.label(arm)} {with_interval(summary.times_faster(DURABLE_VALUE_FILE, arm, metric))}"

    def said(summary: Summary, found: Found) -> str:
        [marks] = found.values()
        text = "; ".join(f"{label} {with_interval(e, shown.factor)}" for label, e in marks.items())
        others = [arm for arm in summary.having(summary.way(DURABLE), metric) if arm != DURABLE_VALUE_FILE]
        ratios = told(*(partial(multiple, summary, arm) for arm in others))
        return text + (f". As a multiple of ALEX + value file: {'; '.join(ratios)}" if ratios else "")

    return Dots(
        heading="what", rows=lambda summary: summary.way(DURABLE), series={shown.axis: level(metric)}, metric=shown,
        said=said, more=dict(more or {}), nothing="This run made no durable writes",
    )  # fmt: skip


def scans(summary: Summary) -> Dots:
    """P50 of range scans; what keeps no order has no row."""
    words = f"P50 of a scan of {summary.parameters.scan_rows:,} rows"
    return _durable("scan_p50_ns", METRICS["scan_p50_ns"].but(words=words, unit="µs", factor=1e-3, heading=""))


writes = _durable(
    "write_ns_per_row", METRICS["write_ns_per_row"],
    {"syncs per write": lambda summary, arm: float(summary.values(arm, "syncs_per_batch").mean())},
)  # fmt: skip
opening = _durable("reopen_s", METRICS["reopen_s"])
halves = dots(
    rows=lambda summary: summary.way(HALF),
    series={"mean": level(EACH), "P50": level(P50), "P99": level("query_p99_ns")},
    axis="time of a look-up (µs)", quantity="time (µs)", factor=1e-3,
    nothing="This run did not bound memory", mend="measure as root, with bound_memory=true",
)  # fmt: skip

claims = ClaimFigure()

FIGURES = {
    "stride": strides,
    "speed_up": speed_ups,
    "gets": gets,
    "half": halves,
    "index": indexes,
    "scans": scans,
    "writes": writes,
    "opening": opening,
    "bytes": memory,
    "claims": claims,
}
