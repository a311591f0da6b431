import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.statistics import arms_apart, first_apart

VALUES = np.array([[9.35, 3.61, 4.2], [8.1, 5.5, 3.9]])


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def enumerated(values, statistic):
    """Of every arrangement by itself, the share of those at least as extreme as the one found."""
    logs = np.log(values)
    found = statistic(logs)
    every = [
        statistic(np.array(rows)) for rows in itertools.product(*(itertools.permutations(block) for block in logs))
    ]
    return np.mean([each >= found - 1e-12 for each in every])


def spread(logs):
    return (logs - logs.mean(axis=1, keepdims=True)).mean(axis=0).std()


def first(logs):
    return abs((logs[:, 0] - logs[:, 1:].mean(axis=1)).mean())


@pytest.mark.parametrize(("test", "statistic"), [(arms_apart, spread), (first_apart, first)])
@pytest.mark.parametrize("seed", range(5))
def test_small_tables_are_enumerated(test, statistic, seed):
    values = rng(seed).lognormal(0, 0.5, (3, 3))
    found = test(values, rng())
    assert found.arrangements == 6**3, "all that there are"
    assert found.p_value == pytest.approx(enumerated(values, statistic))


@pytest.mark.parametrize(("test", "statistic"), [(arms_apart, spread), (first_apart, first)])
def test_drawn_arrangements_agree_with_all_of_them(test, statistic):
    values = rng(7).lognormal(0, 0.5, (4, 3))
    drawn = test(values, rng(), arrangements=1_200)
    assert drawn.arrangements == 1_200
    assert drawn.p_value == pytest.approx(enumerated(values, statistic), abs=0.06)


@given(st.floats(1e-6, 1e6))
def test_neither_unit_nor_what_a_block_shares_counts(factor):
    moved = VALUES * factor * np.array([[1.0], [50.0]])
    for test in (arms_apart, first_apart):
        assert test(moved, rng()).p_value == pytest.approx(test(VALUES, rng()).p_value)


@pytest.mark.parametrize("test", [arms_apart, first_apart])
def test_arms_that_are_the_same_are_called_different_as_often_as_promised(test):
    generator = rng(5)
    # heavy tails and a large difference between blocks: nothing is assumed of either
    runs = np.exp(generator.standard_t(3, (600, 8, 6)) * 0.1 + generator.standard_normal((600, 8, 1)))
    low = np.mean([test(values, generator, arrangements=199).p_value <= 0.05 for values in runs])
    assert 0.03 <= low <= 0.075


def test_a_planted_difference_is_found_where_it_is_asked_for():
    values = rng(6).lognormal(0, 0.1, (10, 6))
    slow_first = values * np.array([1.5, 1, 1, 1, 1, 1])
    slow_last = slow_first[:, ::-1]
    assert arms_apart(values, rng()).p_value > 0.05
    assert arms_apart(slow_first, rng()).p_value == arms_apart(slow_last, rng()).p_value == pytest.approx(1 / 10_000)
    assert first_apart(slow_first, rng()).p_value == pytest.approx(1 / 10_000)
    assert first_apart(1 / slow_first, rng()).p_value == pytest.approx(1 / 10_000)
    assert first_apart(slow_last, rng()).p_value > 0.01


def test_equal_arms_differ_by_nothing_at_any_time():
    for values in (np.full((3, 4), 7.0), np.full((3, 4), 1.0) * [[1.1], [3.3], [1e9]]):
        for test in (arms_apart, first_apart):
            assert test(values, rng()).p_value == 1
