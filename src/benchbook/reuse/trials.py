"""What keeps the claims of a trial from being judged: the gaps of its ledger, and quotes that are not in the note."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from benchbook import project
from benchbook.claims.ledger import load_claims, notes_of_trial
from benchbook.claims.record import Claim, Rule
from benchbook.errors import BenchbookError
from benchbook.experiments import catalogue

_SPACES = re.compile(r"\s+")
_TO_WRITE = ("quote", "estimand", "family")


def wrong() -> Iterator[str]:
    """What keeps the trial's claims from being judged, a sentence each; nothing of a ledger that is whole.

    Raises BenchbookError in a project that is no trial.
    """
    if not project.chapters().is_dir():
        raise BenchbookError("this is no trial", "go into one, or make one with `benchbook trial new NOTE.md`")
    lacking = [*_unwritten()]
    yield from lacking
    if lacking:  # the ledger is not read: its first gap would hide the others
        return
    claims = load_claims()
    texts = {
        name: _SPACES.sub(" ", (project.ledger().parent / "notes" / f"{name}.md").read_text("utf-8"))
        for name in notes_of_trial()
    }
    for claim in claims.values():
        yield from _misplaced(claim, texts[claim.note])


def _unwritten() -> Iterator[str]:
    with project.ledger().open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for column in (*_TO_WRITE, "rule"):
                if not (row.get(column) or "").strip():
                    yield f"{row.get('id') or 'a row'} has no {column}"
            if row.get("rule") in (Rule.INSIDE, Rule.GREATER, Rule.LESS) and not (row.get("low") or row.get("high")):
                yield f"{row['id']} has the rule {row['rule']} and no region: fill in low or high"


def _misplaced(claim: Claim, text: str) -> Iterator[str]:
    if _SPACES.sub(" ", claim.quote) not in text:
        yield f"{claim.id} quotes words that are not in data/notes/{claim.note}.md"
    known = catalogue.names()
    if claim.chapter not in known:
        yield f"{claim.id} names the chapter {claim.chapter}, and there is {', '.join(known)}"
    elif claim.id not in catalogue.experiment(claim.chapter).answers.by_claim():
        yield f"{claim.id} is answered by no number: add it to `claims` in chapters/{claim.chapter}/page.md"
