"""One verdict for every claim of the ledger, from the verdicts that chapters gave; no claim is left out.

What all chapters conclude is kept until anything changes that verdicts rest on: judging all of them takes a while.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from benchbook import nofollow, project
from benchbook.book.records import inputs
from benchbook.claims import Claim, judge_without_data
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, Verdict

VERDICT = TypeAdapter(Verdict)
KEPT = "verdicts.key.json"
"""In the folder of the built book."""
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


def kept_key(*, published_only: bool) -> str | None:
    """Of the code, the ledger, and every run that there is; None where a list is no file that is read here."""
    root = project.root()
    judged_with = {path for pattern in inputs.JUDGED_WITH for path in (root / "data").glob(pattern)}
    if any(path.lstat().st_size > nofollow.TEXT_BYTES or path.is_symlink() for path in judged_with):
        return None  # who judges says what is wrong with it
    where = ("data/published", "foreign") if published_only else ("data/published", "foreign", "runs")
    found = (path for folder in where for path in (root / folder).glob("*/*/run.json"))
    runs = sorted((str(path), each.st_size, each.st_mtime_ns) for path in found if (each := path.lstat()))
    return inputs.key({**inputs.of_code(root), "runs": runs, "published only": published_only})


def kept(wanted: str | None, claims: Mapping[str, Claim]) -> list[Judged] | None:
    """What was kept with this key; None where nothing was, or it cannot be read."""
    known = inputs.read_json(project.root() / "_build" / KEPT)
    if wanted is None or known.get("key") != wanted:
        return None
    return [
        Judged(claims[each["verdict"]["claim_id"]], VERDICT.validate_python(each["verdict"]), each["by"], each["run"])
        for each in known["given"]
    ]


def keep(wanted: str, given: Iterable[Judged]) -> None:
    """Keep it in place of what was kept before."""
    records = [
        {"verdict": VERDICT.dump_python(each.verdict, mode="json"), "by": each.judged_by, "run": each.run_id}
        for each in given
    ]
    path = project.root() / "_build" / KEPT
    inputs.write_atomically(path, json.dumps({"key": wanted, "given": records}))
