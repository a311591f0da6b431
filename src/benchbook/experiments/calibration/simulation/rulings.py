"""What each rule decides about claims with a planted truth on simulated machines, and how often falsely.

The rules: ``none`` takes the interval as it is. ``earlier`` keeps silent when the canary moved at the ends of more than
a fifth of the blocks, or when the 95 % A/A interval misses 1. ``new`` asks for a 99 % A/A interval that holds 1, for
the same verdict with and without the widening w, and by the median where a block lies far out. ``sessions`` was the
same over the means of four sessions, with the w of a quiet machine. ``states`` is the present rule over four sessions
on several dates: the wider of sessions and blocks, and a w of 1 %, about the machine in the states that it was met in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchbook import statistics
from benchbook.claims import Region
from benchbook.errors import BenchbookError
from benchbook.experiments.calibration.arms import SENSITIVITIES, Parameters
from benchbook.experiments.calibration.simulation import rows
from benchbook.experiments.calibration.simulation.coverage import TOLERANCE, Metrics
from benchbook.experiments.calibration.simulation.decisions import OPEN, Codes, agreeing, coded, region_of, tallied
from benchbook.experiments.calibration.simulation.distributions import Array
from benchbook.experiments.calibration.simulation.machine import SPREAD, Machine
from benchbook.experiments.calibration.simulation.rows import Bounds
from benchbook.experiments.calibration.simulation.slopes import session_widening
from benchbook.statistics.equivalence import TOST_CONFIDENCE

RULES = ("none", "earlier", "new", "new_ends", "sessions", "sessions_ends", "states")
"""Rules for a comparison. _ends: the canary was looked at before and after each block alone, as in stored runs."""
SEVERAL = frozenset({"sessions", "sessions_ends", "states"})
"""Those that take all sessions; the others have the first."""
SMALL, LARGER = math.log(1.01), math.log(1.02)
"""w of the present rule: for sessions on three dates or arms in turns, and else."""
COMPARISONS = ("greater", "inside", "no_difference")
"""Claims on the ratio of two arms, by their rule in the ledger."""
AA_CONFIDENCE = 0.99


def measured(parameters: Parameters, machine: Machine, arms: str) -> Metrics:
    """Metrics of one batch of a state: for each rule, claim and true ratio the decided and the false verdicts."""
    base, changed = SENSITIVITIES[arms]
    metrics: Metrics = {"state_runs": float(len(machine.base))}
    looks = seen(machine)
    check(machine, looks["none"])
    apart = machine.changed - machine.base
    by_block = {False: apart[:, 0], True: apart.reshape(len(apart), -1)}
    blocks = {several: (np.exp(logs), rows.stalled(logs)) for several, logs in by_block.items()}
    moved = (changed - base) * machine.slowdown.mean(axis=(-2, -1))
    for claim in COMPARISONS:
        asked = region_of(claim)
        for true_ratio in parameters.state_ratios:
            plain = {n: codes(asked, looks[n], math.log(true_ratio), 0.0) for n in ("none", "sessions", "states")}
            for rule, look in looks.items():
                found = plain[rule if rule == "states" else "sessions" if rule in SEVERAL else "none"]
                if look.widening.any():
                    wide = codes(asked, look, math.log(true_ratio), look.widening)
                    found = np.where(wide == found, found, OPEN)
                if rule not in ("none", "earlier"):
                    ratios, far = blocks[rule in SEVERAL]
                    found = agreeing(asked, true_ratio * ratios, far, found)
                found = np.where(look.sound, found, OPEN)
                own = moved.mean(axis=1) if rule in SEVERAL else moved[:, 0]
                metrics |= tallied(rule, claim, asked, found, true_ratio, own)
    return metrics


@dataclass(frozen=True)
class Look:
    """What a rule sees of all runs of a batch: logarithms of their 95 and 90 % intervals, w, and whether gates pass."""

    wide: Bounds
    narrow: Bounds
    widening: Array
    sound: NDArray[np.bool_]


def seen(machine: Machine) -> dict[str, Look]:
    """All rules' views; the first session is the run of the rules that have one."""
    apart, same = machine.changed - machine.base, machine.again - machine.base
    runs = len(apart)
    zero, all_sound = np.zeros(runs), np.ones(runs, dtype=bool)
    one = intervals_of(apart[:, 0])
    several = intervals_of(apart.mean(axis=-1))
    strict, over = (rows.student(each, AA_CONFIDENCE).cover(0.0) for each in (same[:, 0], same.mean(axis=-1)))
    first = machine.canary[:, 0]
    ends = first[..., [0, -1]]
    quiet = still(first) & rows.student(same[:, 0]).cover(0.0)
    w = np.array([statistics.movement([each], SPREAD, around_trials=True).w for each in first.reshape(runs, -1)])
    w_ends = np.array([statistics.movement([each], SPREAD, around_trials=False).w for each in ends.reshape(runs, -1)])
    around, beside = (each.mean(axis=-1) for each in (machine.canary, machine.canary[..., [0, -1]]))
    return {
        "none": Look(*one, zero, all_sound),
        "earlier": Look(*one, zero, quiet),
        "new": Look(*one, w, strict),
        "new_ends": Look(*one, w_ends, strict),
        "sessions": Look(*several, session_widening(apart, around, looks=machine.canary.shape[-1]), over),
        "sessions_ends": Look(*several, session_widening(apart, beside, looks=2), over),
        "states": wider(apart, same, SMALL),
    }


