"""What the chapter teaches, in words that follow the run that the page shows."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.errors import BenchbookError
from benchbook.experiments import environment, lessons
from benchbook.experiments.lessons import Point, Turn
from benchbook.experiments.noise_floor.arms import WORKLOADS
from benchbook.experiments.noise_floor.judgements import TRIALS, judge_claims
from benchbook.experiments.noise_floor.summary import PLANNED_BLOCKS, Summary
from benchbook.figures import Lesson
from benchbook.figures.prose import digits

STABLE = 0.05
"""Up to this variation the ledger reads a throughput as stable."""
TITLE = Turn(
    "R054",
    above="Equal runs differ by more than a twentieth here: a single one says little",
    below="Equal runs differ by less than a twentieth here: only repeating them shows it",
    open="Equal runs differ too: repeat one setting before you compare two",
    at=STABLE,
)
POINTS = (
    Point(
        "R054",
        "throughput from a cold cache is stable and reproducible",
        "from trial to trial it varies by {} %",
        100,
    ),
    Point(
        "R053",
        "a plain pgbench command gives what the scripted one gives",
        "it gives {} times its throughput",
    ),
)
ADVICE = (
    "Measure one setting twice under two names, in every block and in random order, before you trust a difference "
    "between two settings."
)


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, with what the machine can show at all."""
    return lessons.lesson(
        "noise_floor",
        TITLE,
        POINTS,
        judge_claims(summary),
        figure_id=TRIALS,
        besides=lessons.told(*(partial(spread, summary, name) for name in WORKLOADS), partial(canary, summary)),
        advice=ADVICE,
    )


def spread(summary: Summary, workload: str) -> str:
    """How far trials of one workload differ, and the smallest difference that the planned blocks would show."""
    sd, seen = summary.trial_sd(workload), summary.detectable(workload, PLANNED_BLOCKS)
    point, low, high = (digits(100 * (value - 1)) for value in (seen.point, seen.low, seen.high))
    return (
        f"{workload[0].upper()}{workload[1:]}: trials of one block vary by {lessons.number(sd, 100)} % in "
        f"throughput (standard deviation); {PLANNED_BLOCKS} blocks show differences from {point} % on "
        f"[{low}, {high}]. Beyond that, the blocks vary by {digits(100 * summary.block_sd(workload))} %: a comparison "
        "within blocks takes that out, a single configuration carries it."
    )


def canary(summary: Summary) -> str:
    """How far a small fixed load moves by itself on this machine while nothing else runs."""
    found = environment.spreads(pd.DataFrame(summary.run.canary))
    if not found:
        raise BenchbookError("the run holds too few readings of the canary", "measure more blocks")
    said = ", ".join(f"{environment.READINGS[name]} {100 * spread:.2g} %" for name, spread in found.items())
    return (
        "From one look at the machine to the next, small fixed loads move by themselves, mostly by less than "
        f"this: {said}."
    )
