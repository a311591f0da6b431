"""Named yes-or-no checks of a trial's or a run's own numbers, each with the sentence to print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.model import Effect
from benchbook.statistics import intervals, laws
from benchbook.statistics.inputs import checked
from benchbook.statistics.steady import Steadiness

AA_CONFIDENCE = 0.99
"""Of the A/A pair's interval: one sound quantity in a hundred is left open by it."""
STEADY_SHARE = 0.80
QUIET_SHARE = 0.95
"""Share of the steps of a quiet machine's canary that its published spread has to hold."""
QUIET_READINGS = 20
"""Fewer readings of a quiet machine tell its spread to a factor of two at best."""


@dataclass(frozen=True)
class Gate:
    """One check. value: what was found (a ratio, a count); reason: one sentence with the numbers.

    blocks: where it looks at trials one by one, the blocks of those that failed; none where it is about the whole run.
    unseen: whether these trials were not looked at so closely, by an earlier version of the program, and may be sound.
    small: how far it was missed, as a logarithm, where a comparison can bear so much as a widening; 0 where it cannot.
    """

    name: str
    passed: bool
    value: float
    reason: str
    blocks: frozenset[int] = frozenset()
    unseen: bool = False
    small: float = 0.0


def each_trial(
    name: str, off: pd.Series, blocks: pd.Series, reason: str, *, unseen: bool = False, small: float = 0.0
) -> Gate:
    """A check of single trials. off: whether each failed it; blocks: the block of each, both of shape (trials,)."""
    failed = off.astype(bool)
    where = frozenset(map(int, blocks[failed]))
    return Gate(name, not failed.any(), float(failed.sum()), reason, where, unseen, small if where else 0.0)


def littles_ratio(clients: float, operations_per_s: float, mean_latency_ns: float) -> float:
    """Clients that throughput times mean latency gives, over those that there are: 1 in a closed loop.

    Raises BenchbookError unless all three are finite and > 0. Source: Little 1961.
    """
    numbers = {"clients": clients, "operations_per_s": operations_per_s, "mean_latency_ns": mean_latency_ns}
    for name, number in numbers.items():
        if not (math.isfinite(number) and number > 0):
            raise BenchbookError(f"{name}={number:g} is not a finite number above 0", "refuse the trial")
    return operations_per_s * mean_latency_ns / 1e9 / clients


def aa_gate(effect: Effect) -> Gate:
    """The baseline against itself: the interval must contain "the same" (ratio 1, difference 0).

    effect: with 99 % (``AA_CONFIDENCE``; protocol, item 20b). value: the point. Raises BenchbookError for less.
    """
    if effect.confidence < AA_CONFIDENCE - 1e-9 and effect.low < effect.high:
        raise BenchbookError(
            f"the A/A pair got a {effect.confidence:.0%} interval where {AA_CONFIDENCE:.0%} is required",
            "recompute it at that confidence",
        )
    same = 1.0 if effect.scale == "ratio" else 0.0
    passed = effect.low <= same <= effect.high
    reason = (
        f"the baseline against itself gives a {effect.scale} of {effect.point:.4g} "
        f"[{effect.low:.4g}, {effect.high:.4g}], which {'contains' if passed else 'misses'} {same:g}"
    )
    return Gate("A/A", passed, effect.point, reason)


def steady_gate(kinds: Sequence[Steadiness]) -> Gate:
    """Trials of a claim about steady state: at least 80 % must have one (flat, warm-up or slowdown).

    kinds: ``steady_state(...)`` of each trial. value: the share that has. Raises BenchbookError without trials.
    """
    if not kinds:
        raise BenchbookError("no trial's steadiness was given", "give the kind of each trial's steady state")
    steady = sum(kind is not Steadiness.NONE for kind in map(Steadiness, kinds))
    value = steady / len(kinds)
    reason = f"{steady} of {len(kinds)} trials have a steady state; {STEADY_SHARE:.0%} are required"
    return Gate("steady state", value >= STEADY_SHARE, value, reason)


def canary_spread(readings: ArrayLike) -> float:
    """How far, as a share, two canary readings of a quiet machine lie apart: the number to publish.

    readings: of a machine that does nothing else, in order of time, shape (readings,), > 0, at least 20. They are
    taken in pairs that share no reading, first and second, third and fourth and so on (a last odd one is left out).
    With 95 % confidence at least 95 % of such pairs differ by less: |ln(second / first)| <= ln(1 + spread), if the log
    ratios are normal around 0, as those of a machine without drift are.
    Raises BenchbookError for fewer or missing readings, and for equal ones: such a clock is too coarse for a spread.
    Source: tolerance interval of a normal law with known mean; Krishnamoorthy & Mathew 2009, ch. 2.
    """
    values = checked(readings, name="canary readings", minimum=QUIET_READINGS, positive=True, unit="readings")
    logs = np.log(values[: values.size // 2 * 2]).reshape(-1, 2)
    steps = logs[:, 1] - logs[:, 0]
    if float(np.abs(steps).max()) <= intervals.NEGLIGIBLE:
        raise BenchbookError("all pairs of readings are equal, so their spread is not estimable", "use a finer clock")
    sd = math.sqrt(float(np.sum(steps**2)) / laws.chi_square_quantile(0.05, steps.size))
    return math.expm1(laws.normal_quantile((1 + QUIET_SHARE) / 2) * sd)
