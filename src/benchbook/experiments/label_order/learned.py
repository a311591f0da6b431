"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from functools import partial

from benchbook.experiments import lessons, notes
from benchbook.experiments.label_order import pairs
from benchbook.experiments.label_order.judgements import FIRST, judge_claims
from benchbook.experiments.label_order.notes import FAST, SLOW, TABLE
from benchbook.experiments.label_order.pairs import NAMES
from benchbook.experiments.label_order.summary import Summary
from benchbook.experiments.lessons import Point, Turn
from benchbook.experiments.per_block import NotEstimableError
from benchbook.figures import Headline, Lesson
from benchbook.figures.lesson import FAILED

TITLE = Turn(
    "B008",
    above="What runs first is slower, whatever its name: change places before you compare",
    below="What runs first is faster, whatever its name: change places before you compare",
    open="Equal settings differ too: run one under two names before you compare two",
)
POINTS = (
    Point(
        "B008",
        "its place in the order does not make the 9.35 ms",
        "the mean of a burst that is run first is {} times that of the same setting run later",
        lead=True,
        brief="run first, a burst takes {} times as long",
    ),
    Point(
        "B010",
        "its place in the order does not make the P95 of 34.48 ms",
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
            f"In the {name} the note's two labels differ by a factor of {found.note:.2f}; of two equal labels in one "
            f"block the furthest apart differ by {found.largest:.3g}, and {found.in_blocks} of {summary.run.blocks} "
            "blocks hold a pair as far apart as the note's."
        )

    def one_store() -> Headline:
        if notes.reading("programs_behind_relay_labels") != 1:
            raise NotEstimableError("the labels stand for different programs", "mend data/notes/readings.csv")
        slow, fast = (
            notes.number(TABLE, "value_ms", test="Burst Pattern", relay_label=each, metric="avg")
            for each in (SLOW, FAST)
        )
        return Headline(
            "001",
            f"The relays that it compares, {slow:g} and {fast:g} ms, are one Badger program under two names.",
            FAILED,
        )

    return lessons.lesson(
        "label_order",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=FIRST,
        besides=lessons.told(*(partial(apart, metric, name) for metric, name in NAMES.items())),
        advice=ADVICE,
        headlines=lessons.told(one_store),
    )
