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
    given: Mapping[str, tuple[Estimate | None, Verdict]],
    *,
    blocks: int,
    sessions: int,
    bounded: bool = False,
) -> Verdict:
    """The verdict of all conditions where these agree, and that it depends on one where two settled ones differ.

    left_out: what the note does not say, as half a sentence. given: by condition, that of the design first, the number
    and the verdict of the condition alone, from so many blocks; bounded as in ``Ground``. Numbers on both sides of
    what the claim allows differ, although both are outside: one between them would be inside. Where neither holds, the
    claim stays open, and the reason names the conditions that do not say the same as the first.
    """
    (first, (estimate, verdict)), *_ = given.items()
    if estimate is None or len(given) < 2:
        return verdict
    asked = region_of(claim, estimate, bounded=bounded)
    said = {name: (found.outcome, _side(asked, number)) for name, (number, found) in given.items()}
    if len({*said.values()}) == 1:
        return verdict
    settled = {each for each in said.values() if each[0] in SETTLED}
    needs = f"the claim needs {reasons.need_text(claim, asked)}"
    subject = reasons.subject_text(claim, estimate)
    if not settled:
        return verdict
    if len(settled) < 2:
        others = [name for name in given if said[name] != said[first]]
        told = _told(claim, asked, {name: given[name] for name in others})
        departs = f"{left_out}, and the verdict turns on it: {told}, which is not the same verdict"
        reason = f"{verdict.reason.rstrip('.')}; but the run departs from the claim: {departs}."
        return replace(verdict, outcome=Outcome.INCONCLUSIVE, reason=reason, departs=departs, error=None, allowed=None)
    rows = tuple(
        OnHost(name, "", number, found.outcome, blocks, sessions) for name, (number, found) in given.items() if number
    )
    return replace(
        verdict,
        outcome=Outcome.CONDITION,
        reason=f"{left_out[:1].upper()}{left_out[1:]}. The {subject} is {_told(claim, asked, given)}; {needs}.",
        estimate=None, hosts=rows, trials_needed=None, sessions_needed=None, quiet=None, error=None, allowed=None,
    )  # fmt: skip


def _told(claim: Claim, asked: Region, given: Mapping[str, tuple[Estimate | None, Verdict]]) -> str:
    edges = words.edges(claim, asked)
    return "; ".join(
        f"{reasons.interval_text(number, edges) if number else 'not known'} where {name}: {found.outcome}"
        for name, (number, found) in given.items()
    )


def _side(asked: Region, estimate: Estimate | None) -> int:
    """-1 below what the claim allows, 1 above it, else 0."""
    if estimate is None:
        return 0
    if asked.low is not None and estimate.high < asked.low:
        return -1
    return int(asked.high is not None and estimate.low > asked.high)
