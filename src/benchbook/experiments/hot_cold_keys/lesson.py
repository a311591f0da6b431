"""What the chapter teaches beside its answers: what a benchmark of warmed keys leaves out."""

from __future__ import annotations

from benchbook.experiments.hot_cold_keys.answers import TAILS
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.shape.judging import verdicts
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.sides import Side, Turn, shown
from benchbook.figures import Headline


def unwarmed(summary: Summary) -> Headline:
    """How much longer the tail is with some unwarmed keys."""
    times = number(shown(verdicts(summary), "L017", Side.ABOVE))
    return Headline(
        "000",
        f"With one request in five for an unwarmed key, the P99 is {times} times what a benchmark of warmed keys "
        "reports.",
    )


LESSON = Teaching(
    Turn(
        "L001",
        above="Keys that the warm-up had not read were the slow ones: state which keys a benchmark warmed",
        below="Keys outside the warm-up were not the slow ones on this machine",
        open="Whether keys outside the warm-up are the slow ones remains undecided here",
    ),
    figure=TAILS,
    claimed="Note 000: the benchmark asked for cold keys by mistake; with hot ones the P99 falls from 110 ms to "
    "between 30 and 50 ms.",
    advice="Warm up with the traffic that you expect, count hits in the measured window alone, and measure "
    "several shares of warmed keys side by side, each after a fresh start.",
    numbers=("L001", "L017", "L012"),
    headlines=(unwarmed,),
)
