"""What a chapter teaches: each claim worth telling in plain words, sorted by how it came out.

Nothing here decides anything: a claim stands where the ledger's rule put it, so that the words follow the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

from benchbook.claims import Claim, Rule, Testable, chapter_claims, region_of
from benchbook.claims.planned import widened_or_none
from benchbook.errors import BenchbookError
from benchbook.experiments.shape import judging, left_open
from benchbook.experiments.shape.analysis import Analysis
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.summary import NotEstimableError, Summary
from benchbook.experiments.shape.telling import filled
from benchbook.figures import Finding, Headline, Lesson
from benchbook.figures.lesson import OPEN, heading
from benchbook.figures.prose import digits
from benchbook.model import Estimate, Outcome, Verdict
from benchbook.statistics import intervals

_DIGITS = range(3, 9)
_LEAST = 1e-4


class Side(StrEnum):
    """Where an interval lies: wholly above a number, wholly below it, or neither."""

    ABOVE = "above"
    BELOW = "below"
    OPEN = "open"


@dataclass(frozen=True)
class Turn:
    """The title of a lesson by the interval of one claim: on which side of ``at`` it lies decides between three."""

    claim_id: str
    above: str
    below: str
    open: str
    at: float = 1.0

    def title(self, verdicts: Iterable[Verdict]) -> str:
        """The sentence for these verdicts; raises BenchbookError when the claim has none."""
        found = _by_claim(verdicts, [self.claim_id])[self.claim_id]
        return {Side.ABOVE: self.above, Side.BELOW: self.below, Side.OPEN: self.open}[side(found, self.at)]


def side(verdict: Verdict, at: float = 1.0) -> Side:
    """Open where the interval reaches over the number, where there is none, and where what was measured cannot tell.

    The interval is the one that the verdict had to bear, widened for the machine's movement.
    """
    if verdict.estimate is None or verdict.departs or not left_open.has_side(verdict):
        return Side.OPEN
    estimate = widened_or_none(verdict.estimate, verdict.w or 0.0)
    if estimate is None:
        return Side.OPEN
    return Side.ABOVE if estimate.low > at else Side.BELOW if estimate.high < at else Side.OPEN


def shown(verdicts: Iterable[Verdict], claim_id: str, wanted: Side, at: float = 1.0) -> Estimate:
    """A claim's number for a headline; raises NotEstimableError unless its interval lies on the side that is said."""
    verdict = _by_claim(verdicts, [claim_id])[claim_id]
    if verdict.estimate is None or side(verdict, at) is not wanted:
        raise NotEstimableError(f"this run does not show {claim_id} {wanted} {at:g}", "measure again")
    return verdict.estimate


TOO_SHORT = "This run is too short to decide"
"""The title of a lesson whose numbers a run cannot give."""


@dataclass(frozen=True)
class Teaching:
    """What a chapter teaches beside what its answers say.

    title: the answer in one sentence without full stop, or what gives it for a summary. figure: id of the one that
    shows it best. numbers: the three that a reader should take along, each the claim that it belongs to, or a sentence
    about what no claim says; they stand at the top of the page. besides: sentences with numbers that no claim is about.
    headlines: such findings for the opening page. A sentence that the run cannot fill is left out.
    """

    title: Turn | str | Callable[[Any], str]
    figure: str
    advice: str
    numbers: tuple[str | Callable[[Any], str], ...] = ()
    besides: tuple[Callable[[Any], str], ...] = ()
    headlines: tuple[Callable[[Any], Headline], ...] = ()


def lesson(summary: Summary[Any] | Analysis[Any], teaching: Teaching) -> Lesson:
    """The lesson of the run that the summary holds."""
    answered = judging.answered(summary)
    verdicts = [each.verdict for each in answered]
    told_of = [each.answer for each in answered if each.answer is not None and each.answer.said]
    chapter = summary.chapter
    given = chapter.part("answers").ANSWERS if chapter.has("answers") else ()
    order = {answer.claim: place for place, answer in enumerate(given)}
    return composed(
        chapter.name,
        titled(summary, teaching, verdicts),
        sorted(told_of, key=lambda answer: order[answer.claim]),
        verdicts,
        figure_id=teaching.figure,
        besides=filled(*(partial(sentence, summary) for sentence in teaching.besides)),
        advice=teaching.advice,
        headlines=filled(*(partial(headline, summary) for headline in teaching.headlines)),
    )


def composed(
    chapter: str,
    title: str,
    points: Sequence[Answer],
    verdicts: Iterable[Verdict],
    *,
    figure_id: str,
    besides: Iterable[str] = (),
    advice: str,
    headlines: Iterable[Headline] = (),
) -> Lesson:
    """A lesson of its parts. verdicts: all of the chapter's. Raises BenchbookError for a point that has none."""
    found = findings(chapter, points, verdicts)
    return Lesson(chapter, title, figure_id, found, tuple(besides), advice, tuple(headlines))


