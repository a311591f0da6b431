"""Refuse an interval that cannot judge a claim: too weak, not finite, or of another kind than the claim."""

from __future__ import annotations

import math

from benchbook.claims.record import COUNTED, Claim, Rule
from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate
from benchbook.statistics.effects import TOST_CONFIDENCE

CONFIDENCE = 0.95


def check(claim: Claim, effect95: Estimate, effect90: Estimate | None) -> None:
    """Raise BenchbookError unless the estimates at 95 % and at 90 % are what the claim's rule asks for."""
    counted = effect95.low == effect95.high
    for estimate, least in ((effect95, CONFIDENCE), (effect90, TOST_CONFIDENCE)):
        if estimate is None:
            continue
        if not all(map(math.isfinite, (estimate.low, estimate.point, estimate.high))):
            raise BenchbookError(
                f"the interval for claim {claim.id} is {estimate.low:g} to {estimate.high:g}, which is not an interval",
                "measure more blocks, or look at the individual trials",
            )
        if not estimate.low <= estimate.point <= estimate.high:
            raise BenchbookError(
                f"the interval for claim {claim.id} does not contain its point", "recompute the estimate"
            )
        if isinstance(estimate, Effect) and estimate.scale == "ratio" and estimate.low <= 0:
            raise BenchbookError(
                f"the ratio for claim {claim.id} reaches down to {estimate.low:g}, and a ratio is above 0",
                "compute it on logarithms",
            )
        if estimate.confidence < least - 1e-9 and not counted:
            raise BenchbookError(
                f"claim {claim.id} got a {estimate.confidence:.0%} interval where {least:.0%} is required",
                "recompute it at that confidence",
            )
    if claim.rule in COUNTED and not counted:
        raise BenchbookError(f"claim {claim.id} is counted and has no interval", "give exact(value)")
    if claim.rule is Rule.NO_DIFFERENCE and not counted:
        if effect90 is None:
            raise BenchbookError(f"claim {claim.id} says no difference", "give the 90 % interval too")
        if not (effect95.low <= effect90.low and effect90.high <= effect95.high):
            raise BenchbookError(
                f"the 90 % interval for claim {claim.id} is not inside the 95 % one", "compute both from the same data"
            )
