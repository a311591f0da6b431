"""What a chapter teaches: each claim worth telling in plain words, sorted by how it came out.

Nothing here decides anything: a claim stands where the ledger's rule put it, so that the words follow the numbers.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchbook.claims import Claim, Rule, chapter_claims, region_of
from benchbook.claims.checking import CONFIDENCE
from benchbook.figures import Finding, Lesson
from benchbook.figures.lesson import OPEN, heading
from benchbook.figures.numbers import with_interval
from benchbook.figures.prose import digits, listed
from benchbook.model import Estimate, Evidence, Outcome, Verdict
from benchbook.numbers import judging
from benchbook.numbers.analysis import Summarized
from benchbook.numbers.answers import Answer
from benchbook.numbers.claim_sides import Turn, by_claim
from benchbook.pages.prose import filled

TOO_SHORT = "This run is too short to decide"
"""The title of a lesson whose numbers a run cannot give."""


@dataclass(frozen=True)
class Teaching:
    """What a chapter teaches beside what its answers say.

    title: the answer in one sentence without full stop, or what gives it for a summary. figure: id of the one that
    shows it best. claimed: what the notes say, whole sentences that begin with the note; "" for a chapter that asks a
    question of its own. numbers: the three that a reader should take along, each the claim that it belongs to, or a
    sentence about what no claim says; they stand at the top of the page. first: what to do, as it stands there too.
    further: what else to do. besides: sentences with numbers that no claim is about. A sentence that the run cannot
    fill is left out.
    """

    title: Turn | str | Callable[[Any], str]
    figure: str
    first: tuple[Callable[[Any], str], ...]
    further: tuple[Callable[[Any], str], ...] = ()
    claimed: str = ""
    numbers: tuple[str | Callable[[Any], str], ...] = ()
    besides: tuple[Callable[[Any], str], ...] = ()


def lesson(summary: Summarized, teaching: Teaching) -> Lesson:
    """The lesson of the run that the summary holds."""
    answered = judging.answered(summary)
    verdicts = judging.verdicts(summary)
    told_of = [each.answer.told(summary) for each in answered if each.answer is not None and each.answer.said]
    chapter = summary.chapter
    order = {answer.claim: place for place, answer in enumerate(chapter.answers.given)}
    return Lesson(
        chapter.name,
        titled(summary, teaching, verdicts),
        teaching.figure,
        findings(chapter.name, sorted(told_of, key=lambda answer: order[answer.claim]), verdicts),
        tuple(filled(*(partial(sentence, summary) for sentence in teaching.besides))),
        joined(summary, (*teaching.first, *teaching.further)),
    )


def joined(summary: Summarized, sentences: Iterable[Callable[[Any], str]]) -> str:
    """Those of the sentences that the run can fill, one after the other."""
    return " ".join(filled(*(partial(sentence, summary) for sentence in sentences)))


def titled(summary: Summarized, teaching: Teaching, verdicts: Iterable[Verdict]) -> str:
    """The title of the lesson for this run and its verdicts."""
    if isinstance(teaching.title, Turn):
        return teaching.title.title(verdicts)
    if isinstance(teaching.title, str):
        return teaching.title
    return next(iter(filled(partial(teaching.title, summary))), TOO_SHORT)


def findings(chapter: str, points: Sequence[Answer], verdicts: Iterable[Verdict]) -> tuple[Finding, ...]:
    """One finding per answer, in their order; none for a chapter of which the ledger knows nothing."""
    if not points:
        return ()
    claims = chapter_claims(chapter)
    found = by_claim(verdicts, [point.claim for point in points])
    return tuple(_finding(point, claims[point.claim], found[point.claim]) for point in points)


def _finding(point: Answer, claim: Claim, verdict: Verdict) -> Finding:
    return Finding(
        claim.id,
        claim.note,
        verdict.outcome,
        point.said,
        f"{_seen(point, verdict, claim)}{'' if point.beside else _sized(verdict, claim)}",
        point.factor,
        verdict.evidence,
    )


def _seen(point: Answer, verdict: Verdict, claim: Claim) -> str:
    if verdict.outcome is Outcome.NOT_TESTABLE:
        return "this machine cannot test it"
    if verdict.hosts:
        at = "where" if verdict.outcome is Outcome.CONDITION else "on"
        return _numbered(point, [(row.estimate, f" {at} {row.name}") for row in verdict.hosts])
    if verdict.evidence in _BESIDE:
        return _otherwise(point, verdict)
    if verdict.estimate is None:
        return _why(verdict, point.cause)
    words = _numbered(point, [(verdict.estimate, "")])
    if heading(verdict.outcome) != OPEN:
        return words
    allowed = _allowed(claim, verdict.estimate, point.factor)
    close = verdict.outcome in (Outcome.ONE_VISIT, Outcome.INCONCLUSIVE)
    return f"{words}; {_why(verdict, point.cause)}{f' ({allowed})' if close else ''}"


def _why(verdict: Verdict, cause: str) -> str:
    """What leaves a claim open. cause: what would have to act, where it has a name."""
    if verdict.outcome is Outcome.DESIGN and cause and "did not act" in verdict.why:
        return f"the claimed cause, {cause}, did not act here"
    return verdict.why or "this run has no number for it"


_UNIT = re.compile(r"\{\}( %| times| percentage points)?")


def _numbered(point: Answer, told: Sequence[tuple[Estimate, str]]) -> str:
    """A claim's words with its number, or with one for each kind of host or condition; each has its unit behind it.

    told: numbers, and what stands behind each. Another confidence than the page's is said; it is the same for all.
    """
    place = _UNIT.search(point.seen)
    assert place is not None  # a contract test asks for one place for the number
    words = listed(f"{with_interval(each, point.factor)}{place[1] or ''}{where}" for each, where in told)
    confidence = told[0][0].confidence
    sure = "" if confidence == CONFIDENCE else f" ({100 * confidence:.4g} %)"
    return f"{point.seen[: place.start()]}{words}{sure}{point.seen[place.end() :]}"


_BESIDE = {Evidence.CONSTRUCTION: "it cannot act", Evidence.REPORT: "its own report says otherwise"}
"""What decides a claim beside any number that was measured, in few words."""


def _otherwise(point: Answer, verdict: Verdict) -> str:
    """What decides a claim without an interval, and what was measured beside it."""
    reason = verdict.reason.rstrip(".")
    named = (reason[:2].isalpha() and reason[:2].isupper()) or reason.startswith("PostgreSQL")
    words = reason if named else f"{reason[:1].lower()}{reason[1:]}"
    if verdict.estimate is None or not point.seen:
        return words
    return f"{words}; measured beside it, {_numbered(point, [(verdict.estimate, '')])}"


def _sized(verdict: Verdict, claim: Claim) -> str:
    """How an effect in the claimed direction compares with the claimed one; "" where the direction is not all."""
    estimate = None if verdict.evidence in _BESIDE else verdict.estimate
    if verdict.outcome is not Outcome.DIRECTION_ONLY or estimate is None:
        return ""
    asked = region_of(claim, estimate).demanded
    above = asked.high is not None and estimate.low > asked.high
    below = asked.low is not None and estimate.high < asked.low
    larger = above if asked.side > 0 else below
    return f"; the effect is {'larger' if larger else 'smaller'} than claimed"


def _allowed(claim: Claim, estimate: Estimate, factor: float) -> str:
    """The region in which a claim's number counts as reproduced, in the unit of the lesson."""
    asked = region_of(claim, estimate)
    if asked.bound is not None:
        return f"{'above' if claim.rule is Rule.GREATER else 'below'} {digits(factor * asked.bound)}"
    low, high = (None if end is None else digits(factor * end) for end in (asked.low, asked.high))
    return f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}"