def titled(summary: Summary[Any] | Analysis[Any], teaching: Teaching, verdicts: Iterable[Verdict]) -> str:
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
    found = _by_claim(verdicts, [point.claim for point in points])
    return tuple(_finding(point, claims[point.claim], found[point.claim]) for point in points)


def _by_claim(verdicts: Iterable[Verdict], wanted: Sequence[str]) -> dict[str, Verdict]:
    found = {verdict.claim_id: verdict for verdict in verdicts}
    missing = [id_ for id_ in wanted if id_ not in found]
    if missing:
        raise BenchbookError(f"the chapter gives no verdict on {', '.join(missing)}", "correct the lesson's claim ids")
    return found


def _finding(point: Answer, claim: Claim, verdict: Verdict) -> Finding:
    return Finding(
        claim.id,
        claim.note,
        verdict.outcome,
        point.said,
        _seen(point, verdict, claim),
        point.lead and not (verdict.departs and heading(verdict.outcome) == OPEN),
        point.factor,
        _brief(point, verdict, claim),
        claim.testable is not Testable.HERE,
    )


def _seen(point: Answer, verdict: Verdict, claim: Claim) -> str:
    if verdict.outcome is Outcome.NOT_TESTABLE:
        return "this machine cannot test it"
    if verdict.estimate is None:
        return left_open.why(verdict)
    words = point.seen.format(number(verdict.estimate, point.factor))
    if heading(verdict.outcome) != OPEN:
        return words
    edges = f" ({_allowed(claim, verdict.estimate, point.factor)})" if left_open.close(verdict) else ""
    return f"{words}; {left_open.why(verdict)}{edges}"


def _allowed(claim: Claim, estimate: Estimate, factor: float) -> str:
    """The region in which a claim's number counts as reproduced, in the unit of the lesson."""
    asked = region_of(claim, estimate)
    if asked.bound is not None:
        return f"{'above' if claim.rule is Rule.GREATER else 'below'} {digits(factor * asked.bound)}"
    low, high = (None if end is None else digits(factor * end) for end in (asked.low, asked.high))
    return f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}"


def _brief(point: Answer, verdict: Verdict, claim: Claim) -> str:
    """Of an open claim why it is open, in brackets: a number that decides nothing needs its chapter beside it."""
    if heading(verdict.outcome) == OPEN:
        return f" ({left_open.briefly(verdict)})"
    if point.brief == "":
        return ""
    return f": {_seen(replace(point, seen=point.brief or point.seen), verdict, claim)}"


def number(estimate: Estimate, factor: float = 1.0) -> str:
    """Point and interval in another unit, such as "4.2 [3.6, 4.9]"; what was counted stands alone.

    Three digits, and more where a share of nearly all or nearly none would otherwise be written as all or none.
    """
    values = [float(factor * each) for each in (estimate.point, estimate.low, estimate.high)]
    if estimate.low == estimate.high and values[0].is_integer():
        return f"{values[0]:,.0f}"
    if intervals.of_blocks(estimate.method) == intervals.RESOLUTION and factor != 1.0:
        # the point is half a count away from a share of which no trial saw anything, or nothing else
        if estimate.low <= 0.0:
            return f"at most {_text(values[2], _DIGITS[0])}"
        if estimate.high >= 1.0:
            return f"at least {_text(values[1], _enough(values[1:2], (factor,)))}"
    # A share must not be written as all or none that is neither; an interval that leaves 1 out must show it.
    checked, edges = (values, (0.0, factor)) if factor != 1.0 else (values[1:], (0.0, 1.0))
    wanted = _enough(checked, edges)
    point, low, high = (_text(each, wanted) for each in values)
    return point if low == high else f"{point} [{low}, {high}]"


def compared(words: str, effect: Estimate) -> str:
    """A whole sentence beside the verdicts: what is compared, its ratio, and where the interval tells no direction.

    words: the beginning, up to the colon before the number.
    """
    open_end = ", which does not tell which is faster" if effect.low <= 1.0 <= effect.high else ""
    return f"{words.rstrip(' :.')}: {number(effect)}{open_end}."


def _enough(values: Iterable[float], edges: tuple[float, ...]) -> int:
    """The fewest digits with which no value is written as an edge that it is not."""
    checked = list(values)
    return next((d for d in _DIGITS if all(_apart(each, d, edges) for each in checked)), _DIGITS[-1])


def _apart(value: float, wanted: int, edges: tuple[float, ...]) -> bool:
    """Whether the rounded value lies on no edge on which the value itself does not lie."""
    shown = float(f"{value:.{wanted}g}")
    return all(shown != edge or math.isclose(value, edge, rel_tol=1e-9) for edge in edges)


def _text(value: float, wanted: int) -> str:
    if value and abs(value) < _LEAST:
        return f"below {_LEAST:g}" if value > 0 else f"above -{_LEAST:g}"
    return digits(value) if wanted == _DIGITS[0] else f"{value:.{wanted}g}"
