"""The verdict on a claim that leaves out a condition which its number may depend on (protocol, item 20d3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchbook.claims import reasons, words
from benchbook.claims.record import Claim
from benchbook.claims.regions import Region, region_of
from benchbook.model import Estimate, OnHost, Outcome, Verdict

SETTLED = {Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.NO_EFFECT, Outcome.CONTRADICTED}
"""What a condition has to say to count; that it depends on the host as well is no answer."""


def judged(
    claim: Claim,
    left_out: str,
    given: Mapping[str, Verdict],
    *,
    blocks: int,
    sessions: int,
    bounded: bool = False,
) -> Verdict:
    """The verdict of all conditions where these agree, and that it depends on one where two settled ones differ.

    left_out: what the note does not say, as half a sentence. given: by condition, that of the design first, the
    verdict of the condition alone, from so many blocks; bounded as in ``Ground``. Numbers on both sides of
    what the claim allows differ, although both are outside: one between them would be inside. Where neither holds, the
    claim stays open, and the reason names the conditions that do not say the same as the first.
    """
    (first, verdict), *_ = given.items()
    if verdict.estimate is None:
        return verdict
    asked = region_of(claim, verdict.estimate, bounded=bounded)
    said = {name: (found.outcome, _side(asked, found.estimate)) for name, found in given.items()}
    settled = {each for each in said.values() if each[0] in SETTLED}
    if not settled or len({*said.values()}) == 1:
        return verdict
    if len(settled) < 2:
        told = _told(claim, asked, {name: found for name, found in given.items() if said[name] != said[first]})
        departs = f"{left_out}, and the verdict turns on it: {told}, which is not the same verdict"
        reason = f"{verdict.reason.rstrip('.')}; but the run departs from the claim: {departs}."
        return replace(verdict, outcome=Outcome.INCONCLUSIVE, reason=reason, departs=departs, error=None, allowed=None)
    rows = tuple(
        OnHost(name, "", found.estimate, found.outcome, blocks, sessions)
        for name, found in given.items()
        if found.estimate
    )
    subject, needs = reasons.subject_text(claim, verdict.estimate), reasons.need_text(claim, asked)
    told = f"The {subject} is {_told(claim, asked, given)}; the claim needs {needs}."
    return replace(
        verdict,
        outcome=Outcome.CONDITION,
        reason=f"{left_out[:1].upper()}{left_out[1:]}. {told}",
        estimate=None, hosts=rows, trials_needed=None, sessions_needed=None, quiet=None, error=None, allowed=None,
    )  # fmt: skip


def _told(claim: Claim, asked: Region, given: Mapping[str, Verdict]) -> str:
    edges = words.edges(claim, asked)
    numbers = {
        name: reasons.interval_text(found.estimate, edges) if found.estimate else "not known"
        for name, found in given.items()
    }
    return "; ".join(f"{numbers[name]} where {name}: {found.outcome}" for name, found in given.items())


def _side(asked: Region, estimate: Estimate | None) -> int:
    """-1 below what the claim allows, 1 above it, else 0."""
    if estimate is None:
        return 0
    if asked.low is not None and estimate.high < asked.low:
        return -1
    return int(asked.high is not None and estimate.low > asked.high)
