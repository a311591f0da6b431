"""What the chapter teaches beside its answers: what a benchmark of warmed keys leaves out."""

from __future__ import annotations

from benchbook.experiments.hot_cold_keys.answers import FEW_COLD, TAILS
from benchbook.experiments.hot_cold_keys.arms import BASELINE, zipf_name
from benchbook.experiments.hot_cold_keys.slow import extremes
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.shape.judging import verdicts
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.sides import Side, Turn, shown
from benchbook.figures import Headline


def few_cold(summary: Summary) -> str:
    """How much longer the tail is with a few unwarmed keys, and with keys by popularity."""
    times = number(shown(verdicts(summary), "L017", Side.ABOVE))
    popular = [
        f", and under Zipf {each:g} it is {number(summary.ratio((zipf_name(each), 'p99_ns'), (BASELINE, 'p99_ns')))} "
        "times"
        for each in summary.parameters.zipf_exponents
    ]
    return f"With one request in a hundred for an unwarmed key, the P99 is {times} times that of warmed keys alone" + (
        f"{''.join(popular)}."
    )


def unwarmed(summary: Summary) -> Headline:
    """The same on the opening page, with what follows for any P99."""
    return Headline("000", f"{few_cold(summary)} Once more than 1 % of the requests are cold, the P99 is a cold one's.")


def mean_of_few(summary: Summary) -> str:
    """What the P99 hides: the mean and the median of the same requests."""
    median, mean = (number(summary.ratio((FEW_COLD, name), (BASELINE, name))) for name in ("p50_ns", "mean_ns"))
    return (
        f"With one request in a hundred for an unwarmed key, the median is {median} times and the mean {mean} times "
        "that of warmed keys alone: a P99 says whether more than 1 % of the requests are cold, not how many."
    )


def network(summary: Summary) -> str:
    """How far warmed keys take the mean where reads and round trips take longer."""
    least, most = (number(effect) for effect in extremes(summary))
    return (
        f"Where each read takes longer, as over a network, warmed keys bring the mean to between {least} and {most} of "
        "that of disjoint keys: storage and network decide, and the note names neither."
    )


LESSON = Teaching(
    Turn(
        "L001",
        above="Keys that the warm-up had not read were the slow ones; once more than 1 % of the requests are for such "
        "keys, the P99 is theirs",
        below="Keys outside the warm-up were not the slow ones on this machine",
        open="Whether keys outside the warm-up are the slow ones remains undecided here",
    ),
    figure=TAILS,
    claimed="Note 000: the benchmark asked for cold keys by mistake; with hot ones the P99 falls from 110 ms to "
    "between 30 and 50 ms.",
    advice="Find out which share of your own requests is cold: above 1 %, the P99 is a cold request's, whatever the "
    "rest takes. Warm up with the traffic that you expect, count hits in the measured window alone, and measure "
    "several shares of warmed keys side by side, each after a fresh start.",
    numbers=("L001", few_cold, network),
    besides=(mean_of_few, network),
    headlines=(unwarmed,),
)
