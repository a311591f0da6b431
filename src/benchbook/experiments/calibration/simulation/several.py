"""Runs of several sessions go in, so many and so long; what the rules for them make of moving machines comes out.

A claim is about the machine in the states that it was met in: the mean over all sessions that its state can give. What
counts is how often the widened interval lies wholly on one side of the truth. That is how often a verdict is untrue
where the truth stands at the edge of a claim, and there it is untrue most often (protocol, item 20d).

The rules: ``dates`` is the present one for sessions on three dates or arms in turns, ``day`` the one for others, and
``slopes`` the earlier one, over means of sessions, with the w of a quiet machine. The others say what is printed beside
the present one about a quiet machine: its level is the machine's own, or read from other sessions on the same kind of
machine, as the book has to, which may never have been quiet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.calibration.arms import FEELING, Parameters, design_name
from benchbook.experiments.calibration.simulation import machine, rows
from benchbook.experiments.calibration.simulation.coverage import TOLERANCE, Metrics
from benchbook.experiments.calibration.simulation.decisions import OPEN, agreeing, region_of
from benchbook.experiments.calibration.simulation.distributions import Array
from benchbook.experiments.calibration.simulation.machine import READING_SD, SPREAD, Machine
from benchbook.experiments.calibration.simulation.rows import Bounds
from benchbook.experiments.calibration.simulation.rulings import (
    AA_CONFIDENCE,
    LARGER,
    SMALL,
    Look,
    codes,
    intervals_of,
    wider,
)
from benchbook.experiments.calibration.simulation.slopes import session_widening
from benchbook.statistics.movement import QUIET_QUANTILE
from benchbook.statistics.sessions import PAIRS

DATES, DAY, SLOPES = "dates", "day", "slopes"
KNOWN, READ, NOISY = "known", "read", "noisy"
LEVELS = (KNOWN, READ, NOISY)
"""How the quiet level is found for what is said about a quiet machine."""
RULES = (DATES, DAY, SLOPES, *LEVELS)
NULLS = ("inside", "best")
"""Claims that are asked of arms that are equal in the states met: whether that is decided."""
KINDS = ("level", "shape")
"""What is decided by sessions that agree, as in ``levels``."""
STATES_MET, QUIET = "states", "quiet"
"""What a verdict can be untrue of."""


def measured(parameters: Parameters, state: str, arms: str, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch of a state, for every number of sessions and of blocks; the fewer are part of the more."""
    runs = parameters.state_repetitions
    most = max(parameters.patience_sessions), max(parameters.patience_blocks)
    given = parameters.model_copy(update={"between_trial_sd": parameters.patience_trial_sd})
    felt = np.array([1.0, FEELING[arms]])
    whole = machine.drawn(given, state, felt[None], (runs, *most), generator)
    size = math.log1p(parameters.slower_percent / 100)
    canaries = _seen(parameters, state, whole.canary, generator)
    metrics: Metrics = {"patience_runs": float(runs)}
    for sessions in parameters.patience_sessions:
        for blocks in parameters.patience_blocks:
            part = Machine(*(getattr(whole, name)[:, :sessions, :blocks] for name in Machine.__dataclass_fields__))
            slowed = felt * machine.mean_slowdown(state, size, blocks / most[1])
            canary = {level: _of(*each, sessions, blocks) for level, each in canaries.items()}
            found = _design(part, slowed, canary)
            metrics |= {f"{design_name(sessions, blocks)}_{name}": value for name, value in found.items()}
    return metrics


def _seen(
    parameters: Parameters, state: str, canary: Array, generator: np.random.Generator
) -> dict[str, tuple[Array, Array | None, float]]:
    """What is known of the canary by how the quiet level is found; canary: the runs' readings, shape (..., 4).

    Means of blocks, shape (runs, sessions, blocks); those of other sessions, shape (runs, others), None where the level
    is known; the spread of single readings.
    """
    runs, _, blocks, looks = canary.shape
    size, sd = math.log1p(parameters.slower_percent / 100), parameters.reading_sd
    shape = runs, parameters.level_sessions, blocks

    def others(sd: float) -> Array:
        found = machine.readings(state, size, shape, sd, generator, parameters.following)
        return np.asarray(found.mean(axis=-1).reshape(runs, -1))

    means = canary.mean(axis=-1)
    noise = sd / math.sqrt(looks) * generator.standard_normal(means.shape)
    return {
        KNOWN: (means, None, SPREAD),
        READ: (means, others(READING_SD), SPREAD),
        NOISY: (means + noise, others(sd), math.expm1(PAIRS * sd)),
    }


