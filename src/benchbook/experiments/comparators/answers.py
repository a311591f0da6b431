"""The claims: how each number comes from the stored trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.claims import Quantity
from benchbook.experiments.comparators.arms import BASELINE, DISJOINT, HOT, REPEATED, STAND_IN, name_of
from benchbook.experiments.comparators.summary import Summary
from benchbook.experiments.families.features.treatment import same_reads
from benchbook.experiments.shape.analysis import read
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import custom
from benchbook.model import Estimate
from benchbook.statistics import Gate

CLAIMED, LATENCY, PAIRINGS = "fig-comparators-claims", "fig-comparators-latency", "fig-comparators-pairings"
AA = (REPEATED, BASELINE)


def _mismatch(summary: Summary, confidence: float) -> Estimate:
    return summary.mismatch("p99_ns", confidence)


ANSWERS = (
    Answer(
        "L006",
        custom(
            _mismatch, Quantity.COMPARISON, DISJOINT, BASELINE, name_of(STAND_IN, HOT), aa="p99_ns",
            idle=same_reads(DISJOINT, BASELINE),
        ),
        CLAIMED,
        said="comparing cold data with another system's hot data is not a fair fight",
        seen="against the same hot store, the P99 of a cold PostgreSQL looks {} times that of a hot one",
        row="(PostgreSQL cold ÷ RocksDB hot) ÷ (PostgreSQL hot ÷ RocksDB hot)",
    ),
    Answer(
        "L076", read("systems_measured_hot"), "",
        said="after the fix, a hot Lakebase is tested against a hot DynamoDB",
        seen="the fixed benchmark runs {} of the two systems and has constants for the other",
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts and caches as named; of times Little's law."""
    arms = answer.estimand.names(summary)
    if not arms:
        return []
    return [summary.counts_agree(), summary.certified(arms), summary.littles_law(arms)]
