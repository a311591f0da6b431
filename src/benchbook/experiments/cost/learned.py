"""What the chapter teaches, in words that follow the prices given."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.cost.judgements import LARGE, RATIO, SMALL, judge_claims
from benchbook.experiments.cost.summary import Summary
from benchbook.experiments.lessons import Point
from benchbook.figures import Lesson

TITLE = "Compare prices at equal terms: a discount that both can have tells nothing apart"
POINTS = (
    Point(
        "R086",
        "as a Spot instance the small machine gives the most throughput for the money",
        "in the note's table it gives {} times as much as the best other offer",
    ),
    Point(
        "L073",
        "Lakebase costs 125 times less than DynamoDB",
        "the two prices that it states differ by a factor of {}; whether they buy the same is not asked",
    ),
)
ADVICE = "State beside every price what is in it: the discount, the disks, the request rate, and the date."


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, and the comparison at one discount."""
    small, large = summary.discounted
    low, high = (each / large.per_usd[1] for each in small.per_usd)
    equal = (
        f"With {summary.parameters.common_discount_percent:g} % off for both, {SMALL} gives {low:.2f} to {high:.2f} "
        f"times the throughput of {LARGE} for the money."
    )
    return lessons.lesson("cost", TITLE, POINTS, judge_claims(), figure_id=RATIO, besides=[equal], advice=ADVICE)
