"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from functools import partial

from benchbook.experiments import lessons
from benchbook.experiments.label_order import pairs
from benchbook.experiments.label_order.judgements import FIRST, judge_claims
from benchbook.experiments.label_order.pairs import NAMES
from benchbook.experiments.label_order.summary import Summary
from benchbook.experiments.lessons import Point, Turn
from benchbook.figures import Lesson

TITLE = Turn(
    "B008",
    above="What runs first is slower, whatever its name: change places before you compare",
    below="What runs first is faster, whatever its name: change places before you compare",
    open="Equal settings differ too: run one under two names before you compare two",
)
POINTS = (
    Point(
        "B008",
        "9.35 ms is the cache's doing, whichever relay is measured first",
        "the mean of a burst that is run first is {} times that of the same setting run later",
    ),
    Point(
        "B010",
        "the P95 of 34.48 ms is the cache's doing too",
        "the P95 of a burst that is run first is {} times that of the same setting run later",
    ),
)
ADVICE = (
    "Draw the order anew in every round, and measure one setting twice under two names: what those two differ by, a "
    "comparison has to beat."
)


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, and how far equal labels lie apart."""

    def apart(metric: str, name: str) -> str:
        found = pairs.chance(summary, metric)
        return (
            f"In the {name} the note's two relays differ by a factor of {found.note:.2f}; of two equal labels in one "
            f"block the furthest apart differ by {found.largest:.3g}, and {found.in_blocks} of {summary.run.blocks} "
            "blocks hold a pair as far apart as the note's."
        )

    return lessons.lesson(
        "label_order",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=FIRST,
        besides=lessons.told(*(partial(apart, metric, name) for metric, name in NAMES.items())),
        advice=ADVICE,
    )
