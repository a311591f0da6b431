"""The surface: a request's mean latency by what is added to each read and to the round trip, and the note's place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook import statistics
from benchbook.experiments import notes
from benchbook.experiments.hot_cold_keys.arms import DISJOINT_CELL, HOT_CELL, SERIAL, cell
from benchbook.experiments.hot_cold_keys.caches import Summary
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Effect, Estimate

NS_PER_MS = 1e6
MEAN = "mean_ns"


def means_ms(summary: Summary, *cells: str) -> tuple[np.ndarray, ...]:
    """Mean latencies of these cells, of the blocks of which none of their trials failed; shape (blocks,) each.

    Raises NotEstimableError below two blocks.
    """
    rows = [summary.in_blocks(name) for name in cells]
    if not all(len(each) and MEAN in each for each in rows):
        raise summary.missing(cells[0], MEAN)
    values = np.array([each[MEAN].to_numpy(dtype=float) for each in rows]) / NS_PER_MS
    whole = np.isfinite(values).all(axis=0)
    if whole.sum() < 2:
        raise summary.missing(cells[0], MEAN)
    return (*values[:, whole], summary.sessions[whole])


def mean_ms(summary: Summary, keys: str, read_ms: float, trip_ms: float, client: str = SERIAL) -> Estimate:
    """Mean latency of a request in one cell, geometric mean over the trials that did not fail."""
    values, sessions = means_ms(summary, cell(keys, read_ms, trip_ms, client))
    return statistics.geometric_mean(values, sessions=sessions)


def extremes(summary: Summary) -> tuple[Effect, Effect]:
    """Least and largest ratio of the means of warmed and disjoint keys among the cells in which reads take longer.

    Raises NotEstimableError where no read does.
    """
    p = summary.parameters
    places = [(read, trip) for read in p.added_read_ms if p.slower and read > 0 for trip in p.added_trip_ms]
    if not places:
        raise NotEstimableError("nothing was measured on slower storage", "give added_read_ms and added_trip_ms")
    found = [over_others(summary, *place) for place in places]
    return min(found, key=lambda each: each.point), max(found, key=lambda each: each.point)


def over_others(
    summary: Summary, read_ms: float, trip_ms: float, metric: str = MEAN, others: str = DISJOINT_CELL
) -> Effect:
    """A latency of warmed keys over that of others in the same place."""
    top, bottom = (cell(each, read_ms, trip_ms) for each in (HOT_CELL, others))
    return summary.ratio((top, metric), (bottom, metric))


def largest(summary: Summary) -> tuple[float, float]:
    """What is added to a read and to the round trip at most, in ms; raises NotEstimableError where nothing is."""
    p = summary.parameters
    if not p.slower:
        raise NotEstimableError("nothing was measured on slower storage", "give added_read_ms and added_trip_ms")
    return max(p.added_read_ms), max(p.added_trip_ms)


@dataclass(frozen=True)
class Implied:
    """With one round trip per look-up, what storage and way would give the note's fastest and its typical request.

    trip_ms: so long a round trip makes a request whose pages are all cached take as long as the note's fastest.
    read_ms: with it, so much more than on this machine's disk must each read take for its median of disjoint keys.
    """

    trip_ms: Estimate
    read_ms: Estimate


def implied(summary: Summary) -> Implied:
    """Both, by straight lines through the cells, block by block.

    Raises NotEstimableError where nothing was added, or less than two different values.
    """
    read, trip = largest(summary)
    p = summary.parameters
    if not (min(p.added_read_ms) == min(p.added_trip_ms) == 0 < min(read, trip)):
        raise NotEstimableError("nothing was measured both without and with added latency", "begin both lists with 0")
    fastest, typical = (before(name) for name in ("min", "p50"))
    places = ((HOT_CELL, 0, 0), (HOT_CELL, 0, trip), (DISJOINT_CELL, 0, 0), (DISJOINT_CELL, read, 0))
    hot, hot_far, cold, cold_slow, sessions = means_ms(summary, *(cell(*place) for place in places))
    trips_ms = (fastest - hot) / ((hot_far - hot) / trip)
    reads_ms = (typical - fastest - (cold - hot)) / ((cold_slow - cold) / read)
    return Implied(*(statistics.arithmetic_mean(values, sessions=sessions) for values in (trips_ms, reads_ms)))


def failed(summary: Summary) -> dict[str, int]:
    """How many trials on slower storage or over a longer way failed, since these were not as slow as asked; and all."""
    slow = summary.of([arm for arm in summary.arms if arm not in summary.plain])
    if not len(slow):
        raise NotEstimableError("no trial was on slower storage", "measure again")
    return {"lost": int(slow["requests"].isna().sum()), "every": len(slow)}


def before(metric: str) -> float:
    """A number of the note's one run, in ms."""
    return notes.number("lakebase_before_after", "before_measured", metric=metric)


def noted(name: str, summary: Summary) -> float:
    """What the note's first run printed."""
    return before(name)


def later(name: str, summary: Summary) -> float:
    """What a later run in the note's repository printed."""
    return notes.reading(f"later_run_{name}")
