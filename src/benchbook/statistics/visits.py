"""Which sessions are one visit, and how far visits may carry a number that depends on the machine (item 20c to d)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics.inputs import VISITS, Labels
from benchbook.statistics.intervals import OF_VISITS, from_scale, linear, to_scale

APART_S = 12 * 3_600.0
"""From the end of one session to the start of the next on one processor model, from which they are two visits."""
SMALL = math.log(1.01)
"""By so much every interval of what is timed is widened, on its own scale."""
ALONE = math.log(1.25)
"""What an interval of one visit has to bear, and give the same verdict."""
PART, LEAST, MOST = 1 / 8, math.log(1.01), 0.15
"""How far a visit moves a number: a part of its distance from "the same", on its own scale, within these bounds."""
FIRST, LATER = 0.95, 0.99
"""Confidence at the planned look, and at each look after one that left a claim open (item 20d1)."""
LEVEL = 0.05
"""Error with which sessions of one kind of host may be taken to agree better than the kinds do."""
LEAST_BLOCKS = 2
"""On a kind of host, without which its number has no interval."""
MOST_VISITS = 20
"""Where planning gives up: what so many visits would not decide, this design does not."""


def numbered(begun: ArrayLike, ended: ArrayLike, processors: Sequence[str]) -> Labels:
    """The visit of each block, from 0 in the order of time, shape (blocks,).

    begun, ended: of each block, in s. processors: model and stepping of each block's. Blocks on one processor model
    with less than 12 hours from one to the next are of one visit, whatever the date; another processor is another.
    """
    starts, ends = np.asarray(begun, dtype=np.float64), np.asarray(ended, dtype=np.float64)
    found = np.zeros(len(starts), dtype=np.int64)
    last: dict[str, tuple[int, float]] = {}
    count = 0
    for block in np.argsort(starts, kind="stable"):
        number, until = last.get(processors[block], (-1, -math.inf))
        if starts[block] - until >= APART_S:
            number, count = count, count + 1
        last[processors[block]] = number, max(until, float(ends[block]))
        found[block] = number
    return found


def borne(estimate: Estimate, visits: int, equal: float | None = None) -> tuple[Estimate, ...]:
    """The intervals that have to give the verdict of the estimate's own, by how many visits stand behind it.

    equal: how many visits of equal length they are worth, as ``worth`` counts them; all by default. One visit: itself
    widened by 1 %, and by a quarter. Two or three: its half-width and what a visit moves a number, divided by the root
    of what they are worth, as the root of the sum of squares; then 1 %. From four on the interval is the wider of those
    over blocks and over visits already. Raises BenchbookError as ``widened`` does.
    """
    if visits < 2:
        return widened(estimate, SMALL), widened(estimate, ALONE)
    moved = moves(estimate) / math.sqrt(equal or visits) if visits < VISITS else 0.0
    return (widened(estimate, SMALL, moved),)


def count(visits: ArrayLike) -> int:
    """How many visits there are; visits: of each block, shape (blocks,)."""
    return int(np.unique(np.asarray(visits)).size)


def worth(visits: ArrayLike) -> float:
    """How many visits of equal length those of these blocks are worth: two of 8 and 2 blocks are worth 1.47.

    visits: of each block, shape (blocks,). A mean over blocks moves with its longest visit: its variance is that of
    one visit times the sum of the squares of their shares.
    """
    counts = np.unique(np.asarray(visits), return_counts=True)[1]
    return float(counts.sum() ** 2 / (counts**2).sum())


def moves(estimate: Estimate) -> float:
    """By how much a visit moves the number, as half of an interval on the number's own scale."""
    if linear(estimate):
        return 0.0
    away = abs(to_scale(estimate, estimate.point))
    return min(max(PART * away, LEAST), MOST)


def widened(estimate: Estimate, w: float, moved: float = 0.0) -> Estimate:
    """The same estimate with an interval that reaches further, on its own scale.

    moved: what is added to each half as the root of the sum of squares; w: what is added then. Ratios and positive
    quantities on the log scale, shares on the logit, a share that disappears (1 minus a ratio) on the log of that
    ratio. Differences have no such scale and come back as they are. Raises BenchbookError for what is not finite or
    below 0, and for an interval that reaches below 0 and has no logarithm.
    """
    if not (math.isfinite(w) and math.isfinite(moved) and min(w, moved) >= 0):
        raise BenchbookError(f"w={w:g} and {moved:g} are no widening", "give finite numbers from 0 up")
    if (w == 0.0 and moved == 0.0) or linear(estimate):
        return estimate
    point, *ends = (to_scale(estimate, each) for each in (estimate.point, estimate.low, estimate.high))
    low, high = min(ends) - _further(point - min(ends), moved) - w, max(ends) + _further(max(ends) - point, moved) + w
    bounds = sorted(from_scale(estimate, each) for each in (low, high))
    return replace(estimate, low=bounds[0], high=bounds[1])


def expected(estimate: Estimate, visits: int, equal: float, blocks: int, further: int) -> tuple[float, float]:
    """Where the number of one further visit lies in 95 %, if it comes from where those behind the estimate came from.

    estimate: at 95 %, over ``blocks`` blocks of ``visits`` visits, worth ``equal`` of equal length. further: the blocks
    of the further one. Its mean has the noise of its own blocks besides, and moves as each visit does; an interval over
    the means of visits says both by itself. Raises BenchbookError as ``widened`` does.
    """
    by_visits = estimate.method.endswith(OF_VISITS)
    more = visits if by_visits else blocks / further
    moved = 0.0 if by_visits else moves(estimate) * math.sqrt(1 + 1 / equal)
    straight = linear(estimate)
    known = (estimate.point, estimate.low, estimate.high)
    point, *ends = known if straight else (to_scale(estimate, each) for each in known)
    below, above = (
        math.hypot((each - point) * math.sqrt(1 + more), moved) + (0.0 if straight else SMALL)
        for each in (min(ends), max(ends))
    )
    found = (point - below, point + above)
    low, high = sorted(found if straight else (from_scale(estimate, each) for each in found))
    return low, high


def _further(half: float, moved: float) -> float:
    """By how much an end lies further out; not at all where it, or the point, has no finite place on the scale."""
    return math.hypot(half, moved) - half if math.isfinite(half) else 0.0
