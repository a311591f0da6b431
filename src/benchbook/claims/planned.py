"""How many more blocks, trials or sessions would decide a claim that its interval leaves open."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from benchbook.claims import reasons
from benchbook.claims.regions import Region
from benchbook.errors import BenchbookError
from benchbook.model import Estimate, Outcome
from benchbook.statistics.inputs import SESSIONS
from benchbook.statistics.intervals import over_sessions
from benchbook.statistics.movement import DATES, SMALL, widened
from benchbook.statistics.planning import BLOCKS_LIMIT, predicted, smallest

SESSIONS_LIMIT = 100
"""Where planning gives up: more sessions than anybody would measure."""


@dataclass(frozen=True)
class Further:
    """What would decide an open claim, if point and spread stay as they are.

    needed: blocks or trials in all, or sessions beside those that were measured; None where no number would.
    sessions: whether they are sessions. text: the same as the end of a sentence.
    """

    needed: int | None
    sessions: bool
    text: str


def further(asked: Region, effect95: Estimate, effect90: Estimate, w: float) -> Further:
    """What would decide an open claim while the machine moves by w."""
    needed = _needed(asked, effect95, effect90, w)
    # what would be enough on a machine that holds still, where nothing is on this one
    still = None if needed else _needed(asked, effect95, effect90, 0.0)
    sessions = over_sessions(effect95.method)
    if sessions:
        needed, still = (each and each - effect95.n for each in (needed, still))
    return Further(needed, sessions, _text(effect95, needed, still, w))


def over_dates(asked: Region, effect95: Estimate, effect90: Estimate, w: float, least: float = SMALL) -> Further:
    """The same where the further blocks are measured so that w becomes as small as it can: over sessions on dates."""
    more = further(asked, effect95, effect90, min(w, least))
    if more.needed is None or w <= least:
        return more
    return replace(more, text=f"{more.text}, over {SESSIONS} sessions on {DATES} dates")


def widened_or_none(estimate: Estimate, w: float) -> Estimate | None:
    """None of a mean that may be below 0: it has no logarithm to be widened on."""
    try:
        return widened(estimate, w)
    except BenchbookError:
        return None


def _needed(asked: Region, effect95: Estimate, effect90: Estimate, w: float) -> int | None:
    """Blocks, trials or sessions in all."""

    def at(estimate: Estimate, replicates: int) -> Estimate | None:
        bounds = predicted(estimate, replicates)
        if bounds is None or not all(map(math.isfinite, bounds)):
            return None
        return replace(estimate, low=min(bounds[0], estimate.point), high=max(bounds[1], estimate.point))

    def decided(replicates: int) -> bool:
        wide, narrow = at(effect95, replicates), at(effect90, replicates)
        if wide is None or narrow is None:
            return False
        outcome = asked.of(wide, narrow)
        if outcome is Outcome.INCONCLUSIVE:
            return False
        wide, narrow = widened_or_none(wide, w), widened_or_none(narrow, w)
        return wide is not None and narrow is not None and outcome is asked.of(wide, narrow)

    return smallest(decided, start=effect95.n + 1, limit=_limit(effect95))


def _text(effect: Estimate, needed: int | None, still: int | None, w: float) -> str:
    unit = f"{reasons.replicate(effect)}s"
    if needed is not None:
        return f"; {_counted(effect, needed)} would decide it if point and spread stay the same"
    if still is not None:
        drift = f"with this one's drift (w = {w:.2g}) no number would"
        return f"; {_counted(effect, still)} would decide it on a steady machine; {drift}"
    if predicted(effect, effect.n + 1) is None:
        return f"; more {unit} would not narrow this interval"
    return f"; no number of {unit} up to {_limit(effect):,} would decide it, because the point is so close to the edge"


def _counted(effect: Estimate, number: int) -> str:
    unit = reasons.replicate(effect)
    if over_sessions(effect.method):
        return f"{number:,} further {unit}{'' if number == 1 else 's'} of as many blocks"
    return f"{number:,} {unit}s"


def _limit(effect: Estimate) -> int:
    return SESSIONS_LIMIT if over_sessions(effect.method) else BLOCKS_LIMIT
