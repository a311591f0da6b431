"""What a run of this machine says of a chapter's published numbers and verdicts: claim by claim, by a prediction."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchbook.claims import load_claims
from benchbook.errors import BenchbookError
from benchbook.experiments.manifest import Chapter
from benchbook.figures.lesson import DECIDED
from benchbook.model import Estimate, Run
from benchbook.numbers import hosts, quantities
from benchbook.numbers.summary import Summary
from benchbook.reuse import scales
from benchbook.reuse.estimates import Found, common_scale, estimates
from benchbook.reuse.scales import Scale
from benchbook.statistics.inputs import VISITS
from benchbook.statistics.machines import predicted_next


class Answer(StrEnum):
    """How a claim came out here beside the published verdict."""

    SAME = "same verdict"
    DIRECTION = "same direction"
    OPEN = "not decided here"
    CONTRADICTED = "contradicted"
    UNDECIDED = "open in the book"


@dataclass(frozen=True)
class Replicated:
    """One claim. main: of its note. published, here: the numbers, None where a run has none.

    predicted: where a further session's number is expected by the published sessions, on the number's own scale; None
    of fewer than four. outcome, outcome_here: of the verdicts.
    """

    claim: str
    main: bool
    answer: Answer
    outcome: str
    outcome_here: str
    published: Estimate | None
    here: Estimate | None
    predicted: tuple[float, float] | None

    @property
    def as_predicted(self) -> bool | None:
        """Whether the number made here lies where one was expected; None where nothing can be said."""
        if self.predicted is None or self.here is None:
            return None
        return self.predicted[0] <= self.here.point <= self.predicted[1]


def replicated(module: Chapter, published: Run, here: Run) -> list[Replicated]:
    """Every claim of the chapter that the published run has a number for, in the order of the page."""
    theirs, own = module.summarize(published), module.summarize(here)
    verdicts = [{each.claim_id: str(each.outcome) for each in module.judge(summary)} for summary in (theirs, own)]
    numbers = [{each.name: each for each in estimates(module, summary)} for summary in (theirs, own)]
    ledger = load_claims()
    found = []
    for claim, said in module.page.page.front.claims.items():
        first, second = (each.get(said.number) for each in numbers)
        if first is None:
            continue
        one, other = (each.get(claim, "") for each in verdicts)
        found.append(
            Replicated(
                claim,
                ledger[claim].primary,
                _answer(one, other, first, second),
                one,
                other,
                first.estimate,
                second.estimate if second else None,
                _predicted(module, theirs, first),
            )
        )
    return found


def _answer(published: str, here: str, first: Found, second: Found | None) -> Answer:
    if published not in DECIDED:
        return Answer.UNDECIDED
    if second is None or here not in DECIDED:
        return Answer.OPEN
    if published == here:
        return Answer.SAME
    nothing = 1.0 if common_scale(first, second) == "ratio" else 0.0
    sides = [math.copysign(1.0, each.estimate.point - nothing) for each in (first, second)]
    return Answer.DIRECTION if sides[0] == sides[1] else Answer.CONTRADICTED


def _predicted(module: Chapter, summary: Summary, found: Found) -> tuple[float, float] | None:
    """By the number of each published session alone."""
    number = module.page.names.numbers[found.name]
    points = []
    for part in hosts.parts(summary).values():
        try:
            points.append(quantities.estimate(part, found.name, number).point)
        except BenchbookError:  # a session of one block has no interval
            continue
    if len(points) < VISITS:
        return None
    own = scales.of(found.estimate)
    scale = own if all(math.isfinite(own.on(each)) for each in points) else Scale.DIFFERENCE
    low, high = map(scale.back, predicted_next([*map(scale.on, points)]))
    return (max(0.0, low), min(1.0, high)) if own is Scale.SHARE else (low, high)


def worst(found: Sequence[Replicated]) -> Answer:
    """Of the main claims, or of all where none is a main one: the answer that agrees least."""
    counted = [each for each in found if each.main] or list(found)
    order = (Answer.CONTRADICTED, Answer.OPEN, Answer.DIRECTION, Answer.SAME)
    return next((answer for answer in order if any(each.answer is answer for each in counted)), Answer.UNDECIDED)
