"""The figures: look-ups along the stride and at random, speed-ups over each SQLite, indexes alone, durable stores."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchbook import statistics
from benchbook.experiments import notes
from benchbook.experiments.read_path.answers import INDEXES, SPEED_UPS, STRIDES
from benchbook.experiments.read_path.arms import (
    ALEX_PRESENT,
    BESIDES,
    BYPASS,
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
    VALUE_FILE_SMALL,
)
from benchbook.experiments.read_path.durable_figures import opening, scans, writes
from benchbook.experiments.read_path.half_figures import halves
from benchbook.experiments.read_path.summary import EACH, FILE_BYTES, HELD, LOOKUP_KIB, MEAN, METRICS, P50, Summary
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Dots, Found, Given, level
from benchbook.experiments.shape.telling import told
from benchbook.figures import intervals_said, with_interval
from benchbook.figures.prose import digits
from benchbook.model import Estimate

QUANTILES = {P50: "P50", "query_p99_ns": "P99", "query_p999_ns": "P99.9"}
IN_HUGE_PAGES = {VALUE_FILE, VALUE_FILE_AGAIN, VALUE_FILE_BESIDE, VALUE_FILE_HASH}
INDEX_BYTES = "index_bytes_per_key"
WAYS = {
    (VALUE_FILE, SQLITE_AUTOCOMMIT, EACH): "prepared once (random keys)",
    (VALUE_FILE, SQLITE_BEST, EACH): "at its best (random keys)",
    (BYPASS, SQLITE_AS_RUN, MEAN): "as the note ran it (the note's stride)",
}
"""Which two are compared by which mean time, to the use of SQLite."""


def target() -> float:
    """The note's target at ten million rows, as a speed-up over SQLite."""
    return notes.number("omendb_options", "expected_speedup_lo", id="A+C")


def forecast() -> tuple[float, float]:
    """What the note expects of Option B, as a speed-up over SQLite."""
    low, high = (notes.number("omendb_options", f"expected_speedup_{end}", id="B") for end in ("lo", "hi"))
    return low, high


dots = partial(Dots, heading="what", nothing="This run timed nothing")


def _passes(summary: Summary) -> str:
    """How often the fastest and the slowest went over the keys, where all look up for the same time."""
    each = [summary.passes(arm) for arm in summary.having(summary.way(STRIDE), "operations")]
    if not each or max(each) <= 1:
        return "Each key is asked for once. " if each else ""
    return (
        f"All look up for equally long: from {digits(min(each))} to {digits(max(each))} passes, each of which begins "
        "one row further. "
    )


strides = dots(
    id=STRIDES,
    title="Look-ups along the note's stride",
    rows=lambda summary: summary.way(STRIDE),
    series={"mean": level(MEAN)},
    metric=METRICS[MEAN].but(unit="µs", factor=1e-3),
    words=lambda e: f"{with_interval(e, 1e-3)} µs",
    told=_passes,
    caption="The note's rows and its pattern: every {p.stride:,}th key in rising order, timed in batches without a "
    "timer inside, logarithmic axis. {more}{intervals}.",
    alt="Points with intervals for {n} configurations on a logarithmic axis. {said}.",
)  # fmt: skip


def _faster(summary: Summary, way: tuple[str, str, str]) -> Estimate:
    return summary.times_faster(*way)


def _hoped(summary: Summary) -> list[Given]:
    low, high = forecast()
    lines = {"the note's target": (target(), "dash"), "forecast, low end": (low, "dot")}
    lines |= {"forecast, high end": (high, "dashdot")}
    return [Given(name, {"": value}, line=dash, listed=False) for name, (value, dash) in lines.items()]


def _speed_ups(summary: Summary, found: Found) -> str:
    [marks] = found.values()
    return "; ".join(f"SQLite {use}: {with_interval(e)} times" for use, e in marks.items())


def _speed_ups_caption(summary: Summary, found: Found) -> str:
    low, high = forecast()
    intervals = intervals_said(e for marks in found.values() for e in marks.values())
    return (
        "Speed-up of ALEX over a value file by mean look-up, by how SQLite is used, logarithmic "
        f"axis. Dashed: the note's target of {target():g} at ten million rows; the other lines: its forecast, {low:g} "
        f"to {high:g}. The index lies in huge pages for random keys, in small ones along the stride. {intervals}."
    )


