"""What keeps the claims of a trial from being judged: the gaps of its ledger, and quotes that are not in the note."""

import re
from collections.abc import Iterator

from benchbook import lab, nofollow, project
from benchbook.claims import conditions
from benchbook.claims.ledger import load_claims, notes_of_trial
from benchbook.claims.record import Claim, Rule, Testable
from benchbook.errors import BenchbookError, suggestion
from benchbook.experiments import catalogue, chosen_runs
from benchbook.model import Run
from benchbook.parameters.kinds import Kind
from benchbook.parameters.profiles import QUICK, profile

_SPACES = re.compile(r"\s+")
_TO_WRITE = ("quote", "estimand", "family")


def wrong() -> Iterator[str]:
    """What keeps the trial's claims from being judged, a sentence each; nothing of a ledger that is whole.

    Raises BenchbookError in a project that is no trial.
    """
    if not project.chapters().is_dir():
        mend = "go into one, or make one with `benchbook trial new NOTE.md --family pgbench`"
        raise BenchbookError("this is no trial", mend)
    lacking = [*_unwritten()]
    yield from lacking
    if lacking:  # the ledger is not read: its first gap would hide the others
        return
    claims = load_claims()
    texts = {
        name: _SPACES.sub(" ", nofollow.words(project.ledger().parent / "notes" / f"{name}.md", levels=nofollow.RUN))
        for name in notes_of_trial()
    }
    for claim in claims.values():
        yield from _misplaced(claim, texts[claim.note])
        yield from _unconditioned(claim)


def departing() -> Iterator[str]:
    """How the standard profile departs from what claims name, a sentence each: measured so, those claims stay open."""
    for claim in load_claims().values():
        usual = catalogue.experiment(claim.chapter).Parameters().model_dump()
        for each in conditions.departures(claim.id, usual):
            yield f"{claim.id} stays open in the standard profile: {each}"


def runs() -> Iterator[Run]:
    """A run of each chapter that answers claims: a published or stored one, else of the quick profile, measured now.

    Raises as measuring does.
    """
    for name in sorted({claim.chapter for claim in load_claims().values()}):
        module = lab.experiment(name)
        if module.kind is Kind.ANALYSIS:
            continue
        quick = module.Parameters.given(profile(name, QUICK))
        yield chosen_runs.run(module) or lab.find(module, module.Parameters()) or lab.obtain(module, quick)


def _unwritten() -> Iterator[str]:
    for row in nofollow.rows(project.ledger()):
        for column in (*_TO_WRITE, "rule"):
            if not (row.get(column) or "").strip():
                yield f"{row.get('id') or 'a row'} has no {column}"
        if row.get("rule") in (Rule.INSIDE, Rule.GREATER, Rule.LESS) and not (row.get("low") or row.get("high")):
            yield f"{row['id']} has the rule {row['rule']} and no region: fill in low or high"


def _unconditioned(claim: Claim) -> Iterator[str]:
    """What is not said, or said wrongly, of the conditions under which a claim that is measured here is to hold."""
    if claim.testable is not Testable.HERE or claim.rule is Rule.ARITHMETIC or claim.chapter not in catalogue.names():
        return
    known = catalogue.experiment(claim.chapter).Parameters.model_fields
    found = conditions.of(claim.id)
    if found is None:
        yield (
            f"{claim.id} names no conditions: write into data/{conditions.FILE} a row for each parameter of which the "
            f"note's words say something, such as scale, sizes, clients or length; or one with {conditions.NONE}"
        )
    for each in found or ():
        if each.parameter not in known:
            hint = suggestion(each.parameter, known)
            yield f"{claim.id} names the condition {each.parameter!r}, and its chapter has no such parameter{hint}"


def _misplaced(claim: Claim, text: str) -> Iterator[str]:
    if _SPACES.sub(" ", claim.quote) not in text:
        yield f"{claim.id} quotes words that are not in data/notes/{claim.note}.md"
    known = catalogue.names()
    if claim.chapter not in known:
        yield f"{claim.id} names the chapter {claim.chapter}, and there is {', '.join(known)}"
    elif claim.id not in catalogue.experiment(claim.chapter).answers.by_claim():
        yield f"{claim.id} is answered by no number: add it to `claims` in chapters/{claim.chapter}.md"
