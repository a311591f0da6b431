"""On which side of a number the interval of a claim lies, and the title of a lesson that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchbook.errors import BenchbookError
from benchbook.model import Estimate, Outcome, Verdict
from benchbook.numbers.summary import NotEstimableError

NO_SIDE = {Outcome.DESIGN, Outcome.OPEN_CONDITION, Outcome.CHECK, Outcome.NOT_YET_RUN}
"""Outcomes whose number may not be said to lie on a side: cause, conditions or checks were not those of the claim."""


class Side(StrEnum):
    """Where an interval lies: wholly above a number, wholly below it, or neither."""

    ABOVE = "above"
    BELOW = "below"
    OPEN = "open"


@dataclass(frozen=True)
class Turn:
    """The title of a lesson by the interval of one claim: on which side of ``at`` it lies decides between three."""

    claim_id: str
    above: str
    below: str
    open: str
    at: float = 1.0

    def title(self, verdicts: Iterable[Verdict]) -> str:
        """The sentence for these verdicts; raises BenchbookError when the claim has none."""
        found = by_claim(verdicts, [self.claim_id])[self.claim_id]
        return {Side.ABOVE: self.above, Side.BELOW: self.below, Side.OPEN: self.open}[side(found, self.at)]


def side(verdict: Verdict, at: float = 1.0) -> Side:
    """Open where the interval reaches over the number, where there is none, and where what was measured cannot tell.

    The interval is the one that the verdict had to bear, widened for what visits may do to it. Where kinds of host lie
    apart there is one for each, and the side is that of all.
    """
    if verdict.outcome in NO_SIDE:
        return Side.OPEN
    alone: list[Estimate | None] = [each.estimate for each in verdict.hosts]
    found = {_of(each, at) for each in alone or [verdict.carried or verdict.estimate]}
    return found.pop() if len(found) == 1 else Side.OPEN


def _of(estimate: Estimate | None, at: float) -> Side:
    if estimate is None:
        return Side.OPEN
    return Side.ABOVE if estimate.low > at else Side.BELOW if estimate.high < at else Side.OPEN


def shown(verdicts: Iterable[Verdict], claim_id: str, wanted: Side, at: float = 1.0) -> Estimate:
    """A claim's number for a headline; raises NotEstimableError unless its interval lies on the side that is said."""
    verdict = by_claim(verdicts, [claim_id])[claim_id]
    if verdict.estimate is None or side(verdict, at) is not wanted:
        raise NotEstimableError(f"this run does not show {claim_id} {wanted} {at:g}", "measure again")
    return verdict.estimate


def by_claim(verdicts: Iterable[Verdict], wanted: Sequence[str]) -> dict[str, Verdict]:
    """The verdicts on these claims; raises BenchbookError when one has none."""
    found = {verdict.claim_id: verdict for verdict in verdicts}
    missing = [id_ for id_ in wanted if id_ not in found]
    if missing:
        raise BenchbookError(f"the chapter gives no verdict on {', '.join(missing)}", "correct the lesson's claim ids")
    return found
