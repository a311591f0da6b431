"""What the chapter teaches about the book's own intervals."""

from __future__ import annotations

from benchbook.experiments import lessons
from benchbook.experiments.calibration.coverage_figures import EFFECTS
from benchbook.experiments.calibration.prose import answer
from benchbook.experiments.calibration.state_prose import gist
from benchbook.experiments.calibration.summary import Summary
from benchbook.figures import Lesson

TITLE = "An interval is worth what its coverage is: simulate it before you trust it"
ADVICE = (
    "Count a trial, not a request, as one observation, compare within blocks, leave out any interval that does not "
    "hold the truth as often as it says, and do not take a machine for quiet because it holds still."
)


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson: how often the book's own intervals and verdicts hold."""
    besides = [answer(summary).text, gist(summary)]
    return lessons.lesson("calibration", TITLE, (), [], figure_id=EFFECTS, besides=besides, advice=ADVICE)
