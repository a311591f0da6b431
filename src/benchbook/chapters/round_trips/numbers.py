"""The numbers of the chapter, each once and by name, what its claims stand on, and its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from benchbook import statistics
from benchbook.chapters.round_trips import arms, ways
from benchbook.chapters.round_trips.arms import BASELINE, COUNTED, PIPELINE, SERIAL, SERIALLY, cell
from benchbook.chapters.round_trips.ways import Summary, places
from benchbook.claims import Quantity
from benchbook.figures import with_interval
from benchbook.measuring.features.treatment import same_reads
from benchbook.model import Estimate
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import custom, known, level, ratio, told
from benchbook.numbers.quantities import Told, percent
from benchbook.pages.tables import Columns, distinct, levels, means, table
from benchbook.statistics import Gate

MEAN, P50 = "mean_ns", "p50_ns"
AA = (arms.REPEATED, BASELINE)
_SEEN_AT_ONCE = 2
"""Statements at once that the control must show, or one of the pipeline says nothing."""
_NEAR = 0.1
"""A slope so close to the trips that were counted, as a share of them, agrees."""


def _fewer_trips(summary: Summary) -> str:
    """Why a pipeline saved nothing: it waited as often; "" where the wire says that it did not."""
    alone, together = summary.trips(SERIAL).low, summary.trips(PIPELINE).high
    if together < alone:
        return ""
    return f"the pipeline waited for the server {together:g} times a request and single look-ups {alone:g} times"


def _disjoint_read(summary: Summary) -> str:
    """Why other keys than the warmed ones changed nothing; "" where they read more blocks, and trips were saved."""
    pairs = ((arms.DISJOINT, BASELINE), (arms.DISJOINT_SERIALLY, SERIALLY))
    return next(filter(None, (same_reads(more, less)(summary) for more, less in pairs)), _fewer_trips(summary))


def _overlap_unseen(summary: Summary) -> str:
    """Why statements at once would not have been seen; "" where the control saw them."""
    most = summary.counted("statements_at_once_control").low
    if most >= _SEEN_AT_ONCE:
        return ""
    return f"of the same statements over four connections no more than {most:g} were seen at once either"


def _by_keys(summary: Summary) -> Estimate:
    """The speed-up of the P50 for warmed keys over that for others."""
    pairs = ((SERIALLY, BASELINE), (arms.DISJOINT_SERIALLY, arms.DISJOINT))
    hot, cold = (summary.values(alone, P50) / summary.values(together, P50) for alone, together in pairs)
    return summary.estimated(statistics.ratio, hot, cold)


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Caches as named and, of what is timed, equal counts and Little's law."""
    names = answer.estimand.names(summary) or frozenset(cell(PIPELINE, trip_ms) for trip_ms in summary.trips_ms)
    gates = [summary.certified(names)]
    return gates if answer.estimand.metric is None else [*gates, summary.counts_agree(), summary.littles_law(names)]


def _work(summary: Summary, mode: str) -> Estimate:
    return ways.line(summary, mode).work_ms


def _over_pipeline(summary: Summary, mode: str, end: Callable[[Iterable[float]], float]) -> Estimate:
    """Mean latency over that of a pipeline, at the shortest or the longest way."""
    return summary.ratio(*((cell(each, end(summary.trips_ms)), MEAN) for each in (mode, PIPELINE)))


def _saved(summary: Summary, disjoint: bool) -> Estimate:
    """Milliseconds a request that a pipeline saves."""
    alone, together = (summary.mean_ms(cell(mode, arms.CLAIMED_MS, disjoint=disjoint)) for mode in (SERIAL, PIPELINE))
    return summary.estimated(statistics.difference, alone, together)


def _loss(summary: Summary) -> dict[str, Any] | None:
    """Where look-ups one by one lose most against the fastest way; None where they are the fastest everywhere."""
    slowed = [each for each in places(summary) if each.best != SERIAL]
    most = max(slowed, key=lambda each: each.over[SERIAL].point, default=None)
    if most is None:
        return None
    return {"place": most, "times": Told(most.over[SERIAL]), "way": summary.words(most.best)}


def _misfits(summary: Summary) -> list[tuple[str, Told, float]]:
    """The ways of which the trips that the latencies imply are not those that were counted, and both."""
    found = []
    for mode in summary.parameters.modes:
        slope, counted = ways.line(summary, mode).trips, summary.trips(mode).point
        if not slope.low <= counted <= slope.high and abs(slope.point / counted - 1) > _NEAR:
            found.append((summary.words(mode), Told(slope), counted))
    return found


def _largest_miss(summary: Summary) -> float | None:
    """The largest share by which a fitted line misses a measured mean; no line of two points misses one."""
    every = (ways.line(summary, mode).off for mode in summary.parameters.modes)
    return max((off for off in every if off is not None), default=None)


