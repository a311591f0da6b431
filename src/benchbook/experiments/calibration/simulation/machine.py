"""Simulated machines that do not hold still: what a state does to two arms, to their A/A arm and to the canary.

The logarithm of a trial's time is the arm's own level, plus its sensitivity times the machine's slowdown while it ran,
plus noise. The canary feels all of the slowdown. Slowdowns are logarithms, 0 on a quiet machine, never below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from benchbook.experiments.calibration.arms import SENSITIVITIES, Parameters
from benchbook.experiments.calibration.simulation.distributions import Array

SESSIONS = 4
ARMS = 3
"""The baseline, its A/A arm, the changed arm."""
_TRIAL = 8
"""Moments that a trial lasts; a look at the canary lasts one, before each trial and after the last."""
BLOCK = ARMS * _TRIAL + ARMS + 1
_BURST = 4
"""Moments that a burst lasts on average: half a trial."""
_STAY = 3 * BLOCK
"""Moments between jumps on average: three blocks."""
READING_SD = 0.0016
"""Standard deviation of the logarithm of a canary reading on a quiet machine."""
SPREAD = math.expm1(1.96 * math.sqrt(2) * READING_SD)
"""What a quiet machine's published spread comes to: how far 95 % of pairs of readings lie apart at most."""


@dataclass(frozen=True)
class Machine:
    """So many runs on one kind of machine; logarithms, shape (runs, sessions, blocks).

    base, again, changed: times of the trials; the arms' own levels are all 0. slowdown: the machine's in each of the
    block's trials, shape (..., 3): in random order, an arm is slowed by its sensitivity times their mean. canary:
    readings before each trial and after the last, shape (..., 4), as ln(reading / quiet level).
    """

    base: Array
    again: Array
    changed: Array
    slowdown: Array
    canary: Array


def draw(parameters: Parameters, state: str, arms: str, generator: np.random.Generator) -> Machine:
    """Simulate all sessions of the runs of one batch; the three arms come in random order in each block."""
    shape = parameters.state_repetitions, SESSIONS, parameters.state_blocks
    return drawn(parameters, state, np.array([SENSITIVITIES[arms]]), shape, generator)


def drawn(
    parameters: Parameters, state: str, sensitivities: Array, shape: tuple[int, int, int],
    generator: np.random.Generator,
) -> Machine:  # fmt: skip
    """The same for so many (runs, sessions, blocks).

    sensitivities: of baseline and changed arm, shape (runs, 2), or (1, 2) for all.
    """
    runs, sessions, blocks = shape
    size, whole = math.log1p(parameters.slower_percent / 100), (runs, sessions, blocks * BLOCK)
    path = slowdowns(state, size, whole, generator, parameters.following)
    moments = path.reshape(runs, sessions, blocks, BLOCK)
    looks = moments[..., :: _TRIAL + 1]
    trials = moments[..., :-1].reshape(runs, sessions, blocks, ARMS, _TRIAL + 1)[..., 1:].mean(axis=-1)
    order = generator.random(trials.shape).argsort(axis=-1)
    felt = np.take_along_axis(trials, order, axis=-1)
    noise = parameters.between_trial_sd * generator.standard_normal(felt.shape)
    noise += parameters.between_block_sd * generator.standard_normal((*felt.shape[:-1], 1))
    logs = felt * sensitivities[:, None, None, [0, 0, 1]] + noise
    return Machine(
        base=logs[..., 0],
        again=logs[..., 1],
        changed=logs[..., 2],
        slowdown=trials,
        canary=looks + READING_SD * generator.standard_normal(looks.shape),
    )


def readings(
    state: str, size: float, shape: tuple[int, int, int], sd: float, generator: np.random.Generator, following: float
) -> Array:  # fmt: skip
    """Of the canary in other sessions on the same kind of machine, shape (runs, sessions, blocks, 4), like a Machine's.

    shape: (runs, sessions, blocks). sd: of a reading's noise. following: as in ``slowdowns``.
    """
    path = slowdowns(state, size, (*shape[:2], shape[2] * BLOCK), generator, following)
    looks = path.reshape(*shape, BLOCK)[..., :: _TRIAL + 1]
    return np.asarray(looks + sd * generator.standard_normal(looks.shape))


def slowdowns(
    state: str, size: float, shape: tuple[int, int, int], generator: np.random.Generator, following: float
) -> Array:
    """The machine's slowdown at each moment, shape (runs, sessions, moments).

    Sessions are independent of each other, but for the state "follow". size: the slowdown that a level shift, a jump
    and the middle of a trend have; a burst has twice as much. following: correlation of a session's level with the last
    one's in the state "follow".
    """
    runs, sessions, moments = shape
    match state:
        case "wandering":
            return size * np.abs(_wandering(shape, generator))
        case "jumps":
            return size * _switching(shape, _STAY, 0.5, generator)
        case "bursts":
            return 2 * size * _switching(shape, _BURST, 0.1, generator)
        case "rare":
            return 2 * size * _switching(shape, _BURST, 0.03, generator)
        case "trend":
            return np.broadcast_to(2 * size * (np.arange(moments) + 0.5) / moments, shape)
        case "level":
            return np.full(shape, size)
        case "days" | "follow":
            rho = _signed(following) if state == "follow" else 0.0
            levels = np.abs(_autoregressive((runs, sessions), rho, generator))
            return size * (levels[..., None] + 0.2 * np.abs(_wandering(shape, generator)))
    return np.zeros(shape)


def mean_slowdown(state: str, size: float, share: float = 1.0) -> float:
    """The slowdown that a session has on average over all sessions that the state can give.

    share: of a session that is looked at, from its beginning; a trend has not come as far by then.
    """
    normal = math.sqrt(2 / math.pi)
    of_size = {
        "wandering": normal, "jumps": 0.5, "bursts": 0.2, "rare": 0.06, "trend": share, "level": 1.0,
        "days": 1.2 * normal, "follow": 1.2 * normal,
    }  # fmt: skip
    return size * of_size.get(state, 0.0)


def _wandering(shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    """A stationary first-order autoregressive process of variance 1 that forgets within a block."""
    return _autoregressive(shape, math.exp(-1 / BLOCK), generator)


def _autoregressive(shape: tuple[int, ...], rho: float, generator: np.random.Generator) -> Array:
    """A stationary first-order autoregressive process of variance 1 along the last axis."""
    noise = generator.standard_normal(shape)
    noise[..., 1:] *= math.sqrt(1 - rho**2)
    return np.asarray(scipy.signal.lfilter([1.0], [1.0, -rho], noise, axis=-1))


@lru_cache(maxsize=16)
def _signed(correlation: float) -> float:
    """How normal numbers must be correlated so that their absolute values are correlated so much."""
    sizes = math.pi / 2 - 1

    def missing(rho: float) -> float:
        return (math.sqrt(1 - rho**2) + rho * math.asin(rho) - 1) / sizes - correlation

    return float(scipy.optimize.brentq(missing, 0.0, 1.0))


def _switching(shape: tuple[int, int, int], stay: float, share: float, generator: np.random.Generator) -> Array:
    """1 for such a share of the moments, in stretches of so many on average; 0 between them."""
    ends, begins = 1 / stay, share / (1 - share) / stay
    chances = generator.random(shape)
    on = np.empty(shape, dtype=bool)
    on[..., 0] = chances[..., 0] < share
    for moment in range(1, shape[-1]):
        before = on[..., moment - 1]
        on[..., moment] = np.where(before, chances[..., moment] >= ends, chances[..., moment] < begins)
    return on.astype(np.float64)
