"""What the chapter teaches beside its answers: how far equal trials differ, and the machine by itself."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.errors import BenchbookError
from benchbook.experiments import environment
from benchbook.experiments.noise_floor.answers import TRIALS
from benchbook.experiments.noise_floor.arms import WORKLOADS
from benchbook.experiments.noise_floor.summary import PLANNED_BLOCKS, Summary
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.sides import Turn
from benchbook.figures.prose import digits

STABLE = 0.05
"""Up to this variation the ledger reads a throughput as stable."""


def spread(workload: str, summary: Summary) -> str:
    """How far trials of one workload differ, and the smallest difference that the planned blocks would show."""
    sd, seen = summary.trial_sd(workload), summary.detectable(workload, PLANNED_BLOCKS)
    point, low, high = (digits(100 * value) for value in (seen.point, seen.low, seen.high))
    return (
        f"{workload[0].upper()}{workload[1:]}: trials of one block vary by {number(sd, 100)} % in throughput (standard "
        f"deviation); {PLANNED_BLOCKS} blocks can show differences of {point} % [{low}, {high}] or more. The blocks "
        f"themselves vary by {digits(100 * summary.block_sd(workload))} %: a comparison within blocks removes this, a "
        "single configuration does not."
    )


def trials(summary: Summary) -> str:
    """How far two trials of one configuration lie apart, by workload."""
    said = [f"{number(summary.trial_sd(workload), 100)} % ({workload})" for workload in WORKLOADS]
    return (
        "The standard deviation of the throughput of pgbench's trials of one configuration in one block is "
        f"{' and '.join(said)}; two trials typically differ by 1.4 times that."
    )


def canary(summary: Summary) -> str:
    """How far a small fixed load moves by itself on this machine while nothing else runs."""
    found = environment.spreads(pd.DataFrame(summary.run.canary))
    if not found:
        raise BenchbookError("the run has too few readings of the canary", "measure more blocks")
    said = " and ".join(
        f"{100 * spread:.2g} % of each other ({environment.READINGS[name]})" for name, spread in found.items()
    )
    return f"Small fixed loads, timed again and again, vary by themselves too: 95 % of the readings lie within {said}."


LESSON = Teaching(
    Turn(
        "R054",
        above="Identical runs differ by more than 5 % here: a single run says little",
        below="Identical runs differ by less than 5 % here: only repetition shows that",
        open="Identical runs differ too: repeat one setting before you compare two",
        at=STABLE,
    ),
    figure=TRIALS,
    claimed="Note 003: throughput from a cold cache, about 7,000 transactions per second, is stable and reproducible.",
    advice="Measure one setting twice under two names, in every block and in random order, before you trust a "
    "difference between two settings.",
    numbers=(trials, "R054", "R053"),
    besides=(*(partial(spread, workload) for workload in WORKLOADS), canary),
)