def wider(apart: Array, same: Array, w: Array | float) -> Look:
    """What a rule sees that takes the wider of sessions and blocks; both: shape (runs, sessions, blocks)."""
    wide, narrow = rows.over_sessions(apart), rows.over_sessions(apart, TOST_CONFIDENCE)
    sound = rows.over_sessions(same, AA_CONFIDENCE).cover(0.0)
    return Look(wide, narrow, np.broadcast_to(w, len(apart)), sound)


def intervals_of(logs: Array) -> tuple[Bounds, Bounds]:
    """At 95 and 90 %, of the replicates of each run, shape (runs, replicates)."""
    return rows.student(logs), rows.student(logs, TOST_CONFIDENCE)


def still(canary: Array) -> NDArray[np.bool_]:
    """Whether the earlier rule's canary lets each run pass; canary: of its session, shape (runs, blocks, readings)."""
    ends = np.exp(canary[..., [0, -1]])
    return np.array([statistics.canary_gate(each[:, 0], each[:, 1], SPREAD).passed for each in ends])


def codes(asked: Region, look: Look, log_ratio: float, widening: Array | float) -> Codes:
    """Each run's outcome as its place in OUTCOMES, with the arms' ratio planted and the intervals widened."""
    ends = (
        np.exp(look.wide.low + log_ratio - widening), np.exp(look.wide.high + log_ratio + widening),
        np.exp(look.narrow.low + log_ratio - widening), np.exp(look.narrow.high + log_ratio + widening),
    )  # fmt: skip
    return coded(asked, *ends)


def check(machine: Machine, look: Look) -> None:
    """Compare the first run's interval, and its widening, with the book's own; BenchbookError at a difference."""
    w = 0.1
    first = [np.exp(each[0, 0]) for each in (machine.changed, machine.base)]
    own = statistics.ratio(*first)
    wider = statistics.widened(own, w)
    twin = [float(np.exp(end[0] + by)) for end, by in (
        (look.wide.low, 0.0), (look.wide.high, 0.0), (look.wide.low, -w), (look.wide.high, w)
    )]  # fmt: skip
    if not np.allclose(twin, [own.low, own.high, wider.low, wider.high], rtol=TOLERANCE):
        raise BenchbookError(
            f"the simulated ratio has the ends {twin}, the book's own {[own.low, own.high, wider.low, wider.high]}",
            "mend calibration/simulation/rulings.py: the two must be equal",
        )
