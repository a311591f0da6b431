"""The figures: shares and times of a query's parts, what leaving one out saves, rows, key patterns, indexes."""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.experiments.alex_rocksdb import notes
from benchbook.experiments.alex_rocksdb.arms import (
    BENCHMARK,
    BTREE_FIRST,
    DISTRIBUTIONS,
    LOOP,
    NO_ENGINE,
    NO_INDEX,
    PARTS,
    POINT,
    POINT_PARTS,
    TOOL,
    TOOL_UNIFORM,
    TOOL_WHOLE,
    patterned,
    sized,
)
from benchbook.experiments.alex_rocksdb.index_figures import indexes, memory
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Found, Given, Lines
from benchbook.figures import spoken, with_interval
from benchbook.model import Estimate

PARTS_OF_QUERY = {"index": "ALEX", "engine": "RocksDB get", "rest": "rest"}
NAMES = {"query": "whole query", **PARTS_OF_QUERY}
QUANTILES = {"mean_ns": "mean", "p50_ns": "P50", "p99_ns": "P99", "p999_ns": "P99.9"}
TIMED = {TOOL: "diagnostic program", PARTS: "engine's store, keys over all rows", POINT_PARTS: "with the row cache"}


def _part_of(metric: str) -> Ask:
    """A metric of a part under a program, the row's key."""
    return lambda summary, key: summary.share(key[1], f"{key[0]}_{metric}")


def _time_of(quantile: str) -> Ask:
    return lambda summary, key: summary.time(key[1], f"{key[0]}_{quantile}")


def _note_breakdown(summary: Summary) -> list[Given]:
    printed = {(part, arm): 100 * notes.breakdown_share(part) for part in PARTS_OF_QUERY for arm in TIMED}
    return [Given("the note", printed, listed=False)]


def _in_percent(e: Estimate) -> str:
    return f"{with_interval(e, 100)} %"


breakdown = Dots(
    rows={(part, arm): f"{word}, {name}" for part, word in PARTS_OF_QUERY.items() for arm, name in TIMED.items()},
    series={"as timed": _part_of("share"), "less the clock": _part_of("net_share")},
    axis="share of a query's mean time (%)", row="part", quantity="share (%)", factor=100, scale="plain",
    words=_in_percent,
    given=_note_breakdown,
    nothing="This run timed no part",
)  # fmt: skip


def _whole_query(summary: Summary, found: Found) -> str:
    whole = f"whole query, {TIMED[PARTS]}"
    said = ", ".join(f"{name} {spoken(marks[whole])}" for name, marks in found.items() if whole in marks)
    return said or "not estimable"


def _unresolved(summary: Summary) -> str:
    arms = [(part, arm) for arm in (TOOL, PARTS) for part in NAMES]
    lacking = [
        name
        for metric, name in QUANTILES.items()
        if not any(summary.has(arm, f"{part}_{metric}") for part, arm in arms)
    ]
    need = "needs" if len(lacking) == 1 else "need"
    return f"{' and '.join(lacking)} {need} more look-ups per trial." if lacking else ""


times = Dots(
    rows={(part, arm): f"{word}, {TIMED[arm]}" for arm in (TOOL, PARTS) for part, word in NAMES.items()},
    series={name: _time_of(metric) for metric, name in QUANTILES.items()},
    axis="time (ns), clock included", row="part", quantity="time (ns)",
    said=_whole_query,
    nothing="This run timed no part",
    told=_unresolved,
)  # fmt: skip


def _against_loop(summary: Summary, arm: str) -> Estimate:
    return summary.ratio((arm, "mean_ns"), (LOOP, "mean_ns"))


def _without(summary: Summary, found: Found) -> str:
    [marks] = found.values()
    return "; ".join(f"{label}: {with_interval(e)}" for label, e in marks.items())


left_out = Dots(
    rows=lambda summary: (NO_ENGINE, NO_INDEX, BTREE_FIRST),
    series={"time, as a ratio to ALEX, then RocksDB": _against_loop},
    axis="mean time / that of the whole query", row="query", quantity="ratio", scale="zero", rule=1,
    said=_without,
    nothing="This run timed no query",
)  # fmt: skip


def _note_times(summary: Summary) -> list[Given]:
    return [
        Given("the note's breakdown", {"note: breakdown": notes.breakdown_ns("query")}, line="dash"),
        Given("its benchmark", {"note: benchmark": notes.benchmark_ns()}, line="dot"),
    ]


way = Dots(
    rows=lambda summary: (TOOL_WHOLE, TOOL, TOOL_UNIFORM, LOOP, PARTS, POINT, BENCHMARK),
    series={"mean time of a query": Summary.time},
    metric=Summary.METRICS["mean_ns"], row="query", scale="zero",
    words=spoken,
    given=_note_times,
    nothing="This run timed no query",
)  # fmt: skip


def _net_at(part: str) -> Ask:
    return lambda summary, rows: summary.time(sized(summary.parameters, int(rows)), f"{part}_net_ns")


def _ends(summary: Summary, found: Found) -> str:
    return "; ".join(
        f"{name} from {spoken(next(iter(marks.values())))} to {spoken([*marks.values()][-1])}"
        for name, marks in found.items()
        if len(marks) > 1
    )


scale = Lines(
    over=lambda summary: summary.parameters.ladder, across="rows", rows=True, tick="{:,}".format,
    series={NAMES[part]: _net_at(part) for part in ("query", "engine", "index")},
    axis="mean time less the clock's (ns)", quantity="mean (ns)", heading="part",
    said=_ends,
    nothing="This run timed no part",
)  # fmt: skip


def _patterns(summary: Summary) -> Mapping[str, str]:
    return {
        patterned(
            summary.parameters, each, compacted=compacted
        ): f"{each}, {'compacted files' if compacted else 'memtable'}"
        for compacted in (False, True)
        for each in DISTRIBUTIONS
    }


patterns = Dots(
    rows=_patterns,
    series={
        NAMES["engine"]: lambda summary, arm: summary.time(arm, "engine_net_ns"),
        NAMES["index"]: lambda summary, arm: summary.time(arm, "index_net_ns"),
    },
    axis="mean time less the clock's (ns)", row="pattern and place", quantity="mean (ns)",
    words=spoken,
    nothing="This run timed no part",
)  # fmt: skip


claims = ClaimFigure()

shares = ClaimFigure(
    title="Claimed shares against measurements",
    what="The note's claims that are shares",
    axis="share",
    units=("fraction",),
)

FIGURES = {
    "breakdown": breakdown,
    "times": times,
    "left_out": left_out,
    "way_to_benchmark": way,
    "scale": scale,
    "patterns": patterns,
    "alone": indexes,
    "bytes": memory,
    "claims": claims,
    "shares": shares,
}
