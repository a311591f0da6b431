"""Verdicts of several bodies of blocks put together: those of kinds of host, and of conditions (items 20d2, d3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchbook.claims import reasons
from benchbook.claims.record import Claim
from benchbook.claims.regions import Region, region_of
from benchbook.claims.rules import SETTLED
from benchbook.model import Estimate, OnHost, Outcome, Verdict


@dataclass(frozen=True)
class Alone:
    """What the blocks of one kind of host say by themselves, by all rules. told: what else is known of the host."""

    name: str
    told: str
    verdict: Verdict
    blocks: int


def by_host(pooled: Verdict, claim: Claim, alone: Sequence[Alone], *, apart: bool, bounded: bool = False) -> Verdict:
    """The verdict of all blocks where kinds of host do not lie apart; else what all kinds say, or that it depends.

    Two kinds whose own verdicts are settled and differ make a claim depend on the host. Where kinds lie apart and not
    all are settled, or a settled one says other than all blocks together, the claim is open, and the reason says of
    which kind it lacks what; the number of all blocks together is then not among the reasons.
    """
    known = [each for each in alone if each.verdict.estimate is not None]
    said = {each.verdict.outcome for each in known if each.verdict.outcome in SETTLED}
    if len(known) < 2 or (len(said) < 2 and not apart and (pooled.outcome not in SETTLED or said <= {pooled.outcome})):
        return pooled
    settled = all(each.verdict.outcome in SETTLED for each in known)
    outcome = Outcome.HOST if len(said) > 1 else Outcome.OPEN_HOST
    if settled and len(said) == 1:
        [outcome] = said
    rows = tuple(
        OnHost(each.name, each.told, each.verdict.estimate, each.verdict.outcome, each.blocks, each.verdict.visits)
        for each in known
        if each.verdict.estimate
    )
    asked = region_of(claim, rows[0].estimate, bounded=bounded)
    edges = reasons.edges(claim, asked)
    told = "; ".join(
        f"{reasons.interval_text(row.estimate, edges)} on {row.name} ({row.told}): {row.outcome}" for row in rows
    )
    lacking = [f"{each.name}: {each.verdict.why}" for each in known if each.verdict.outcome not in SETTLED]
    ending = ""
    if outcome is Outcome.HOST:
        ending = "; the kinds of host lie apart"
    elif outcome is Outcome.OPEN_HOST:
        ending = (
            f"; the kinds of host do not say the same, and are not all settled ({'; '.join(lacking) or 'see above'})"
        )
    subject = reasons.subject_text(claim, rows[0].estimate)
    text = f"The {subject} is {told}; the claim needs {reasons.need_text(claim, asked)}{ending}."
    errors = [
        each.verdict.error for each in known if each.verdict.outcome in SETTLED and each.verdict.error is not None
    ]
    decided = outcome is not Outcome.OPEN_HOST
    return replace(
        pooled, outcome=outcome, reason=text, estimate=None, carried=None, hosts=rows,
        failed=() if decided else pooled.failed,
        why="" if decided else f"on {lacking[0].replace(':', ',', 1)}" if lacking else "hosts differ", quiet=None,
        error=max(errors, default=None) if decided else None, visits_needed=None,
        allowed=max(each.verdict.allowed or 0.0 for each in known) if decided and errors else None,
    )  # fmt: skip


def by_condition(
    claim: Claim, left_out: str, given: Mapping[str, Verdict], *, named: bool, blocks: int, bounded: bool = False
) -> Verdict:
    """The verdict of the nearest condition where all say the same, and that it depends where two settled ones differ.

    left_out: what the note does not say, as half a sentence. given: by condition that the note's own numbers allow,
    the nearest to the note's first, the verdict of the condition alone, from so many blocks; bounded as in ``Ground``.
    named: whether they were named in an amendment before their data, as what may make the claim depend on them; else
    such a claim stays open. Numbers on both sides of what the claim allows differ, although both are outside: one
    between them would be inside.
    """
    (first, verdict), *_ = given.items()
    if verdict.estimate is None:
        return verdict
    asked = region_of(claim, verdict.estimate, bounded=bounded)
    said = {name: (found.outcome, _side(asked, found.estimate)) for name, found in given.items()}
    settled = {each for each in said.values() if each[0] in SETTLED}
    if not settled or len({*said.values()}) == 1:
        return verdict
    needs, subject = reasons.need_text(claim, asked), reasons.subject_text(claim, verdict.estimate)
    if len(settled) < 2 or not named:
        other = {name: found for name, found in given.items() if said[name] != said[first]}
        told = _told(claim, asked, other)
        reason = f"{verdict.reason.rstrip('.')}; but {left_out}, and the verdict turns on it: {told}."
        return replace(
            verdict, outcome=Outcome.OPEN_CONDITION, reason=reason, error=None, allowed=None, quiet=None,
            why=f"{left_out}, and the verdict turns on it",
        )  # fmt: skip
    rows = tuple(
        OnHost(name, "", found.estimate, found.outcome, blocks, found.visits)
        for name, found in given.items()
        if found.estimate
    )
    text = (
        f"{left_out[:1].upper()}{left_out[1:]}. The {subject} is {_told(claim, asked, given)}; the claim needs {needs}."
    )
    return replace(
        verdict, outcome=Outcome.CONDITION, reason=text, estimate=None, carried=None, hosts=rows, visits_needed=None,
        quiet=None,
        error=None, allowed=None, why="",
    )  # fmt: skip


def _told(claim: Claim, asked: Region, given: Mapping[str, Verdict]) -> str:
    edges = reasons.edges(claim, asked)
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
