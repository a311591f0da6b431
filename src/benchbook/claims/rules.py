"""A claim and its estimate go in; the verdict comes out, with its reason and what would decide an open one."""

from __future__ import annotations

import math

from benchbook.claims import reasons
from benchbook.claims.record import Claim, Rule, Testable
from benchbook.claims.regions import Region, region
from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate, Outcome, Verdict
from benchbook.statistics.equivalence import TOST_CONFIDENCE
from benchbook.statistics.planning import BLOCKS_LIMIT, predicted, smallest

CONFIDENCE = 0.95
SHARE_UNITS = {"fraction", "share"}
_COUNTED = {Rule.EXISTS, Rule.ARITHMETIC}


def judge(
    claim: Claim,
    effect95: Estimate,
    effect90: Estimate | None = None,
    *,
    environment_ok: bool = True,
    environment_reason: str = "",
    figure_id: str = "",
    working: str = "",
) -> Verdict:
    """The verdict on a claim from its estimand's interval.

    effect95: an Effect for a comparison of two configurations, a plain Estimate for a level of one, exact(value)
    for what was counted or recomputed. Its confidence must be at least 95 %; in a family of claims whose
    intervals shall hold together, the caller gives intervals that are wider accordingly (many_to_one, or Holm).
    effect90: the same at 90 %, needed by no_difference alone. environment_ok, environment_reason: as
    ``statistics.environment`` gives them for the gates. working: how a number was counted, for the reason.
    trials_needed of an inconclusive verdict is the total number of blocks at which the interval would decide,
    were point and spread to stay; None, and the reason says so, where no number up to 10,000 would.
    Claims in prose are not a measurement whatever the number. Raises BenchbookError for an interval that is too
    weak, or an estimate that is of another kind than the claim.
    """
    if claim.rule is Rule.PROSE:
        return judge_without_data(claim)
    _check(claim, effect95, effect90)
    scale = effect95.scale if isinstance(effect95, Effect) else None
    asked = region(claim, difference=None if scale is None else scale == "difference")
    narrow = effect90 or effect95
    counted = claim.rule in _COUNTED
    if counted:
        outcome = asked.counted(effect95.point)
    else:
        outcome = asked.outcome(effect95.low, effect95.high, narrow.low, narrow.high)
    found = _found_text(claim, asked, effect95, effect90, working)
    if not environment_ok:
        cause = environment_reason or "a gate failed"
        alone = f"the {'number' if counted else 'interval'} alone would {reasons.WOULD[outcome]}"
        reason = f"{found}; {alone}, but the environment was not sound: {cause}."
        return Verdict(claim.id, Outcome.ENVIRONMENT, reason, effect95, None, figure_id, alone=outcome)
    needed = None
    ending = ""
    if outcome is Outcome.INCONCLUSIVE:
        needed = _blocks_needed(asked, effect95, narrow)
        ending = _open_text(effect95, needed)
    elif outcome is Outcome.DIRECTION_ONLY:
        ending = "; only the direction is as claimed"
    return Verdict(claim.id, outcome, f"{found}{ending}.", effect95, needed, figure_id)


def judge_without_data(claim: Claim) -> Verdict:
    """The verdict on a claim for which nothing was measured: not a measurement, not testable here, or not yet run."""
    if claim.rule is Rule.PROSE:
        reason = (
            "This is a recommendation or an opinion, which no measurement decides; the chapter answers it in words."
        )
        return Verdict(claim.id, Outcome.NOT_A_MEASUREMENT, reason)
    if claim.testable is Testable.ELSEWHERE:
        return Verdict(claim.id, Outcome.NOT_TESTABLE, f"This needs {claim.elsewhere.rstrip('.')}.")
    if claim.testable is Testable.BY_READING:
        return Verdict(claim.id, Outcome.NOT_YET_RUN, "This is decided by reading the sources, which is not done yet.")
    return Verdict(claim.id, Outcome.NOT_YET_RUN, "No stored run answers this yet.")


def _check(claim: Claim, effect95: Estimate, effect90: Estimate | None) -> None:
    counted = effect95.low == effect95.high
    for estimate, least in ((effect95, CONFIDENCE), (effect90, TOST_CONFIDENCE)):
        if estimate is None:
            continue
        if not estimate.low <= estimate.point <= estimate.high:
            raise BenchbookError(f"the interval for claim {claim.id} does not hold its point", "recompute the estimate")
        if estimate.confidence < least - 1e-9 and not counted:
            raise BenchbookError(
                f"claim {claim.id} got a {estimate.confidence:.0%} interval where {least:.0%} is asked",
                "recompute it at that confidence",
            )
    if claim.rule in _COUNTED and not counted:
        raise BenchbookError(f"claim {claim.id} is counted and has no interval", "give exact(value)")
    if claim.rule is Rule.NO_DIFFERENCE and not counted:
        if effect90 is None:
            raise BenchbookError(f"claim {claim.id} says no difference", "give the 90 % interval too")
        if not (effect95.low <= effect90.low and effect90.high <= effect95.high):
            raise BenchbookError(
                f"the 90 % interval for claim {claim.id} is not inside the 95 % one", "compute both from the same data"
            )


def _found_text(claim: Claim, asked: Region, effect95: Estimate, effect90: Estimate | None, working: str) -> str:
    edges = [edge for edge in (asked.low, asked.high, asked.bound) if edge is not None]
    if claim.unit in SHARE_UNITS:
        edges += [0.0, 1.0]  # 0.99998 must not be printed as 1.000
    if asked.side and asked.neutral is not None:
        edges.append(asked.neutral)
    number = reasons.interval_text(effect95, edges)
    if claim.rule is Rule.NO_DIFFERENCE and effect90 is not None and effect95.low < effect95.high:
        shown = reasons.interval_text(effect90, edges)
        number = f"{number} and {shown[shown.index('[') :]}"
    start = f"{working.rstrip('.')}: the" if working else "The"
    subject = reasons.subject_text(claim, effect95)
    return f"{start} {subject} is {number}; the claim needs {reasons.need_text(claim, asked)}"


def _blocks_needed(asked: Region, effect95: Estimate, effect90: Estimate) -> int | None:
    def decided(blocks: int) -> bool:
        wide, narrow = predicted(effect95, blocks), predicted(effect90, blocks)
        if wide is None or narrow is None or not all(map(math.isfinite, (*wide, *narrow))):
            return False
        return asked.outcome(*wide, *narrow) is not Outcome.INCONCLUSIVE

    return smallest(decided, start=effect95.n + 1, limit=BLOCKS_LIMIT)


def _open_text(effect: Estimate, needed: int | None) -> str:
    unit = "blocks" if isinstance(effect, Effect) else "trials"
    if needed is not None:
        return f"; {needed:,} {unit} would decide it if point and spread stay as they are"
    if predicted(effect, effect.n + 1) is None:
        return f"; more {unit} would not narrow this interval"
    return f"; no number of {unit} up to {BLOCKS_LIMIT:,} would decide it, so close to the edge is the point"
