"""What the chapter teaches about the book's own intervals: how often they and the verdicts hold."""

from __future__ import annotations

from benchbook.experiments.calibration import prose
from benchbook.experiments.calibration.figures import EFFECTS
from benchbook.experiments.calibration.moving_prose import gist
from benchbook.experiments.calibration.summary import Summary
from benchbook.experiments.shape.lessons import Teaching


def answer(summary: Summary) -> str:
    """Coverage and false verdicts, as the page has them."""
    return prose.answer(summary).text


LESSON = Teaching(
    "An interval is worth what its coverage is: simulate it before you trust it",
    figure=EFFECTS,
    advice="Count a trial, not a request, as one observation, compare within blocks, leave out any interval that does "
    "not hold the truth as often as it says, and do not take a machine for quiet because it holds still.",
    besides=(answer, gist),
)