def _trips_off(summary: Summary) -> float:
    """The largest share by which an added trip differs from what was asked for."""
    rows = summary.run.trials
    return float((rows["measured_trip_ms"] / rows["added_trip_ms"] - 1).abs()[rows["added_trip_ms"] > 0].max())


NUMBERS = {
    "pipeline": ratio(BASELINE, SERIALLY, P50, idle=_fewer_trips),
    "trips_per_table": level(COUNTED, "trips_committed_per_table"),
    "right_rows": known(
        lambda summary: float(summary.values(COUNTED, "correct_rows_snippet").min()),
        "the least in any block of the right rows that the note's lines got, whatever their place", COUNTED,
    ),
    "growth": custom(ways.growth, Quantity.COMPARISON, aa=P50, idle=_fewer_trips),
    "at_once": replace(
        known(
            lambda summary: float(summary.values(COUNTED, "statements_at_once").max()),
            "the most in any block, by the server's own clock", COUNTED,
        ),
        idle=_overlap_unseen,
    ),
    "at_once_control": known(lambda summary: float(summary.values(COUNTED, "statements_at_once_control").max())),
    "by_keys": custom(
        _by_keys, Quantity.COMPARISON, SERIALLY, BASELINE, arms.DISJOINT_SERIALLY, arms.DISJOINT, aa=P50,
        idle=_disjoint_read,
    ),
    "serial_ms": level(SERIALLY, MEAN, 1e6),
    "pipeline_ms": level(BASELINE, MEAN, 1e6),
    "speed_up_hot": ratio(SERIALLY, BASELINE, MEAN),
    "speed_up_cold": ratio(arms.DISJOINT_SERIALLY, arms.DISJOINT, MEAN),
    "saved_hot": told(_saved, False),
    "saved_cold": told(_saved, True),
    "union": ratio(cell(arms.UNION, arms.CLAIMED_MS), BASELINE, MEAN),
    **{f"union_{end.__name__}": told(_over_pipeline, arms.UNION, end) for end in (min, max)},
    **{f"function_{end.__name__}": told(_over_pipeline, arms.FUNCTION, end) for end in (min, max)},
    **{f"waiting_{mode}": percent(told(ways.waiting, mode, arms.CLAIMED_MS)) for mode in (SERIAL, PIPELINE)},
    **{f"work_{mode}": told(_work, mode) for mode in (SERIAL, PIPELINE)},
    **{f"trips_{mode}": told(Summary.trips, mode) for mode in (SERIAL, PIPELINE)},
    **{
        f"{metric}_{name}": told(Summary.counted, f"{metric}_{name}")
        for metric in ("trips", "correct_rows", "rows_in_place")
        for name in ("committed", "autocommit", "snippet", "own_cursors")
    },
    **{f"again_{name}": ratio(arms.REPEATED, BASELINE, f"{name}_ns") for name in ("mean", "p50")},
}  # fmt: skip
WORDS = {
    "data_gib": lambda summary: summary.data_bytes / 2**30,
    "psycopg": lambda summary: summary.run.provenance.get("psycopg", "unknown"),
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
    "failed": lambda summary: int(summary.run.trials["state"].str.startswith("failed").sum()),
    "reads_cold": lambda summary: summary.mean(arms.DISJOINT, "pool_misses_per_request"),
    "speed_ups": lambda summary: {trip_ms: Told(summary.speed_up(trip_ms)) for trip_ms in summary.trips_ms},
    "places": places,
    "fastest": lambda summary: Counter(summary.words(each.best) for each in places(summary) if not each.tied),
    "loss": _loss,
    "misfits": _misfits,
    "near": lambda summary: 100 * _NEAR,
    "largest_miss": _largest_miss,
    "trips_off": _trips_off,
}


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration that was timed: certified state, mean and median latency, blocks read."""
    columns: Columns = {
        "certified cache": distinct(summary, "cache_state"),
        **levels(summary, MEAN, P50),
        **means(summary, "requests", "measured_trip_ms", "pool_misses_per_request"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms if arm != COUNTED], columns)


def _lines(summary: Summary) -> pd.DataFrame:
    """For each way: trips counted with fewer and all tables, trips and work by the fitted line, its largest miss."""
    p, line = summary.parameters, partial(ways.line, summary)

    def counted(number: int, mode: str) -> str:
        return f"{summary.trips(mode, number).point:.3g}"

    columns: Columns = {f"counted, {size} tables": partial(counted, n) for n, size in enumerate(p.sizes)}
    columns |= {
        f"implied, {p.n_tables} tables": lambda mode: with_interval(line(mode).trips),
        "work (ms)": lambda mode: with_interval(line(mode).work_ms),
        "latency without the proxy (ms)": lambda mode: "" if (e := line(mode).near_ms) is None else with_interval(e),
        "largest miss": lambda mode: "" if (off := line(mode).off) is None else f"{off:.1%}",
    }
    return table([({"way of asking": summary.words(mode)}, mode) for mode in p.modes], columns)


TABLES = {"overview": _overview, "lines": _lines}
