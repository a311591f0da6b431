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


def every_claim(claims: Mapping[str, Claim], given: Iterable[Judged]) -> list[Judged]:
    """One Judged per claim, in the ledger's order; a claim that no chapter judged gets the verdict without data.

    given: what chapters concluded, in any order. Where two chapters judge one claim, the claim's own chapter counts,
    else the first.
    """
    found: dict[str, Judged] = {}
    for judged in given:
        id_ = judged.verdict.claim_id
        if id_ not in found or judged.judged_by == claims[id_].chapter != found[id_].judged_by:
            found[id_] = judged
    return [found.get(id_) or Judged(claim, judge_without_data(claim)) for id_, claim in claims.items()]


def from_records(claims: Mapping[str, Claim], records: Iterable[Mapping[str, Any]]) -> list[Judged]:
    """The same from the records that executed chapters leave (``figures.VerdictTable.records``).

    Raises BenchbookError for a verdict on a claim that is not in the ledger.
    """
    given = []
    for record in records:
        id_ = str(record["claim_id"])
        if id_ not in claims:
            raise BenchbookError(
                f"chapter {record['chapter']} judges {id_}, which is not a claim of the ledger", "correct its claim id"
            )
        known = {name: value for name, value in record.items() if name not in _OTHERWISE}
        given.append(Judged(claims[id_], VERDICT.validate_python(known), str(record["chapter"])))
    return every_claim(claims, given)
