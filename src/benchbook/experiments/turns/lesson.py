"""What the chapter teaches."""

from __future__ import annotations

from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.turns.arms import ALONE, TURNS
from benchbook.experiments.turns.summary import Summary
from benchbook.figures.prose import digits


def closer(summary: Summary) -> str:
    """How much closer together ratios lie."""
    turns, alone = (summary.pooled_spread(way) for way in (TURNS, ALONE))
    return (
        f"From block to block the ratio of two engines varies by {digits(100 * turns)} % when they take turns, and by "
        f"{digits(100 * alone)} % when one is measured after the other."
    )


LESSON = Teaching(
    "Let what you compare take turns: both then share what the machine does",
    figure="fig-turns-spread",
    advice="Where configurations can live side by side, measure each for some milliseconds, round after round in "
    "random order, and drop the start of each turn.",
    besides=(closer,),
)