speed_ups = dots(
    id=SPEED_UPS,
    title="Speed-up over SQLite",
    rows=WAYS,
    series={"speed-up": _faster},
    axis="time of SQLite / time of ALEX + value file", quantity="speed-up",
    given=_hoped,
    said=_speed_ups,
    told=lambda summary: f"{target():g}, {forecast()[0]:g} and {forecast()[1]:g}",
    caption=_speed_ups_caption,
    alt="{n} points with intervals beside lines at {more}. {said}.",
)  # fmt: skip


def _multiples(summary: Summary, found: Found) -> str:
    """P50 of every other engine over that of its group's value file, with intervals that hold together."""
    compared = [arm for arm in summary.having((*RIVALS, *BESIDES), P50) if summary.has(summary.base(arm), P50)]
    if not compared:
        return "not estimable"
    ratios = {arm: summary.values(arm, P50) / summary.values(summary.base(arm), P50) for arm in compared}
    effects = statistics.many_to_one(np.ones(summary.run.blocks), ratios, sessions=summary.sessions)
    return "; ".join(f"{summary.label(arm)} {with_interval(effect)}" for arm, effect in effects.items())


def _clock(summary: Summary) -> str:
    timer = summary.run.provenance.get("probe_timer_ns")
    return f" A time includes one reading of the clock, {timer:.0f} ns." if timer is not None else ""


gets = dots(
    id="fig-read-path-gets",
    title="Random look-ups by engine",
    rows=lambda summary: summary.way(UNIFORM),
    series={name: level(metric) for metric, name in QUANTILES.items()},
    axis="time of a look-up (µs)", quantity="time (µs)", factor=1e-3,
    said=_multiples,
    told=_clock,
    caption="Random existing keys, values of {p.value_bytes} bytes, every look-up timed individually and every value "
    "compared, logarithmic axis.{more} {intervals}.",
    alt="Points with intervals for {n} configurations and {series} quantiles on a logarithmic axis. P50 as a multiple "
    "of that of ALEX over the value file in huge pages: {said}.",
)  # fmt: skip


def _alone(summary: Summary, found: Found) -> str:
    [marks] = found.values()
    said = "; ".join(f"{label} {with_interval(e)} ns" for label, e in marks.items())
    ratio = told(lambda: with_interval(summary.times_faster(HASH_PRESENT, ALEX_PRESENT, MEAN)))
    return said + "".join(f". For keys that exist ALEX takes {each} times as long as the hash table" for each in ratio)


indexes = dots(
    id=INDEXES,
    title="Indexes alone",
    rows=lambda summary: summary.way(INDEX),
    series={"mean": level(MEAN)},
    metric=METRICS[MEAN].but(words="mean time of a dependent look-up"),
    said=_alone,
    caption="Indexes of {p.rows:,} random 64-bit keys without any values, where the next key depends on the "
    "last answer, logarithmic axis. An absent key has no value to wait for, and the processor continues "
    "speculatively: those look-ups overlap. {intervals}.",
    alt="Points with intervals for {n} indexes on a logarithmic axis. {said}.",
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


def together(summary: Summary) -> float:
    """Bytes per key of ALEX and the value file together."""
    return sum(summary.level(VALUE_FILE_SMALL, each).point for each in (FILE_BYTES, INDEX_BYTES))


def _together(summary: Summary) -> str:
    return "".join(told(lambda: f" ALEX and the value file together: {together(summary):.1f}."))


memory = dots(
    id="fig-read-path-bytes",
    title="Bytes per key",
    # Bytes do not depend on the pages in which they lie.
    rows=lambda summary: [arm for arm in summary.way(UNIFORM) if arm not in IN_HUGE_PAGES],
    series={"files": level(FILE_BYTES), "index in memory": _index_bytes},
    axis="bytes per key", scale="zero",
    given=lambda summary: [
        Given("key and value alone", {"": 8 + summary.parameters.value_bytes}, line="dash", listed=False)
    ],
    said=_held,
    told=_together,
    nothing="No store counted its bytes in this run",
    caption="Bytes per key with its value of {p.value_bytes} bytes: in the files, and in an index beside them that is "
    "counted in full.{more} The hash table has no count of its own; its number is the growth of the heap when "
    "it was measured alone.",
    alt="Points for {n} configurations: bytes per key in the files and in the index. {said}.{more}",
)  # fmt: skip

claims = ClaimFigure(id="fig-read-path-claims")

OPTIONAL = (HELD, LOOKUP_KIB)

FIGURES = {
    "stride": strides,
    "speed_up": speed_ups,
    "gets": gets,
    "half": halves,
    "index": indexes,
    "scans": scans,
    "writes": writes,
    "opening": opening,
    "memory": memory,
    "claims": claims,
}
