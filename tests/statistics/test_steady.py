import math
import warnings

import numpy as np
import pytest
import ruptures
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from benchbook.statistics import Steadiness, steady_state


def seconds(levels: list[tuple[int, float]], spread: float = 0.03, seed: int = 5) -> np.ndarray:
    """Throughput that stays at each level for so many seconds, with noise that repeats itself."""
    means = np.concatenate([np.full(length, level) for length, level in levels])
    noise = np.random.default_rng(seed).standard_normal(means.size)
    return means * (1 + spread * signal.lfilter([0.8], [1.0, -0.6], noise))


@pytest.mark.parametrize(
    ("levels", "kind", "start"),
    [
        ([(60, 1_000.0)], Steadiness.FLAT, 0),
        ([(20, 500.0), (60, 1_000.0)], Steadiness.WARM_UP, 20),
        ([(20, 1_500.0), (60, 1_000.0)], Steadiness.SLOWDOWN, 20),
        ([(50, 1_000.0), (30, 500.0)], Steadiness.NONE, 50),
        ([(10, 300.0), (10, 600.0), (60, 1_000.0)], Steadiness.WARM_UP, 20),
    ],
)
def test_a_trials_course_is_told_from_where_its_level_changes(levels, kind, start):
    series = seconds(levels)
    found = steady_state(series)
    assert found.kind is kind
    assert found.start == pytest.approx(start, abs=1)
    assert found.level == pytest.approx(series[found.start :].mean())


@pytest.mark.parametrize(
    "levels", [[(60, 1_000.0)], [(30, 700.0), (40, 1_000.0)], [(9, 0.0), (15, 500.0), (40, 900.0)]]
)
def test_the_changes_are_those_of_the_librarys_own_cost(levels):
    series = seconds(levels)
    unit = (series - series.mean()) / series.std()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library announces what it does about constant stretches
        search = ruptures.Pelt(model="normal", min_size=5, jump=1).fit(unit)
    ends = search.predict(pen=15 * math.log(series.size))
    assert [end for _, end, _ in steady_state(series).segments] == ends


def test_a_change_of_spread_alone_is_no_change_of_state():
    series = np.r_[seconds([(40, 1_000.0)], spread=0.15), seconds([(40, 1_000.0)], spread=0.005)]
    series[:40] += series[40:].mean() - series[:40].mean()
    found = steady_state(series)
    assert len(found.segments) == 2
    assert found.kind is Steadiness.FLAT


def test_a_level_within_two_percent_belongs_to_the_steady_part():
    assert steady_state(seconds([(40, 985.0), (40, 1_000.0)], spread=0.001)).kind is Steadiness.FLAT
    assert steady_state(seconds([(30, 970.0), (50, 1_000.0)], spread=0.001)).kind is Steadiness.WARM_UP


def test_a_stall_in_the_middle_begins_the_steady_part_anew():
    found = steady_state(seconds([(50, 1_000.0), (10, 0.0), (60, 1_000.0)]))
    assert found.start == 60
    assert found.kind is Steadiness.WARM_UP  # 50 s at full speed and 10 s at none are lower on average
    late = steady_state(seconds([(90, 1_000.0), (10, 0.0), (20, 1_000.0)]))
    assert late.kind is Steadiness.NONE


@pytest.mark.parametrize("value", [0.0, 1.0, 12_345.6])
def test_equal_seconds_are_flat(value):
    found = steady_state(np.full(60, value))
    assert (found.kind, found.start, found.level) == (Steadiness.FLAT, 0, value)
    assert found.segments == [(0, 60, value)]


def test_a_fifth_of_equal_seconds_then_noise_gives_no_error():
    found = steady_state(np.r_[np.full(12, 1_000.0), seconds([(48, 500.0)])])
    assert found.kind is Steadiness.SLOWDOWN


@settings(max_examples=20)
@given(st.floats(1e-6, 1e6))
def test_the_unit_does_not_matter(factor):
    series = seconds([(15, 700.0), (45, 1_000.0)])
    one, other = steady_state(series), steady_state(series * factor)
    assert (other.kind, other.start) == (one.kind, one.start)
    assert other.level == pytest.approx(one.level * factor)


def test_most_steady_trials_are_called_flat():
    kinds = [steady_state(seconds([(60, 1_000.0)], spread=0.1, seed=seed)).kind for seed in range(100)]
    assert kinds.count(Steadiness.FLAT) >= 95
