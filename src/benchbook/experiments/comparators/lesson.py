"""What the chapter teaches beside its answers: which pairing gave which verdict, and what no local store can tell."""

from __future__ import annotations

from benchbook.experiments.comparators.answers import PAIRINGS
from benchbook.experiments.comparators.arms import COLD, HOT, LABELS, STAND_IN
from benchbook.experiments.comparators.summary import Summary
from benchbook.experiments.shape import judging
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.sides import Turn
from benchbook.figures import with_interval
from benchbook.figures.prose import digits


def pairings(summary: Summary) -> str:
    """The same two programs, three verdicts."""
    mixed, hot, cold = (
        with_interval(summary.pairing(STAND_IN, ours, theirs))
        for ours, theirs in ((COLD, HOT), (HOT, HOT), (COLD, COLD))
    )
    return (
        f"By mean latency PostgreSQL takes {mixed} times as long as {LABELS[STAND_IN]} if it is cold and "
        f"{LABELS[STAND_IN]} is hot, {hot} times with both hot, and {cold} times with both cold."
    )


BIAS = Turn(
    "L006",
    above="Comparing a cold database with a hot one multiplies the difference by what a cold cache costs",
    below="A cold PostgreSQL did not look slower than a hot one on this machine",
    open="How far unequal caches mislead remains undecided here",
)


def title(summary: Summary) -> str:
    """What unequal caches do, and who is ahead where both are hot."""
    bias = BIAS.title(judging.verdicts(summary))
    hot = [summary.pairing(store, HOT, HOT) for store in summary.present(HOT)]
    if len(hot) < 2 or any(effect.low <= 1 for effect in hot):
        return bias
    least, most = min(effect.point for effect in hot), max(effect.point for effect in hot)
    return (
        f"{bias}; with both hot, PostgreSQL still takes {digits(least)} to {digits(most)} times as long as each of "
        f"{len(hot)} stores"
    )


LESSON = Teaching(
    title,
    figure=PAIRINGS,
    claimed="Note 000: a cold PostgreSQL (Lakebase) was compared with a hot DynamoDB, which is no fair fight; hot "
    "against hot, PostgreSQL wins.",
    advice="Run both systems yourself, with the same keys, from the same client, in the same cache state, and print "
    "that state beside each number. A constant from somebody else's system is a target, not a comparison.",
    numbers=("L006", pairings, "L076"),
)
