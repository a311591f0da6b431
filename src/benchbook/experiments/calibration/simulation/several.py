"""Runs of several sessions go in, so many and so long; what the rule for them makes of moving machines comes out.

Here every session may move the two arms' ratio by itself too. The interval is asked for the mean over all sessions that
the machine's state can give, and, widened by w, for the quiet machine. Levels and dips are decided only where the
interval over sessions and each session's own number say the same (protocol, items 20d and 20e).

The quiet level that w starts from is the machine's own in one part of the runs; in the others it is read from sessions
on the same kind of machine, as the book has to, which may never have been quiet.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.calibration.arms import ALIKE, KNOWN, NOISY, READ, SENSITIVITIES, Parameters, design_name
from benchbook.experiments.calibration.simulation import machine, rows
from benchbook.experiments.calibration.simulation.coverage import TOLERANCE, Metrics
from benchbook.experiments.calibration.simulation.decisions import OPEN, Codes, agreeing, coded, region_of, tallied
from benchbook.experiments.calibration.simulation.distributions import Array
from benchbook.experiments.calibration.simulation.machine import READING_SD, SPREAD, Machine
from benchbook.experiments.calibration.simulation.rows import Bounds
from benchbook.experiments.calibration.simulation.rulings import (
    AA_CONFIDENCE,
    COMPARISONS,
    Look,
    codes,
    intervals_of,
    session_widening,
)
from benchbook.statistics.movement import QUIET_QUANTILE
from benchbook.statistics.sessions import PAIRS

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
    size = math.log1p(parameters.slower_percent / 100)
    seen = _seen(parameters, state, whole.canary, generator)
    metrics: Metrics = {"patience_runs": float(runs)}
    for sessions in parameters.patience_sessions:
        for blocks in parameters.patience_blocks:
            part = Machine(*(getattr(whole, name)[:, :sessions, :blocks] for name in Machine.__dataclass_fields__))
            slowed = felt * machine.mean_slowdown(state, size, blocks / most[1])
            looks = {
                level: each.of(sessions, blocks)
                for level, each in seen.items()
                if level == KNOWN or sessions == min(parameters.patience_sessions)
            }
            metrics |= _design(parameters, part, slowed, (sessions, blocks), looks)
    return metrics


@dataclass(frozen=True)
class Canary:
    """What is known of a run's canary: the means of its blocks, shape (runs, sessions, blocks), and of other sessions.

    others: ln(mean / quiet level) of blocks of other sessions, shape (runs, others), from which a quiet level is read;
    None where it is known. spread: of single readings.
    """

    means: Array
    others: Array | None
    spread: float

    def of(self, sessions: int, blocks: int) -> tuple[Array, float]:
        """The means of a part of the run over the quiet level, as far as it is known, and the spread."""
        own = self.means[:, :sessions, :blocks]
        if self.others is None:
            return own, self.spread
        known = np.concatenate([self.others, own.reshape(len(own), -1)], axis=1)
        return own - np.quantile(known, QUIET_QUANTILE, axis=1)[:, None, None], self.spread


def _seen(parameters: Parameters, state: str, canary: Array, generator: np.random.Generator) -> dict[str, Canary]:
    """The canary of these runs by how the quiet level is found; canary: their readings, shape (..., 4)."""
    runs, _, blocks, looks = canary.shape
    size, sd = math.log1p(parameters.slower_percent / 100), parameters.reading_sd
    shape = runs, parameters.level_sessions, blocks

    def others(sd: float) -> Array:
        return np.asarray(machine.readings(state, size, shape, sd, generator).mean(axis=-1).reshape(runs, -1))

    means = canary.mean(axis=-1)
    noise = sd / math.sqrt(looks) * generator.standard_normal(means.shape)
    return {
        KNOWN: Canary(means, None, SPREAD),
        READ: Canary(means, others(READING_SD), SPREAD),
        NOISY: Canary(means + noise, others(sd), math.expm1(PAIRS * sd)),
    }


def _design(
    parameters: Parameters, part: Machine, slowed: Array, design: tuple[int, int],
    looks: Mapping[str, tuple[Array, float]],
) -> Metrics:  # fmt: skip
    """slowed: what the state adds to baseline and changed arm on average, on logs, shape (runs, 2).

    looks: the canary's means over the quiet level, and its spread, by how that level is found.
    """
    name = design_name(*design)
    apart, same = part.changed - part.base, part.again - part.base
    wide, narrow = intervals_of(apart.mean(axis=-1))
    check(apart[0], wide)
    sound = rows.student(same.mean(axis=-1), AA_CONFIDENCE).cover(0.0)
    population = slowed[:, 1] - slowed[:, 0]
    blocks, look = apart.reshape(len(apart), -1), Look(wide, narrow, np.zeros(len(apart)), sound)
    metrics: Metrics = {
        f"{name}_covered": float(wide.cover(population).sum()),
        f"{name}_blocks_covered": float(rows.student(blocks).cover(population).sum()),
        f"{name}_half_width": float((wide.high - wide.low).mean() / 2),
    }
    ratios, far = np.exp(blocks), rows.stalled(blocks)
    plain = {
        (claim, ratio): codes(region_of(claim), look, math.log(ratio), 0.0)
        for claim in COMPARISONS
        for ratio in parameters.state_ratios
    }
    for level, (means, spread) in looks.items():
        own, w = design_name(*design, level), session_widening(apart, means, part.canary.shape[-1], spread)
        metrics[f"{own}_quiet_covered"] = float(Bounds(wide.low - w, wide.high + w).cover(0.0).sum())
        metrics[f"{own}_w"] = float(w.mean())
        for (claim, true_ratio), found in plain.items():
            asked = region_of(claim)
            alike = codes(asked, look, math.log(true_ratio), w) == found
            ruling = agreeing(asked, true_ratio * ratios, far, np.where(alike, found, OPEN))
            metrics |= tallied(own, claim, asked, np.where(sound, ruling, OPEN), true_ratio, population)
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
