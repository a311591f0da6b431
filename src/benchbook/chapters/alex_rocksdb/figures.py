"""The figures: shares and times of a query's parts, what leaving one out saves, rows, key patterns, indexes alone."""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.chapters.alex_rocksdb import arms
from benchbook.chapters.alex_rocksdb.arms import PARTS, TOOL
from benchbook.chapters.alex_rocksdb.summary import METRICS, Summary, benchmark_ns, noted, noted_bytes
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.regular import Ask, Dots, Given, Lines, level
from benchbook.figures import spoken, with_interval

PARTS_OF_QUERY = {"index": "ALEX", "engine": "RocksDB get", "rest": "rest"}
NAMES = {"query": "whole query", **PARTS_OF_QUERY}
QUANTILES = {"mean_ns": "mean", "p50_ns": "P50", "p99_ns": "P99", "p999_ns": "P99.9"}
TIMED = {
    TOOL: "diagnostic program",
    PARTS: "engine's store, keys over all rows",
    arms.POINT_PARTS: "with the row cache",
}
ACCOUNTS = {"index_bytes_per_key": "the index's own account", "resident_bytes_per_key": "growth of the process"}
NO_PART = "This run timed no part"
NO_QUERY = "This run timed no query"


def _part_of(metric: str) -> Ask:
    """A metric of a part under a program, the row's key."""
    return lambda summary, key: summary.share(key[1], f"{key[0]}_{metric}")


def _time_of(quantile: str) -> Ask:
    return lambda summary, key: summary.level(key[1], f"{key[0]}_{quantile}")


def _note_breakdown(summary: Summary) -> list[Given]:
    shares = noted("share_percent")
    printed = {(part, arm): shares[part] for part in PARTS_OF_QUERY for arm in TIMED}
    return [Given("the note", printed, listed=False)]


def _note_times(summary: Summary) -> list[Given]:
    return [
        Given("the note's breakdown", {"note: breakdown": noted("before_ns")["query"]}, line="dash"),
        Given("its benchmark", {"note: benchmark": benchmark_ns()}, line="dot"),
    ]


def _net_at(part: str) -> Ask:
    return lambda summary, rows: summary.level(arms.sized(summary.parameters, int(rows)), f"{part}_net_ns")


def _patterns(summary: Summary) -> Mapping[str, str]:
    return {
        arms.patterned(summary.parameters, each, compacted=compacted): f"{each}, {place}"
        for compacted, place in ((False, "memtable"), (True, "compacted files"))
        for each in arms.DISTRIBUTIONS
    }


def _alone(keys: str, kind: str) -> Ask:
    return lambda summary, index: summary.level(arms.alone(index, keys, kind), "mean_ns")


def _held(metric: str) -> Ask:
    return lambda summary, index: summary.level(arms.alone(index, "random", arms.THROUGHPUT), metric)


FIGURES = {
    "breakdown": Dots(
        rows={(part, arm): f"{word}, {name}" for part, word in PARTS_OF_QUERY.items() for arm, name in TIMED.items()},
        series={"as timed": _part_of("share"), "less the clock": _part_of("net_share")},
        axis="share of a query's mean time (%)", row="part", quantity="share (%)", factor=100, scale="plain",
        words=lambda e: f"{with_interval(e, 100)} %", given=_note_breakdown, nothing=NO_PART,
    ),
    "times": Dots(
        rows={(part, arm): f"{word}, {TIMED[arm]}" for arm in (TOOL, PARTS) for part, word in NAMES.items()},
        series={name: _time_of(metric) for metric, name in QUANTILES.items()},
        axis="time (ns), clock included", row="part", quantity="time (ns)", nothing=NO_PART,
    ),
    "left_out": Dots(
        rows=lambda summary: (arms.NO_ENGINE, arms.NO_INDEX, arms.BTREE_FIRST),
        series={
            "time, as a ratio to ALEX, then RocksDB":
                lambda summary, arm: summary.ratio((arm, "mean_ns"), (arms.LOOP, "mean_ns")),
        },
        axis="mean time / that of the whole query (right of 1 = slower)", row="query", quantity="ratio",
        scale="zero", rule=1,
        nothing=NO_QUERY,
    ),
    "way_to_benchmark": Dots(
        rows=lambda summary: (
            arms.TOOL_WHOLE, TOOL, arms.TOOL_UNIFORM, arms.LOOP, PARTS, arms.POINT, arms.BENCHMARK
        ),
        series={"mean time of a query": level("mean_ns")},
        metric=METRICS["mean_ns"], row="query", scale="zero", words=spoken, given=_note_times, nothing=NO_QUERY,
    ),
    "scale": Lines(
        over=lambda summary: summary.parameters.ladder, across="rows", rows=True, tick="{:,}".format,
        series={NAMES[part]: _net_at(part) for part in ("query", "engine", "index")},
        axis="mean time less the clock's (ns)", quantity="mean (ns)", heading="part", nothing=NO_PART,
    ),
    "patterns": Dots(
        rows=_patterns,
        series={NAMES[part]: level(f"{part}_net_ns") for part in ("engine", "index")},
        axis="mean time less the clock's (ns)", row="pattern and place", quantity="mean (ns)",
        words=spoken, nothing=NO_PART,
    ),
    "alone": Dots(
        rows=arms.INDEXES,
        series={
            f"random keys, {kind}": _alone("random", kind) for kind in (arms.THROUGHPUT, arms.DEPENDENT)
        },
        metric=METRICS["mean_ns"].but(words="mean time of a look-up", heading="look-up"), row="index", words=spoken,
        nothing="This run timed no index alone",
    ),
    "bytes": Dots(
        rows=arms.INDEXES, series={name: _held(metric) for metric, name in ACCOUNTS.items()},
        axis="bytes per key", row="index",
        given=lambda summary: [Given("the project's own number", {"": noted_bytes()}, line="dash", listed=False)],
        nothing="No index reported its size in this run",
    ),
    "claims": ClaimFigure(),
    "shares": ClaimFigure(
        title="Claimed shares against measurements", what="The note's claims that are shares", axis="share",
        units=("fraction",),
    ),
}  # fmt: skip
