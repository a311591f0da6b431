"""The verdict on a claim whose number differs between kinds of host (protocol, item 20d2)."""

from __future__ import annotations

from dataclasses import replace

from benchbook.claims import reasons, words
from benchbook.claims.ground import Ground
from benchbook.claims.planned import widened_or_none
from benchbook.claims.record import Claim
from benchbook.claims.regions import Region
from benchbook.model import OnHost, Outcome, Verdict

OPEN = {Outcome.INCONCLUSIVE, Outcome.ENVIRONMENT, Outcome.HOST}


def judged(pooled: Verdict, claim: Claim, asked: Region, ground: Ground) -> Verdict:
    """The verdict where kinds of host lie apart; the number of all blocks together is not among its words."""
    rows = []
    for each in ground.hosts:
        wide, narrow = each.estimates
        outcome = asked.of(wide, narrow)
        borne = [widened_or_none(estimate, ground.w) for estimate in each.estimates]
        if any(one is None for one in borne) or asked.of(*filter(None, borne)) is not outcome:
            outcome = Outcome.ENVIRONMENT
        rows.append(OnHost(each.name, each.told, wide, outcome, each.blocks, each.sessions))
    edges, found = words.edges(claim, asked), {row.outcome for row in rows}
    same = found.pop() if len(found) == 1 else Outcome.HOST
    outcome = Outcome.HOST if same in OPEN else same
    subject = reasons.subject_text(claim, rows[0].estimate)
    told = "; ".join(
        f"{reasons.interval_text(row.estimate, edges)} on {row.name} ({row.told}): {row.outcome}" for row in rows
    )
    ending = "" if outcome is not Outcome.HOST else "; the kinds of host lie apart"
    text = f"The {subject} is {told}; the claim needs {reasons.need_text(claim, asked)}{ending}."
    return replace(pooled, outcome=outcome, reason=text, estimate=None, hosts=tuple(rows))
