"""Numbers that a computer can hardly hold, and what is not a number: an error with a mend, never a NaN interval."""

import math

import numpy as np
import pytest

from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics import (
    arithmetic_mean,
    difference,
    equivalence,
    geometric_mean,
    geometric_sd,
    half_width,
    many_to_one,
    median,
    predicted,
    ratio,
    ratio_unblocked,
    share,
    shares_difference,
)

NOT_NUMBERS = [["a", "b"], [1.0, "x"], [[1.0, 2.0], [3.0]], None, 3.0]
GOOD = [0.5, 0.6]
ONE = {
    "arithmetic_mean": arithmetic_mean,
    "geometric_mean": geometric_mean,
    "geometric_sd": geometric_sd,
    "median": median,
    "share": lambda values: share(values, 100),
}
TWO = {
    "ratio": ratio,
    "difference": difference,
    "equivalence": equivalence,
    "ratio_unblocked": ratio_unblocked,
    "shares_difference": lambda one, other: shares_difference(one, other, 100),
    "many_to_one": lambda one, other: many_to_one(one, {"b": other}),
}


@pytest.mark.parametrize("bad", NOT_NUMBERS, ids=repr)
@pytest.mark.parametrize("name", ONE)
def test_estimates_refuse_what_is_no_number(name, bad):
    with pytest.raises(BenchbookError) as caught:
        ONE[name](bad)
    assert caught.value.mend


@pytest.mark.parametrize("bad", [*NOT_NUMBERS, [], [0.5], [0.5, math.nan], [0.5, math.inf], [0.5, None]], ids=repr)
@pytest.mark.parametrize("name", TWO)
def test_effects_refuse_what_is_no_number_on_either_side(name, bad):
    for pair in ((bad, GOOD), (GOOD, bad)):
        with pytest.raises(BenchbookError) as caught:
            TWO[name](*pair)
        assert caught.value.mend


def test_a_masked_value_is_missing():
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    with pytest.raises(BenchbookError, match="1 of 3"):
        geometric_mean(masked)
    assert geometric_mean(np.ma.array([1.0, 2.0])) == geometric_mean([1.0, 2.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: arithmetic_mean([-1.7e308, 1.7e308]),
        lambda: arithmetic_mean([1.7e308, 1.6e308, 1.7e308]),
        lambda: difference([1.7e308, 1.0], [-1.7e308, 1.0]),
        lambda: ratio([1e300, 1e-300], [1e-300, 1e300]),
    ],
)
def test_values_beyond_floating_point_give_no_infinite_interval(call):
    with pytest.raises(BenchbookError, match="too far"):
        call()


def test_a_share_of_no_count_is_refused():
    for counts in (0, -1, math.nan):
        with pytest.raises(BenchbookError):
            shares_difference(GOOD, GOOD, counts)
        with pytest.raises(BenchbookError):
            share(GOOD, counts)


@pytest.mark.parametrize("arguments", [(0.1, 1), (0.1, 0), (-0.1, 5), (math.nan, 5), (math.inf, 5)])
def test_a_half_width_of_nothing_is_refused(arguments):
    with pytest.raises(BenchbookError) as caught:
        half_width(*arguments)
    assert caught.value.mend


def test_one_block_has_no_forecast():
    estimate = Estimate(1.0, 0.9, 1.1, 6, "Student t")
    with pytest.raises(BenchbookError, match="1 blocks"):
        predicted(estimate, 1)
