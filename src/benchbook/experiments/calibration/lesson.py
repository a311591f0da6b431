"""What the chapter teaches about the book's own intervals: how often they and the verdicts hold."""

from __future__ import annotations

from benchbook.experiments.calibration import prose
from benchbook.experiments.calibration.figures import EFFECTS
from benchbook.experiments.calibration.moving_prose import gist
from benchbook.experiments.calibration.several_prose import states_met
from benchbook.experiments.calibration.summary import Summary
from benchbook.experiments.shape.lessons import Teaching


def answer(summary: Summary) -> str:
    """Coverage and false verdicts, as the page has them."""
    return prose.answer(summary).text


def drifting(summary: Summary) -> str:
    """How often verdicts hold while the machine drifts, over one session and over several."""
    return f"{states_met(summary)} {gist(summary)}"


LESSON = Teaching(
    prose.verdict,
    figure=EFFECTS,
    claimed="By this book: that its 95 % intervals hold the true value in 95 % of the runs, and that few of its "
    "verdicts are untrue.",
    advice="An interval is only as good as its coverage: simulate it before you trust it. Count a trial, not a "
    "request, as one observation, compare within blocks, drop any interval that covers less often than it claims, and "
    "do not assume that a steady machine is a quiet one.",
    numbers=(prose.seldom, prose.no_effect, states_met),
    besides=(answer, drifting),
)
