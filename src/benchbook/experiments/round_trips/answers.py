"""The claims: how each number comes from the stored trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.families.features.treatment import same_reads
from benchbook.experiments.round_trips import model
from benchbook.experiments.round_trips.arms import (
    BASELINE,
    CLAIMED_MS,
    COUNTED,
    DISJOINT,
    DISJOINT_SERIALLY,
    PIPELINE,
    REPEATED,
    SERIAL,
    SERIALLY,
    cell,
)
from benchbook.experiments.round_trips.summary import Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import custom, known, level, ratio
from benchbook.model import Estimate
from benchbook.statistics import Gate

CLAIMED, TRIPS, GOT = "fig-round-trips-claims", "fig-round-trips-trips", "fig-round-trips-got"
WAYS, GAINS = "fig-round-trips-ways", "fig-round-trips-gains"
AA = (REPEATED, BASELINE)
_SEEN_AT_ONCE = 2
"""Statements at once that the control must show, or one of the pipeline says nothing."""


def fewer_trips(summary: Summary) -> str:
    """Why a pipeline saved nothing: it waited as often; "" where the wire says that it did not."""
    alone, together = summary.trips(SERIAL).low, summary.trips(PIPELINE).high
    if together < alone:
        return ""
    return f"the pipeline waited for the server {together:g} times a request and single look-ups {alone:g} times"


def disjoint_read(summary: Summary) -> str:
    """Why other keys than the warmed ones changed nothing; "" where they read more blocks, and trips were saved."""
    pairs = ((DISJOINT, BASELINE), (DISJOINT_SERIALLY, SERIALLY))
    return next(filter(None, (same_reads(more, less)(summary) for more, less in pairs)), fewer_trips(summary))


def overlap_unseen(summary: Summary) -> str:
    """Why statements at once would not have been seen; "" where the control saw them."""
    most = summary.counted("statements_at_once_control").low
    if most >= _SEEN_AT_ONCE:
        return ""
    return f"of the same statements over four connections no more than {most:g} were seen at once either"


def _gains(summary: Summary, confidence: float) -> Estimate:
    hot, cold = (summary.medians_speed_up(CLAIMED_MS, disjoint=disjoint) for disjoint in (False, True))
    return statistics.ratio(hot, cold, confidence=confidence, sessions=summary.sessions)


def _pipelines(summary: Summary) -> frozenset[str]:
    return frozenset(cell(PIPELINE, trip_ms) for trip_ms in summary.trips_ms)


ANSWERS = (
    Answer(
        "L088", ratio(BASELINE, SERIALLY, "p50_ns", idle=fewer_trips), WAYS,
        said="true pipelining lowers the latency",
        seen="with 1 ms added to each round trip, the P50 in a pipeline is {} times that of look-ups one by one",
        lead=True, brief="with trips of 1 ms its P50 is {} times that of look-ups one by one",
        row="P50: pipeline ÷ one by one",
    ),
    Answer(
        "L047", level(COUNTED, "trips_committed_per_table"), TRIPS,
        said="the feature server's code made a round trip for each table",
        seen="it makes {} of a round trip for each table",
        row="the code's round trips ÷ tables",
    ),
    Answer(
        "L048",
        known(
            lambda summary: float(summary.values(COUNTED, "correct_rows_snippet").min()),
            "the least in any block of the right rows that the note's lines got, whatever their place", COUNTED,
        ),
        GOT,
        said="the note's lines fetch the row of every table",
        seen="they fetch so many right rows: {}",
    ),
    Answer(
        "L049", custom(model.growth, Quantity.COMPARISON, aa="p50_ns", idle=fewer_trips), CLAIMED,
        said="a pipeline removes the waiting of each query",
        seen="with each further table its P50 grows by {} of a round trip, where one by one it would grow by one",
        row="pipeline: P50 in ms ÷ tables and ms of round trip",
    ),
    Answer(
        "L050",
        known(
            lambda summary: float(summary.values(COUNTED, "statements_at_once").max()),
            "the most in any block, by the server's own clock", COUNTED,
        ),
        GOT,
        said="a pipeline lets PostgreSQL execute its statements at the same time",
        seen="the most that had begun and not yet ended at a time: {}",
    ).but(idle=overlap_unseen),
    Answer(
        "L051",
        custom(
            _gains, Quantity.COMPARISON, SERIALLY, BASELINE, DISJOINT_SERIALLY, DISJOINT, aa="p50_ns",
            idle=disjoint_read,
        ),
        GAINS,
        said="pipelining matters most once the cache is warm",
        seen="with 1 ms added to each round trip, the speed-up of the P50 for warmed keys is {} times that of others",
        row="speed-up: warmed keys ÷ others",
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Caches as named and, of what is timed, equal counts and Little's law."""
    arms = answer.estimand.names(summary) or _pipelines(summary)
    gates = [summary.certified(arms)]
    return gates if answer.estimand.metric is None else [*gates, summary.counts_agree(), summary.littles_law(arms)]
