import math
import warnings
from itertools import pairwise

import numpy as np
import pytest
import ruptures
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from benchbook.statistics import Steadiness, steady_state
from benchbook.statistics.steady import _stretches


def seconds(levels: list[tuple[int, float]], spread: float = 0.03, seed: int = 5) -> np.ndarray:
    """Throughput that stays at each level for so many seconds, with noise that repeats itself."""
    means = np.concatenate([np.full(length, level) for length, level in levels])
    noise = np.random.default_rng(seed).standard_normal(means.size)
    return means * (1 + spread * signal.lfilter([0.8], [1.0, -0.6], noise))


@pytest.mark.parametrize(
    ("levels", "kind"),
    [
        ([(60, 1_000.0)], Steadiness.FLAT),
        ([(20, 500.0), (60, 1_000.0)], Steadiness.WARM_UP),
        ([(20, 1_500.0), (60, 1_000.0)], Steadiness.SLOWDOWN),
        ([(50, 1_000.0), (30, 500.0)], Steadiness.NONE),
        ([(10, 300.0), (10, 600.0), (60, 1_000.0)], Steadiness.WARM_UP),
        ([(38, 500.0), (42, 1_000.0)], Steadiness.WARM_UP),
        ([(42, 500.0), (38, 1_000.0)], Steadiness.NONE),
    ],
)
def test_a_trials_course_is_told_from_where_its_level_changes(levels, kind):
    assert steady_state(seconds(levels)) is kind


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
    assert _stretches(series) == list(pairwise([0, *ends]))


def test_a_change_of_spread_alone_is_no_change_of_state():
    series = np.r_[seconds([(40, 1_000.0)], spread=0.15), seconds([(40, 1_000.0)], spread=0.005)]
    series[:40] += series[40:].mean() - series[:40].mean()
    assert len(_stretches(series)) == 2
    assert steady_state(series) is Steadiness.FLAT


def test_a_level_within_two_percent_belongs_to_the_steady_part():
    assert steady_state(seconds([(40, 985.0), (40, 1_000.0)], spread=0.001)) is Steadiness.FLAT
    assert steady_state(seconds([(30, 970.0), (50, 1_000.0)], spread=0.001)) is Steadiness.WARM_UP


def test_a_stall_in_the_middle_begins_the_steady_part_anew():
    early, late = ([(50, 1_000.0), (10, 0.0), (60, 1_000.0)], [(90, 1_000.0), (10, 0.0), (20, 1_000.0)])
    assert steady_state(seconds(early)) is Steadiness.WARM_UP  # full speed, then a stall: lower on average
    assert steady_state(seconds(late)) is Steadiness.NONE


@pytest.mark.parametrize("value", [0.0, 1.0, 12_345.6])
def test_equal_seconds_are_flat(value):
    assert steady_state(np.full(60, value)) is Steadiness.FLAT


def test_a_fifth_of_equal_seconds_then_noise_gives_no_error():
    assert steady_state(np.r_[np.full(12, 1_000.0), seconds([(48, 500.0)])]) is Steadiness.SLOWDOWN


@settings(max_examples=20)
@given(st.floats(1e-6, 1e6))
def test_the_unit_does_not_matter(factor):
    series = seconds([(15, 700.0), (45, 1_000.0)])
    assert steady_state(series * factor) is steady_state(series)
    assert _stretches(series * factor) == _stretches(series)


def test_most_steady_trials_are_called_flat():
    kinds = [steady_state(seconds([(60, 1_000.0)], spread=0.1, seed=seed)) for seed in range(100)]
    assert kinds.count(Steadiness.FLAT) >= 95
