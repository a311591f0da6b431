"""What is no number, no share, no sweep: an error with a mend, never a NaN interval."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate
from benchbook.statistics import Steadiness, machines
from benchbook.statistics.inputs import Rows

NAN, INF, HUGE = math.nan, math.inf, 1.7e308
GOOD = [0.5, 0.6]
NO_NUMBERS: list[Any] = [["a", "b"], [1.0, "x"], [[1.0, 2.0], [3.0]], None, 3.0]
NO_TRIALS: list[Any] = [[], [1.0], [1.0, NAN], [1.0, INF], [0.5, None], [[1.0, 2.0]]]
NO_LOGARITHM: list[Any] = [[1.0, 0.0], [1.0, -2.0]]
UNEQUAL = [1.0, 2.0, 3.0]
NO_GRIDS: list[Any] = [
    [[1.0, 2.0]], [[1.0], [2.0]], [1.0, 2.0], [], [[1.0, 2.0], [1.0]],
    *([[1.0, 2.0], [1.0, bad]] for bad in (NAN, INF, 0.0, -1.0)),
]  # fmt: skip
NO_LATENCIES: list[Any] = [[], [[1, 2]], [-1, 2], [1.0, NAN], [1.0, INF], ["a"]]
PAIR = [[1.0, 2.0], [1.0, 3.0]]
EYE, DOWN = np.eye(4)[:, :2], np.arange(4.0)


def alone(*values: Any) -> list[tuple[Any, ...]]:
    return [(value,) for value in values]


def either(*values: Any) -> list[tuple[Any, ...]]:
    return [pair for value in values for pair in ((value, GOOD), (GOOD, value))]


def rows(values: Any) -> np.ndarray:
    return np.array(values).view(Rows)


def permuted(test: Callable[..., Any], values: Any, arrangements: int = 999) -> Any:
    return test(values, np.random.default_rng(1), arrangements=arrangements)


BOTH = [*NO_NUMBERS, *NO_TRIALS, UNEQUAL]
REFUSED: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (statistics.geometric_mean, alone(*NO_NUMBERS, *NO_TRIALS, *NO_LOGARITHM, [1e-300, 1e300])),
    (statistics.geometric_sd, alone(*NO_NUMBERS, *NO_TRIALS, *NO_LOGARITHM)),
    (statistics.arithmetic_mean, alone(*NO_NUMBERS, *NO_TRIALS, [-HUGE, HUGE], [HUGE, 1.6e308, HUGE])),
    (statistics.median, alone(*NO_NUMBERS, *NO_TRIALS)),
    (lambda values: statistics.share(values, 100), alone(*NO_NUMBERS, *NO_TRIALS, [0.5, 1.1], [-0.1, 0.5])),
    (statistics.share, [(GOOD, 0), (GOOD, -1), (GOOD, NAN), (GOOD, [9])]),
    (statistics.exact, alone(NAN)),
    (statistics.wilson, [(0, 0), (-1, 5), (6, 5)]),
    (statistics.share_of_trials, [(-1, 3), (4, 3), (0, 0)]),
    (statistics.sd_interval, alone([3.0])),
    (statistics.ratio, [*either(*BOTH, *NO_LOGARITHM), ([1e300, 1e-300], [1e-300, 1e300])]),
    (lambda values: statistics.ratio(rows(values), rows(np.ones_like(values))), alone([[1.0], [2.0]], *NO_GRIDS[5:])),
    (statistics.ratio_unblocked, either(*NO_NUMBERS, *NO_TRIALS, *NO_LOGARITHM)),
    (statistics.difference, [*either(*BOTH), ([HUGE, 1.0], [-HUGE, 1.0])]),
    (statistics.equivalence, either(*BOTH)),
    (lambda one, other: statistics.many_to_one(one, {"b": other}), either(*BOTH)),
    (lambda one, other: statistics.shares_difference(one, other, 100), either(*BOTH, [0.1, 1.2], [-0.1, 0.0])),
    (statistics.shares_difference, [(GOOD, GOOD, counts) for counts in (0, -1, NAN)]),
    *((partial, alone(*NO_TRIALS, UNEQUAL, *NO_LOGARITHM)) for partial in (
        lambda bad: statistics.dip(bad, GOOD, GOOD), lambda bad: statistics.dip(GOOD, bad, GOOD),
        lambda bad: statistics.dip(GOOD, GOOD, bad),
    )),
    (statistics.trial_variance, either(*NO_TRIALS, UNEQUAL, *NO_LOGARITHM)),
    (statistics.decompose, alone(*NO_GRIDS)),
    (statistics.spread_ratio, [
        (np.ones((4, 2)), EYE), (np.eye(2), np.eye(2)), (np.eye(4), EYE), (DOWN, DOWN),
        (np.full((4, 1), NAN), EYE[:, :1]),
    ]),
    *((lambda *given, test=test: permuted(test, *given), [*alone(*NO_GRIDS), (PAIR, 98), (PAIR, 0)])
      for test in (statistics.arms_apart, statistics.first_apart)),
    (statistics.cliff, [*((grid, [1, 2]) for grid in NO_GRIDS), *((PAIR, settings) for settings in (
        [1, 2, 3], [2, 1], [1, 1], [1, NAN],
    ))]),
    (statistics.cliff_second, alone(
        [], np.ones(14), [*np.ones(20), NAN], [*np.ones(20), -1], np.ones((20, 2))
    )),
    (statistics.autocorrelation, [
        ([], 1), ([1.0, 2.0], 1), (UNEQUAL, 0), (UNEQUAL, 3), ([1.0, 2.0, NAN], 1), ([1.0, INF, 2.0], 1),
    ]),
    (statistics.autocorrelation_bound, alone(1)),
    (statistics.drift, alone([], [1.0, 2.0], *([1.0, 2.0, bad] for bad in (NAN, 0.0, -1.0)), [[1.0] * 3])),
    (statistics.steady_state, alone(
        [], np.ones(19), *([*np.ones(30), bad] for bad in (NAN, INF, -1.0)), np.ones((30, 2))
    )),
    (lambda values: statistics.stationary_mean(np.asarray(values)), alone(
        [], np.arange(19.0), [*range(30), NAN], [*range(30), INF], np.ones((30, 2))
    )),
    (statistics.scalability, [([1, 2], [1.0, 2.0]), *(
        (clients, UNEQUAL) for clients in ([1, 2, 2], [0, 1, 2])
    ), ([1, 2, 4], [1.0, 0.0, 3.0])]),
    (statistics.describe, alone(*NO_LATENCIES)),
    (statistics.note_quantile, [(values, 0.5) for values in NO_LATENCIES]),
    *((function, [(UNEQUAL, p) for p in (0, 1, 1.5, -0.1, NAN)])
      for function in (statistics.quantile, statistics.note_quantile)),
    (statistics.half_width, [(0.1, 1), (0.1, 0), *((sd, 5) for sd in (-0.1, NAN, INF, -INF))]),
    (statistics.blocks_for_half_width, [(0.1, 0), (0.1, NAN), *((sd, 0.1) for sd in (-1, NAN, INF, -INF))]),
    (statistics.blocks_for, [
        *((0.05, half) for half in (0.0, -0.02, INF, NAN)), *((sd, 0.05) for sd in (-0.1, NAN, INF, -INF)),
    ]),
    (statistics.minimum_detectable, [
        (-0.1, 5), (NAN, 5), (INF, 5), (0.1, 1), (0.1, 0), (0.1, 5, 1.0), (0.1, 5, 0.0), (0.1, 5, 0.8, 1.0),
        (1_000.0, 3),
    ]),
    (statistics.predicted, [
        (made(point, low, high, 6, method), 12)
        for made in (Estimate, Effect) for method in (
            statistics.ratio([3.0, 4.0], [2.5, 4.1]).method, statistics.geometric_mean(GOOD).method,
            statistics.arithmetic_mean(GOOD).method, statistics.share(GOOD, 99).method,
            statistics.geometric_sd(GOOD).method,
        ) for low, point, high in (
            (0.5, 1.0, INF), (-INF, 1.0, 2.0), (0.5, NAN, 2.0), (NAN, 1.0, 2.0), (0.5, 1.0, NAN)
        )
    ]),
    (statistics.predicted, [(statistics.ratio([3.0, 4.0], [2.5, 4.1]), blocks) for blocks in (-1, 0, 1)]),
    (statistics.littles_ratio, [(0, 1, 1), (1, 0, 1), (1, 1, NAN), (1, INF, 1)]),
    (statistics.steady_gate, alone(list[Steadiness]())),
    (statistics.canary_spread, alone(
        [], np.arange(1.0, 20.0), [*range(1, 25), NAN], [*range(25)], [*range(1, 25), -1.0], np.ones((30, 2)),
        np.full(30, 7.0),
    )),
    (statistics.quiet_level, alone(*([*np.full(30, 5.0), bad] for bad in (NAN, INF, 0.0, -1.0)))),
    (machines.combined, [([1.0], [0.1]), ([1.0, 2.0], [0.1, 0.0]), ([1.0, NAN], [0.1, 0.1])]),
    (machines.predicted_next, alone(UNEQUAL)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        pytest.param(function, arguments, id=f"{getattr(function, '__name__', place)} {arguments!r:.60}")
        for place, (function, each) in enumerate(REFUSED)
        for arguments in each
    ],
)
def test_what_gives_no_answer_is_refused_with_a_mend(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    with pytest.raises(BenchbookError) as caught:
        function(*arguments)
    assert caught.value.mend
