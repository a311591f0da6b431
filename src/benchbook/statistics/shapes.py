"""Where a sweep or a timeline falls, how far, and how deep its middle dips."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.model import Effect
from benchbook.statistics import intervals
from benchbook.statistics.effects import ratio
from benchbook.statistics.inputs import Values, checked, checked_confidence, checked_grid, checked_resamples, paired

SMOOTH_S = 5
FALLEN = 0.70
FALLEN_S = 10
"""A timeline has a cliff where its 5 s mean stays below 70 % of its height before, for 10 s (protocol, item 10)."""

Pair = tuple[float, float]


@dataclass(frozen=True)
class Cliff:
    """The largest step of a sweep. pair: the two neighbouring settings. drop: right over left, as a ratio.

    locations: pairs with the share of the resamples in which each came out first, most frequent first; together they
    make the confidence set of the place.
    """

    pair: Pair
    drop: Effect
    locations: tuple[tuple[Pair, float], ...]


def cliff(
    values: ArrayLike, settings: ArrayLike, *, confidence: float = 0.95, resamples: int = 2000, seed: int = 0,
    visits: ArrayLike | None = None,
) -> Cliff:  # fmt: skip
    """The neighbouring settings between which the logs of the values step furthest, up or down.

    values: per-trial values, shape (blocks, settings), > 0; settings: shape (settings,), increasing, at least two.
    The step is the mean over blocks; of equal ones the first counts. Its place comes with the smallest set of pairs
    that came first in at least ``confidence`` of the resamples of whole blocks, the pair itself always among them.
    The drop is the paired ratio over blocks. As its pair was picked among k on the same data, its interval is the one
    that would hold for all k pairs together (Bonferroni), whichever is picked. visits: for the drop, as in
    ``effects``; its place comes from blocks all the same, as four visits are too few to be resampled.
    Raises BenchbookError below two blocks, for missing, zero or negative values, for settings that do not fit or do
    not increase, and where no pair differs at all: a level sweep has no cliff to locate.
    """
    checked_confidence(confidence)
    checked_resamples(resamples)
    grid = checked_grid(values, names=("blocks", "settings"))
    places = checked(settings, name="settings", unit="settings")
    if places.size != grid.shape[1]:
        raise BenchbookError(
            f"values of {grid.shape[1]} settings come with {places.size} settings", "give one setting per column"
        )
    if (np.diff(places) <= 0).any():
        raise BenchbookError("the settings do not increase", "sort the columns by their setting, each once")
    steps = np.diff(np.log(grid), axis=1)
    if float(np.abs(steps).max()) <= intervals.NEGLIGIBLE:
        raise BenchbookError("all settings have the same values, so a cliff is not estimable", "report the sweep level")
    found = int(np.argmax(np.abs(steps.mean(axis=0))))
    pairs = [(float(left), float(right)) for left, right in pairwise(places)]
    each = 1 - (1 - confidence) / len(pairs)
    drop = ratio(grid[:, found + 1], grid[:, found], confidence=each, visits=visits)
    return Cliff(
        pairs[found],
        replace(drop, method=intervals.simultaneous(drop.method), confidence=confidence),
        tuple((pairs[place], share) for place, share in _places(steps, found, confidence, resamples, seed)),
    )


def cliff_second(tps: ArrayLike) -> int | None:
    """First second, from 0, of a timeline's lasting fall; None when there is none.

    tps: one value per second in order of time, shape (seconds,), not negative, at least 15. The mean of the last 5 s
    is held against 70 % of the highest such mean so far. The second that is returned is the last one of the first 5 s
    whose mean is too low, and all those that end in the 10 s from it on must be too low as well. A fall so near the
    end of the series that these 10 s are not complete counts as none: nobody saw it last.
    Raises BenchbookError for a shorter series, and for missing or negative values.
    """
    values = checked(tps, name="seconds", minimum=SMOOTH_S + FALLEN_S, unit="seconds")
    if values.min() < 0:
        raise BenchbookError(f"a second has the throughput {values.min():g}", "give operations per second, 0 or more")
    smooth = np.lib.stride_tricks.sliding_window_view(values, SMOOTH_S).mean(axis=1)
    fallen = smooth < FALLEN * np.maximum.accumulate(smooth)
    lasting = np.lib.stride_tricks.sliding_window_view(fallen, FALLEN_S).all(axis=1)
    return int(np.argmax(lasting)) + SMOOTH_S - 1 if lasting.any() else None


def dip(
    left: ArrayLike, mid: ArrayLike, right: ArrayLike, *, confidence: float = 0.95,
    visits: ArrayLike | None = None,
) -> Effect:  # fmt: skip
    """Ratio of the middle setting to the geometric mean of the two at the sides, with its t interval on logs.

    left, mid, right: per-trial values, shape (blocks,), same block order, > 0. Below 1: the middle sags; 1: it lies
    on the line between the sides. visits: as for ``ratio``. Raises BenchbookError as ``ratio`` does.
    """
    names = ("the middle's values", "the left side's values", "the right side's values")
    middle, first = paired(mid, left, names=names[:2], positive=True)
    _, last = paired(mid, right, names=(names[0], names[2]), positive=True)
    return ratio(middle, np.sqrt(first) * np.sqrt(last), confidence=confidence, visits=visits)


def _places(steps: Values, found: int, confidence: float, resamples: int, seed: int) -> list[tuple[int, float]]:
    """Indices of the pairs that make the confidence set, with their shares of the resamples."""
    blocks, pairs = steps.shape
    drawn = np.random.default_rng(seed).multinomial(blocks, np.full(blocks, 1 / blocks), size=resamples)
    first = np.argmax(np.abs(drawn @ steps), axis=1)
    shares = np.bincount(first, minlength=pairs) / resamples
    order = sorted(range(pairs), key=lambda place: (-shares[place], place != found, place))
    enough = int(np.searchsorted(np.cumsum(shares[order]), confidence - 1e-12)) + 1
    kept = order[:enough]
    if found not in kept:
        kept.append(found)
    return [(place, float(shares[place])) for place in kept]
