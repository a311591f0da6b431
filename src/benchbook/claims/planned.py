"""How many further visits would decide a claim that is open, were point and spread to stay as they are."""

from __future__ import annotations

import math
from dataclasses import replace

from benchbook.claims.ground import Ground
from benchbook.claims.regions import Region
from benchbook.errors import BenchbookError
from benchbook.model import Estimate, Outcome
from benchbook.statistics.intervals import over_visits
from benchbook.statistics.planning import predicted, smallest
from benchbook.statistics.visits import MOST_VISITS, SMALL, moves, widened


def visits_needed(asked: Region, effect95: Estimate, effect90: Estimate, ground: Ground) -> int | None:
    """Further visits, each of as many blocks as are planned; None where no number up to 20 in all would decide."""

    def at(estimate: Estimate, visits: int) -> Estimate | None:
        more = visits - ground.visits
        replicates = visits if over_visits(estimate.method) else estimate.n + more * max(ground.a_visit, 1)
        bounds = predicted(estimate, max(replicates, 2)) or (estimate.low, estimate.high)  # else it does not narrow
        if not all(map(math.isfinite, bounds)):
            return None
        found = replace(estimate, low=min(bounds[0], estimate.point), high=max(bounds[1], estimate.point))
        if not ground.quantity.moves:
            return found
        try:
            return widened(found, SMALL + ground.borne, moves(found) / math.sqrt(visits))
        except BenchbookError:  # a mean that may be below 0 has no logarithm
            return found

    def decided(visits: int) -> bool:
        wide, narrow = at(effect95, visits), at(effect90, visits)
        return wide is not None and narrow is not None and asked.of(wide, narrow) is not Outcome.INCONCLUSIVE

    found = smallest(decided, start=max(ground.visits, 1) + 1, limit=max(MOST_VISITS, ground.visits + 1))
    return None if found is None else found - max(ground.visits, 1)
