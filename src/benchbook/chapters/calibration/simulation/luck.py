"""Visits that agree by luck, and visits that differ: intervals and the A/A gate over means, blocks, and the wider.

And levels, of which each visit has to say the same. The log ratio of a block is the visit's own plus noise of its two
trials; the log of a level, the visit's own plus noise of one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from benchbook import statistics
from benchbook.chapters.calibration.arms import Parameters, design_name
from benchbook.chapters.calibration.simulation import rows
from benchbook.chapters.calibration.simulation.coverage import TOLERANCE, Metrics
from benchbook.chapters.calibration.simulation.distributions import Array
from benchbook.chapters.calibration.simulation.rows import Bounds
from benchbook.chapters.calibration.simulation.visits import DESIGNS, SIDES, numbers
from benchbook.claims.rules import LEAST_VISITS
from benchbook.errors import BenchbookError
from benchbook.statistics import AA_CONFIDENCE
from benchbook.statistics.inputs import VISITS
from benchbook.statistics.visits import FIRST, SMALL

MEANS, BLOCKS, WIDER = "means", "blocks", "wider"
Mask = NDArray[np.bool_]
WAYS: Mapping[str, Callable[[Array, float], Bounds]] = {
    MEANS: lambda logs, confidence: rows.student(logs.mean(axis=-1), confidence),
    BLOCKS: lambda logs, confidence: rows.student(logs.reshape(len(logs), -1), confidence),
    WIDER: rows.over_visits,
}
"""What is taken for the replicate."""
LEVEL_DESIGNS = {name: blocks for name, blocks in DESIGNS.items() if len(blocks) > 1 and len({*blocks}) == 1}
"""Visits that a level may be decided from."""
ALL, MET = "all", "met"
"""What a verdict on a level can be untrue of: the mean of all visits that a machine can give, or of those met."""
LUCKY = 0.5
"""Means of visits agree by luck where their interval is so much as wide as that of blocks, or less."""


def measured(parameters: Parameters, visit_sd: float, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch of runs whose visits differ so much, by design; the A/A pair's visits do too."""
    most = max(parameters.luck_visits), max(parameters.luck_blocks)
    whole = _logs(parameters, visit_sd, most, generator)
    metrics: Metrics = {"luck_runs": float(len(whole))}
    for visits in parameters.luck_visits:
        for blocks in parameters.luck_blocks:
            logs, name = whole[:, :visits, :blocks], design_name(visits, blocks)
            found = {way: ask(logs, 0.95) for way, ask in WAYS.items()}
            check(logs[0], found[WIDER])
            lucky = _width(found[MEANS]) <= LUCKY * _width(found[BLOCKS])
            metrics[f"{name}_lucky"] = float(lucky.sum())
            for way, ask in WAYS.items():
                strict = ask(logs, AA_CONFIDENCE)
                covered = found[way].cover(0.0)
                metrics |= {
                    f"{name}_{way}_covered": float(covered.sum()),
                    f"{name}_{way}_lucky_covered": float((covered & lucky).sum()),
                    f"{name}_{way}_alarms": float((~Bounds(strict.low - SMALL, strict.high + SMALL).cover(0.0)).sum()),
                }
    return metrics


def levels(parameters: Parameters, level_sd: float, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch of levels that visits move so much: untrue verdicts, by design with visits of equal length.

    Each visit's number has to lie where the interval of all blocks does, and below four visits the intervals of two as
    well (item 20e). The truth stands on the edge: the mean of all visits that the machine can give, or of those met.
    """
    metrics: Metrics = {}
    for name, blocks in LEVEL_DESIGNS.items():
        shape = parameters.visit_repetitions, len(blocks)
        visit = level_sd * generator.standard_normal(shape)
        noise = parameters.luck_trial_sd * generator.standard_normal((*shape, blocks[0]))
        for of, moved in ((ALL, visit), (MET, visit - visit.mean(axis=1, keepdims=True))):
            for side, found in zip(SIDES, agreeing(moved[..., None] + noise), strict=True):
                metrics[f"level_{name}_{of}_{side}"] = float(found.sum())
    return metrics


def agreeing(values: Array) -> tuple[Mask, Mask]:
    """Whether the level of each run is found to lie above 0, and below it; values: shape (runs, visits, blocks)."""
    whole = numbers(values, np.ones_like(values, dtype=bool), FIRST)
    alone, point = rows.student(values, FIRST), values.mean(axis=-1)
    enough = 0 if values.shape[1] >= VISITS else LEAST_VISITS
    above = (point > 0).all(axis=-1) & ((alone.low > 0).sum(axis=-1) >= enough) & (whole.point > whole.half)
    below = (point < 0).all(axis=-1) & ((alone.high < 0).sum(axis=-1) >= enough) & (whole.point < -whole.half)
    return above, below


def check(logs: Array, wide: Bounds) -> None:
    """Compare the first run's interval with the book's own; logs: (visits, blocks). BenchbookError at a difference."""
    visits, blocks = logs.shape
    one = np.exp(logs.ravel())
    own = statistics.ratio(one, np.ones_like(one), visits=np.repeat(np.arange(visits), blocks))
    twin = [float(np.exp(end[0])) for end in wide]
    if not np.allclose(twin, [own.low, own.high], rtol=TOLERANCE):
        raise BenchbookError(
            f"the simulated ratio over visits has the ends {twin}, the book's own {[own.low, own.high]}",
            "mend calibration/simulation/luck.py: the two must be equal",
        )


def _logs(parameters: Parameters, visit_sd: float, shape: tuple[int, int], generator: np.random.Generator) -> Array:
    """Log ratios of equal arms, shape (runs, visits, blocks)."""
    whole = parameters.visit_repetitions, *shape
    own = visit_sd * generator.standard_normal((*whole[:2], 1))
    return np.asarray(own + math.sqrt(2) * parameters.luck_trial_sd * generator.standard_normal(whole))


def _width(bounds: Bounds) -> Array:
    return np.asarray(bounds.high - bounds.low)
