"""Claims of a chapter in, their verdicts out: an estimand's interval and its gates are put to the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchbook import statistics
from benchbook.claims import Claim, Rule, Testable, chapter_claims, judge, judge_without_data
from benchbook.errors import BenchbookError
from benchbook.experiments.per_block import NotEstimableError
from benchbook.model import Estimate, Outcome, Verdict
from benchbook.statistics import Gate
from benchbook.statistics.equivalence import TOST_CONFIDENCE


@dataclass(frozen=True)
class Evidence:
    """What a claim is judged by, computed when it is asked for; each may say that this run holds too little.

    compute: confidence to the estimand's interval. gates: what must hold for the interval to count.
    working: how a number was counted, for the verdict's reason.
    """

    compute: Callable[[float], Estimate]
    gates: Callable[[], Iterable[Gate]]
    figure_id: str
    working: Callable[[], str] | None = None


def verdicts(chapter: str, evidence: Callable[[Claim], Evidence | Verdict]) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order.

    evidence: is asked about the claims that are testable here; a Verdict stands as it is.
    """
    return [_verdict(claim, evidence) for claim in chapter_claims(chapter).values()]


def _verdict(claim: Claim, evidence: Callable[[Claim], Evidence | Verdict]) -> Verdict:
    if claim.rule is Rule.PROSE or claim.testable is not Testable.HERE:
        return judge_without_data(claim)
    found = evidence(claim)
    if isinstance(found, Verdict):
        return found
    try:
        effect95 = found.compute(0.95)
        effect90 = found.compute(TOST_CONFIDENCE) if claim.rule is Rule.NO_DIFFERENCE else None
        working = found.working() if found.working else ""
        gates = list(found.gates())
    except NotEstimableError as error:
        reason = f"This run cannot say: {error.problem} ({error.mend})."
        return Verdict(claim.id, Outcome.INCONCLUSIVE, reason, figure_id=found.figure_id)
    except BenchbookError as error:
        reason = f"The estimand cannot be computed from this run: {error.problem}."
        return Verdict(claim.id, Outcome.INCONCLUSIVE, reason, figure_id=found.figure_id)
    sound, reason = statistics.environment(gates)
    return judge(
        claim,
        effect95,
        effect90,
        environment_ok=sound,
        environment_reason=reason,
        figure_id=found.figure_id,
        working=working,
    )
