"""Runs of several sessions go in, so many and so long; what the rule for them makes of moving machines comes out.

Here every session may move the two arms' ratio by itself too. The interval is asked for the mean over all sessions that
the machine's state can give, and, widened by w, for the quiet machine. Levels and dips are decided only where the
interval over sessions and each session's own number say the same (protocol, items 20d and 20e).
"""

from __future__ import annotations

import math

import numpy as np

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.calibration.arms import ALIKE, SENSITIVITIES, Parameters, design_name
from benchbook.experiments.calibration.simulation import machine, rows
from benchbook.experiments.calibration.simulation.coverage import TOLERANCE, Metrics
from benchbook.experiments.calibration.simulation.decisions import OPEN, Codes, agreeing, coded, region_of, tallied
from benchbook.experiments.calibration.simulation.distributions import Array
from benchbook.experiments.calibration.simulation.machine import Machine
from benchbook.experiments.calibration.simulation.rows import Bounds
from benchbook.experiments.calibration.simulation.rulings import (
    AA_CONFIDENCE,
    COMPARISONS,
    Look,
    codes,
    intervals_of,
    session_widening,
)

KINDS = ("level", "shape")
"""What is decided by sessions that agree, as in ``standing``."""


def measured(parameters: Parameters, state: str, arms: str, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch of a state, for every number of sessions and of blocks; the fewer are part of the more.

    arms: "alike", or "unequal" for runs that have each of the other pairs of sensitivities equally often.
    """
    runs = parameters.state_repetitions
    most = max(parameters.patience_sessions), max(parameters.patience_blocks)
    pairs = [pair for name, pair in SENSITIVITIES.items() if (name == ALIKE) == (arms == ALIKE)]
    felt = np.array([pairs[run % len(pairs)] for run in range(runs)])
    whole = machine.drawn(parameters, state, felt, (runs, *most), generator, parameters.session_sd)
    metrics: Metrics = {"patience_runs": float(runs)}
    for sessions in parameters.patience_sessions:
        for blocks in parameters.patience_blocks:
            part = Machine(*(getattr(whole, name)[:, :sessions, :blocks] for name in Machine.__dataclass_fields__))
            size = math.log1p(parameters.slower_percent / 100)
            slowdown = machine.mean_slowdown(state, size, blocks / most[1])
            metrics |= _design(parameters, part, felt * slowdown, design_name(sessions, blocks))
    return metrics


def _design(parameters: Parameters, part: Machine, slowed: Array, name: str) -> Metrics:
    """slowed: what the state adds to baseline and changed arm on average, on logs, shape (runs, 2)."""
    apart, same = part.changed - part.base, part.again - part.base
    wide, narrow = intervals_of(apart.mean(axis=-1))
    check(apart[0], wide)
    w = session_widening(apart, part.canary.mean(axis=-1))
    sound = rows.student(same.mean(axis=-1), AA_CONFIDENCE).cover(0.0)
    population = slowed[:, 1] - slowed[:, 0]
    blocks = apart.reshape(len(apart), -1)
    metrics: Metrics = {
        f"{name}_covered": float(wide.cover(population).sum()),
        f"{name}_quiet_covered": float(Bounds(wide.low - w, wide.high + w).cover(0.0).sum()),
        f"{name}_blocks_covered": float(rows.student(blocks).cover(population).sum()),
        f"{name}_half_width": float((wide.high - wide.low).mean() / 2),
        f"{name}_w": float(w.mean()),
    }
    ratios, far = np.exp(blocks), rows.stalled(blocks)
    look = Look(wide, narrow, w, sound)
    for claim in COMPARISONS:
        asked = region_of(claim)
        for true_ratio in parameters.state_ratios:
            plain = codes(asked, look, math.log(true_ratio), 0.0)
            found = np.where(codes(asked, look, math.log(true_ratio), w) == plain, plain, OPEN)
            found = np.where(sound, agreeing(asked, true_ratio * ratios, far, found), OPEN)
            metrics |= tallied(name, claim, asked, found, true_ratio, population)
    shape = part.changed - (part.base + part.again) / 2
    for kind, logs, truth in zip(KINDS, (part.changed, shape), (slowed[:, 1], population), strict=True):
        for true_ratio in parameters.state_ratios:
            found = np.where(sound, _agreed(logs + math.log(true_ratio)), OPEN)
            metrics |= tallied(name, kind, region_of("greater"), found, true_ratio, truth)
    return metrics


def _agreed(logs: Array) -> Codes:
    """Outcomes of "greater" where the interval over sessions and the number of each agree; open elsewhere."""
    asked = region_of("greater")

    def outcomes(low: Array, high: Array) -> Codes:
        ends = np.exp(low), np.exp(high)
        return coded(asked, *ends, *ends)

    means = logs.mean(axis=-1)
    overall = outcomes(*rows.student(means))
    for session in range(logs.shape[1]):
        overall = np.where(outcomes(means[:, session], means[:, session]) == overall, overall, OPEN)
    return overall


def check(apart: Array, wide: Bounds) -> None:
    """Compare the first run's interval with the book's own; apart: (sessions, blocks). BenchbookError at a difference.

    Raises it for fewer sessions than the book's function counts.
    """
    sessions, blocks = apart.shape
    logs, labels = apart.ravel(), np.repeat(np.arange(sessions), blocks)
    own = statistics.ratio(np.exp(logs), np.ones_like(logs), sessions=labels)
    twin = [float(np.exp(end[0])) for end in wide]
    if not np.allclose(twin, [own.low, own.high], rtol=TOLERANCE):
        raise BenchbookError(
            f"the simulated ratio over sessions has the ends {twin}, the book's own {[own.low, own.high]}",
            "mend calibration/simulation/several.py: the two must be equal",
        )
