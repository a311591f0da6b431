"""What the chapter teaches beside its answers: count the waits, and remove them with the least of means."""

from __future__ import annotations

from benchbook.experiments.round_trips import model
from benchbook.experiments.round_trips.answers import WAYS
from benchbook.experiments.round_trips.arms import CLAIMED_MS, PIPELINE, SERIAL, UNION
from benchbook.experiments.round_trips.summary import Summary
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import compared, number
from benchbook.experiments.shape.sides import Turn
from benchbook.model import Estimate


def waiting(summary: Summary) -> str:
    """How much of a request is waiting, one by one and in a pipeline."""
    alone, together = (share(model.waiting(summary, mode, CLAIMED_MS)) for mode in (SERIAL, PIPELINE))
    return (
        f"With {CLAIMED_MS:g} ms added to each round trip, the trips themselves take {alone} of a request one by one "
        f"and {together} of one in a pipeline."
    )


def share(found: Estimate) -> str:
    """A share in percent; one above all of it, since the trips were timed a little too long, is practically all."""
    said = f"{number(found, 100)} %"
    return said if found.point <= 1 else f"practically all ({said} by computation)"


def transaction(summary: Summary) -> str:
    """What the transaction of the feature server's code costs."""
    whole, lookups = summary.counted("trips_committed").point, summary.counted("trips_autocommit").point
    if whole <= lookups:
        return f"The feature server's request makes {whole:.3g} round trips, of which its transaction adds none."
    return (
        f"The feature server's request makes {whole:.3g} round trips; without its BEGIN and COMMIT, in autocommit "
        f"mode, it would make {lookups:.3g}."
    )


def union(summary: Summary) -> str:
    """Whether one statement is faster than a pipeline of many."""
    return compared("Latency of one union of all tables over a pipeline, 1 ms", summary.over(UNION, PIPELINE, 1.0))


LESSON = Teaching(
    Turn(
        "L088",
        above="A pipeline removes less than half of a request's time",
        below="Look-ups sent one by one spend most of their time on round trips, and one pipeline "
        "removes nearly all of it",
        open="How much of a request a pipeline removes remains undecided here",
        at=0.5,
    ),
    figure=WAYS,
    claimed="Note 000: a request waits for one round trip per table; a pipeline or a single statement removes that "
    "wait.",
    advice="Count how often a request waits for the server before tuning the server, then ask once: in a pipeline with "
    "a cursor for each statement, in one statement, or in one function. Keep to autocommit for single reads, and check "
    "that every row has come.",
    numbers=("L088", "L047", "L048"),
    besides=(waiting, transaction, union),
)
