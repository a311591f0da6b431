"""Sessions that agree by luck, and sessions that differ: intervals and the A/A gate over means, blocks, and the wider.

And what becomes of two kinds of hosts, by the rule that tells them apart and without its F test. The log ratio of a
block is the session's own plus noise of its two trials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import scipy
from numpy.typing import NDArray

from benchbook.experiments.calibration.arms import Parameters, design_name
from benchbook.experiments.calibration.simulation import rows
from benchbook.experiments.calibration.simulation.coverage import Metrics
from benchbook.experiments.calibration.simulation.distributions import Array
from benchbook.experiments.calibration.simulation.rows import Bounds
from benchbook.experiments.calibration.simulation.rulings import AA_CONFIDENCE
from benchbook.experiments.calibration.simulation.several import check
from benchbook.statistics.inputs import SESSIONS

MEANS, BLOCKS, WIDER = "means", "blocks", "wider"
Mask = NDArray[np.bool_]
WAYS: Mapping[str, Callable[[Array, float], Bounds]] = {
    MEANS: lambda logs, confidence: rows.student(logs.mean(axis=-1), confidence),
    BLOCKS: lambda logs, confidence: rows.student(logs.reshape(len(logs), -1), confidence),
    WIDER: rows.over_sessions,
}
"""What is taken for the replicate."""
LUCKY = 0.5
"""Means of sessions agree by luck where their interval is so much as wide as that of blocks, or less."""
SPLITS = ((2, 2), (4, 2))
"""Sessions on each of two kinds of hosts."""
LEVEL = 0.05
"""Of the F test that kinds of hosts have to pass."""


def measured(parameters: Parameters, session_sd: float, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch of runs whose sessions differ so much, by design; the A/A pair's sessions do too."""
    most = max(parameters.patience_sessions), max(parameters.patience_blocks)
    whole = _logs(parameters, session_sd, most, generator)
    metrics: Metrics = {"luck_runs": float(len(whole))}
    for sessions in parameters.patience_sessions:
        for blocks in parameters.patience_blocks:
            logs, name = whole[:, :sessions, :blocks], design_name(sessions, blocks)
            found = {way: ask(logs, 0.95) for way, ask in WAYS.items()}
            check(logs[0], found[WIDER])
            lucky = _width(found[MEANS]) <= LUCKY * _width(found[BLOCKS])
            metrics[f"{name}_lucky"] = float(lucky.sum())
            for way, ask in WAYS.items():
                covered = found[way].cover(0.0)
                metrics |= {
                    f"{name}_{way}_covered": float(covered.sum()),
                    f"{name}_{way}_lucky_covered": float((covered & lucky).sum()),
                    f"{name}_{way}_alarms": float((~ask(logs, AA_CONFIDENCE).cover(0.0)).sum()),
                }
    return metrics


def hosts(parameters: Parameters, session_sd: float, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch of runs on two kinds of hosts: how often these lie apart, with and without the F test."""
    blocks = max(parameters.patience_blocks)
    metrics: Metrics = {"hosts_runs": float(parameters.state_repetitions)}
    for split in SPLITS:
        here, there = (_logs(parameters, session_sd, (count, blocks), generator) for count in split)
        for place, ratio in enumerate(parameters.host_ratios):
            apart, differ = kinds(here, there + math.log(ratio))
            name = split_name(split, place)
            metrics |= {
                f"{name}_apart": float(apart.sum()),
                f"{name}_told": float((apart & differ).sum()),
                f"{name}_differ": float(differ.sum()),
            }
    return metrics


def split_name(split: tuple[int, int], place: int) -> str:
    """How metrics of sessions on two kinds of hosts begin, with the place of the ratio among those asked for."""
    return f"hosts_{split[0]}_{split[1]}_{place}"


def kinds(here: Array, there: Array) -> tuple[Mask, Mask]:
    """Whether the intervals of two kinds have nothing in common, and whether the F test tells the kinds apart.

    here, there: log ratios, shape (runs, sessions, blocks).
    """
    ours, theirs = (_interval(each) for each in (here, there))
    apart = np.maximum(ours.low, theirs.low) > np.minimum(ours.high, theirs.high)
    p = scipy.stats.f_oneway(here.mean(axis=-1), there.mean(axis=-1), axis=1).pvalue
    return apart, np.asarray(p < LEVEL)


def _interval(logs: Array) -> Bounds:
    """Of one kind of host alone: over blocks where it has fewer than four sessions."""
    return WAYS[WIDER if logs.shape[1] >= SESSIONS else BLOCKS](logs, 0.95)


def _logs(parameters: Parameters, session_sd: float, shape: tuple[int, int], generator: np.random.Generator) -> Array:
    """Log ratios of equal arms, shape (runs, sessions, blocks)."""
    whole = parameters.state_repetitions, *shape
    own = session_sd * generator.standard_normal((*whole[:2], 1))
    return np.asarray(own + math.sqrt(2) * parameters.patience_trial_sd * generator.standard_normal(whole))


def _width(bounds: Bounds) -> Array:
    return np.asarray(bounds.high - bounds.low)
