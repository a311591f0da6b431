"""Verdicts on levels, shapes and spreads of simulated machines, which no widening can judge.

The new rule decides them only where each of two sessions gives the same verdict; the others look at the first alone.
A level is the time of the changed arm, a shape its dip or hump between its two neighbours, a dispersion the geometric
standard deviation of its trials. Each is asked for as a multiple of what the claim names as its edge.
"""

from __future__ import annotations

import math

import numpy as np

from benchbook.experiments.calibration.arms import SENSITIVITIES, Parameters
from benchbook.experiments.calibration.simulation import rows
from benchbook.experiments.calibration.simulation.coverage import Metrics
from benchbook.experiments.calibration.simulation.decisions import OPEN, coded, region_of, tallied
from benchbook.experiments.calibration.simulation.distributions import Array
from benchbook.experiments.calibration.simulation.machine import Machine
from benchbook.experiments.calibration.simulation.rows import Bounds
from benchbook.experiments.calibration.simulation.rulings import AA_CONFIDENCE, still

KINDS = ("level", "shape", "dispersion")
RULES = ("none", "earlier", "new")
PLANNED = 2
"""Sessions that must agree."""


def measured(parameters: Parameters, machine: Machine, arms: str) -> Metrics:
    """Metrics of one batch of a state: for each rule, kind and true multiple the decided and the false verdicts."""
    metrics: Metrics = {}
    asked = region_of("greater")
    same = (machine.again - machine.base)[:, :PLANNED]
    quiet = still(machine.canary[:, 0]) & rows.student(same[:, 0]).cover(0.0)
    sound = rows.student(same, AA_CONFIDENCE).cover(0.0).all(axis=1)
    for kind, (bounds, moved) in _seen(parameters, machine, arms).items():
        for true_ratio in parameters.state_ratios:
            low, high = (true_ratio * end for end in bounds)
            each = np.stack([coded(asked, low[:, s], high[:, s], low[:, s], high[:, s]) for s in range(PLANNED)])
            agreed = np.where((each[0] == each[1]) & sound, each[0], OPEN)
            found = {"none": each[0], "earlier": np.where(quiet, each[0], OPEN), "new": agreed}
            for rule, codes in found.items():
                own = moved.mean(axis=1) if rule == "new" else moved[:, 0]
                metrics |= tallied(rule, kind, asked, codes, true_ratio, own)
    return metrics


def _seen(parameters: Parameters, machine: Machine, arms: str) -> dict[str, tuple[Bounds, Array]]:
    """Per kind the intervals, as multiples of the quiet machine's value, and ln of what the state adds to it.

    Shapes: (runs, sessions), for the first two sessions.
    """
    base, changed = SENSITIVITIES[arms]
    times, left, right = (each[:, :PLANNED] for each in (machine.changed, machine.base, machine.again))
    slowdown = machine.slowdown[:, :PLANNED]
    quiet_sd = math.hypot(parameters.between_block_sd, parameters.between_trial_sd)
    state_sd = np.sqrt(quiet_sd**2 + changed**2 * slowdown.var(axis=(-2, -1)))
    spread = rows.geometric_sd(np.exp(times))
    mean = slowdown.mean(axis=(-2, -1))
    return {
        "level": (rows.geometric_mean(np.exp(times)), changed * mean),
        "shape": (rows.geometric_mean(np.exp(times - (left + right) / 2)), (changed - base) * mean),
        "dispersion": (
            Bounds(spread.low / math.exp(quiet_sd), spread.high / math.exp(quiet_sd)), state_sd - quiet_sd,
        ),
    }  # fmt: skip
