"""How the numbers of the chapter are made: of a trial's course, of how many trials, and of those with checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.io_cliff.arms import BASELINE, SPACED, A, B
from benchbook.experiments.io_cliff.causes import nothing_slowed
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.shape.estimands import Compute, Estimand, custom
from benchbook.experiments.shape.named import Number, percent
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate


def of_course(compute: Compute) -> Compute:
    """The same of trials that are long enough to have a course."""

    def checked(summary: Summary, confidence: float) -> Estimate:
        summary.check_course()
        return compute(summary, confidence)

    return checked


def acting(arm: str) -> Callable[[Any], str]:
    """Of a course of B too what the small pool did is asked: that nothing falls says little where nothing could."""
    return nothing_slowed(A if arm == B else arm)


def shape(arm: str, metric: str, mean: Callable[..., Estimate] = statistics.geometric_mean, **ground: Any) -> Estimand:
    """Geometric mean over trials of a ratio that each trial's course gives. mean: another for ratios of at most 1."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return mean(summary.values(arm, metric), confidence=confidence, sessions=summary.sessions)

    return custom(of_course(compute), Quantity.SHAPE, arm, aa=metric, idle=acting(arm), **ground)


def trials(arm: str, metric: str, found: Callable[[np.ndarray], np.ndarray], *others: str) -> Estimand:
    """Share of the trials of one configuration whose metric is as asked. others: whose trials must begin alike."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        which = found(summary.values(arm, metric))
        return statistics.share_of_trials(int(which.sum()), which.size, confidence=confidence)

    return custom(of_course(compute), Quantity.SHARE_OF_TRIALS, arm, *others, idle=acting(arm))


def with_cliff(arm: str, *others: str) -> Number:
    """Share of them with a cliff, in %."""
    return percent(trials(arm, "cliff", lambda cliff: cliff > 0, *others))


def between_checkpoints(bottom: str, kind: str) -> Estimand:
    """Ratio of TPS, where the second configuration must have had checkpoints: without them nothing was compared."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        begun = summary.values(bottom, "checkpoints")
        if begun.min() < 1:
            raise NotEstimableError(
                f"{int((begun < 1).sum())} of {begun.size} trials under the default {kind} had no checkpoint",
                "give more checkpoint_seconds",
            )
        return summary.ratio((SPACED, "tps"), (bottom, "tps"), confidence=confidence)

    return custom(compute, Quantity.COMPARISON, SPACED, bottom, aa="tps")


def drawdown(summary: Summary, confidence: float) -> Estimate:
    """The largest fall of throughput in a trial of B."""
    # The mean of the trials themselves, as registered: on the logit scale one trial without any fall would set it.
    values = summary.values(B, "max_drawdown")
    found = statistics.arithmetic_mean(values, confidence=confidence, sessions=summary.sessions)
    return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))


def rising(summary: Summary, confidence: float) -> Estimate:
    """Share of the twelfths of a trial of B that are faster than the one before."""
    values = summary.values(B, "rising_share")
    return statistics.share(values, INTERVALS - 1, confidence=confidence, sessions=summary.sessions)


def after_onset(summary: Summary, confidence: float) -> Estimate:
    """Throughput after a fall of the baseline over that before it, in the trials that have one."""
    fell = summary.values(BASELINE, "cliff") > 0
    if fell.sum() < 2:
        raise NotEstimableError(
            f"{int(fell.sum())} of {fell.size} trials of the baseline show a cliff; two are needed",
            "give a lower storage_iops, or longer trials",
        )
    depth = summary.in_blocks(BASELINE)["post_onset_over_peak"].to_numpy(dtype=float)[fell]
    return statistics.geometric_mean(depth, confidence=confidence, sessions=summary.sessions[fell])


def eliminated(summary: Summary, confidence: float) -> Estimate:
    """Share of the blocks with a cliff in A that have none in B."""
    fell = summary.values(A, "cliff") > 0
    if not fell.any():
        raise NotEstimableError(
            f"none of the {fell.size} trials of A (pool 20 %) shows a cliff, so there is none to eliminate",
            "give a lower storage_iops, or longer trials",
        )
    gone = fell & (summary.values(B, "cliff") == 0)
    return statistics.share_of_trials(int(gone.sum()), int(fell.sum()), confidence=confidence)


def of_large(compute: Compute) -> Estimand:
    """A number of the course of B."""
    return custom(of_course(compute), Quantity.SHAPE, B, idle=acting(B))


def second(ask: Callable[[Summary, str], Estimate], arm: str) -> Estimand:
    """A second of the trials of a configuration, as the summary knows it."""
    return custom(lambda summary, confidence: ask(summary, arm), Quantity.LEVEL, arm)
