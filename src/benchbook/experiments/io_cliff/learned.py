"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.io_cliff.arms import SMALL_POOL
from benchbook.experiments.io_cliff.judgements import CLIFFS, judge_claims
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.lessons import Point, Turn
from benchbook.figures import Lesson

TITLE = Turn(
    "C012",
    above="Throughput falls off a cliff here too: say in how many trials, not in which one",
    below="Most trials here show no cliff: one run that falls is not yet a property of the settings",
    open="Count the trials that fall off a cliff: too few are here to say whether most do",
    at=0.5,
)
POINTS = (
    Point(
        "C012",
        "the throughput of pgbench falls off a cliff",
        "{} % of the trials with its first settings show one",
        100,
    ),
    Point(
        "C010", "it falls to half of its height", "the lowest twelfth of a trial has {} times the highest's throughput"
    ),
    Point(
        "C042",
        "a pool as large as the data eliminates the cliff",
        "of the blocks with a cliff under Scenario A, {} % have none under Scenario B",
        100,
        lead=True,
        brief="of the blocks with one, {} % have none then",
    ),
    Point("C035", "with that pool there is no cliff", "{} % of its trials show none", 100),
    Point(
        "C059",
        "vm.dirty_ratio should be 4 instead of 10",
        "at 4 the throughput is {} times that at 10",
    ),
    Point(
        "C060",
        "vm.dirty_background_ratio should be 1 instead of 5",
        "at 1 the throughput is {} times that at 5",
    ),
    Point(
        "R068",
        "a checkpoint_timeout of an hour costs no throughput",
        "it gives {} times that of the default",
    ),
)
ADVICE = (
    "Draw throughput over time and not only its mean, repeat the run, and look at dirty data, checkpoints and "
    "evictions beside it: a fall has a cause that can be switched off."
)


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, and what a pool of a fifth of the data does."""

    def small() -> str:
        return (
            "A pool of 20 % instead of 80 % of the data makes the throughput this many times as high: "
            f"{lessons.compared(summary.against(SMALL_POOL))}."
        )

    return lessons.lesson(
        "io_cliff",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=CLIFFS,
        besides=lessons.told(small),
        advice=ADVICE,
    )