def _of(means: Array, others: Array | None, spread: float, sessions: int, blocks: int) -> tuple[Array, float]:
    """The means of a part of the run over the quiet level, as far as it is known, and the spread."""
    own = means[:, :sessions, :blocks]
    if others is None:
        return own, spread
    known = np.concatenate([others, own.reshape(len(own), -1)], axis=1)
    return own - np.quantile(known, QUIET_QUANTILE, axis=1)[:, None, None], spread


def _design(part: Machine, slowed: Array, canary: dict[str, tuple[Array, float]]) -> Metrics:
    """slowed: what the state adds to baseline and changed arm on average, on logs, shape (2,).

    canary: the means of blocks over the quiet level, and the spread, by how that level is found.
    """
    apart, same = part.changed - part.base, part.again - part.base
    population = float(slowed[1] - slowed[0])
    present = wider(apart, same, SMALL)
    check(apart[0], present.wide)
    metrics: Metrics = {
        "covered": float(present.wide.cover(population).sum()),
        "half_width": float((present.wide.high - present.wide.low).mean() / 2),
    }
    by_block = apart.reshape(len(apart), -1)
    far = rows.stalled(by_block)
    typical = rows.median(by_block[far]) if far.any() else None
    for rule, look in _looks(present, apart, same, part.canary.shape[-1], canary):
        metrics[f"{rule}_w"] = float(look.widening.mean())
        metrics[f"{rule}_alarms"] = float((~look.sound).sum())
        for of, truth in ((STATES_MET, population), (QUIET, 0.0)):
            above, below = sides(look, truth, far, typical)
            metrics |= {f"{rule}_above_{of}": float(above.sum()), f"{rule}_below_{of}": float(below.sum())}
        for claim in NULLS:
            asked = region_of(claim)
            found, wide = (codes(asked, look, -population, by) for by in (0.0, look.widening))
            ruling = agreeing(asked, np.exp(by_block - population), far, np.where(found == wide, found, OPEN))
            metrics[f"{rule}_{claim}_decided"] = float(((ruling != OPEN) & look.sound).sum())
    shape = part.changed - (part.base + part.again) / 2
    for kind, logs, truth in zip(KINDS, (part.changed, shape), (float(slowed[1]), population), strict=True):
        ends, means = rows.over_sessions(logs), logs.mean(axis=-1)
        above = (ends.low > truth) & (means > truth).all(axis=-1) & present.sound
        below = (ends.high < truth) & (means < truth).all(axis=-1) & present.sound
        metrics |= {f"{kind}_above": float(above.sum()), f"{kind}_below": float(below.sum())}
    return metrics


def _looks(
    present: Look, apart: Array, same: Array, readings: int, canary: dict[str, tuple[Array, float]]
) -> Iterator[tuple[str, Look]]:
    """What each rule sees."""
    w = {level: session_widening(apart, *each, looks=readings) for level, each in canary.items()}
    yield DATES, present
    yield DAY, replace(present, widening=np.full(len(apart), LARGER))
    sound = rows.student(same.mean(axis=-1), AA_CONFIDENCE).cover(0.0)
    yield SLOPES, Look(*intervals_of(apart.mean(axis=-1)), w[KNOWN], sound)
    for level in LEVELS:
        yield level, replace(present, widening=w[level])


def sides(
    look: Look, truth: float, far: NDArray[np.bool_], typical: Bounds | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether the widened interval of each run lies wholly above the truth, and wholly below it, and may say so.

    far, typical: the runs with a block far out, and their median blocks' intervals, which then have to agree.
    """
    above, below = (look.wide.low - look.widening > truth), (look.wide.high + look.widening < truth)
    above, below = above & look.sound, below & look.sound
    if typical is not None:
        above[far] &= typical.low > truth
        below[far] &= typical.high < truth
    return above, below


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
