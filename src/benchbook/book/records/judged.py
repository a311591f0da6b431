"""One verdict for every claim of the ledger, from the verdicts that chapters gave; no claim is left out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from benchbook.claims import Claim, judge_without_data
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, Verdict

VERDICT = TypeAdapter(Verdict)
_OTHERWISE = {"hosts"}
"""What a record holds in another form than a verdict, and nobody asks a verdict of a record for."""


@dataclass(frozen=True)
class Judged:
    """A claim and its verdict. judged_by: the chapter that computed it, "" where none did. run_id: of its run or ""."""

    claim: Claim
    verdict: Verdict
    judged_by: str = ""
    run_id: str = ""

    @property
    def outcome(self) -> Outcome:
        return self.verdict.outcome


def of_ledger(claims: Mapping[str, Claim], verdict: Verdict, chapter: str, run_id: str = "") -> Judged:
    """What a chapter says of a claim; raises BenchbookError for one that is not in the ledger."""
    if verdict.claim_id not in claims:
        raise BenchbookError(
            f"chapter {chapter} judges {verdict.claim_id}, which is not a claim of the ledger", "correct its claim id"
        )
    return Judged(claims[verdict.claim_id], verdict, chapter, run_id)


def every_claim(claims: Mapping[str, Claim], given: Iterable[Judged]) -> list[Judged]:
    """One Judged per claim, in the ledger's order; a claim that no chapter judged gets the verdict without data.

    given: what chapters concluded, in any order. Where two chapters judge one claim, the claim's own chapter counts,
    else the first.
    """
    found: dict[str, Judged] = {}
    for each in given:
        id_ = each.verdict.claim_id
        if id_ not in found or each.judged_by == claims[id_].chapter != found[id_].judged_by:
            found[id_] = each
    return [found.get(id_) or Judged(claim, judge_without_data(claim)) for id_, claim in claims.items()]


def from_records(claims: Mapping[str, Claim], records: Iterable[Mapping[str, Any]]) -> list[Judged]:
    """The same from the records that executed chapters leave (``VerdictTable.records``); raises as ``of_ledger``."""
    plain = ({name: value for name, value in record.items() if name not in _OTHERWISE} for record in records)
    return every_claim(
        claims, (of_ledger(claims, VERDICT.validate_python(each), str(each["chapter"])) for each in plain)
    )
