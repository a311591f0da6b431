"""Numbers as one would write them: three digits, no powers of ten where a reader would not use them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.figures.numbers import with_interval
from benchbook.figures.prose import digits, mean_count
from benchbook.model import Estimate


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1.0, "1.00"),
        (0.9996, "1.00"),
        (2.6, "2.60"),
        (99.96, "100"),
        (3148.2, "3,150"),
        (34_400.0, "34,400"),
        (0.0481, "0.0481"),
        (-0.26, "-0.260"),
        (0.0, "0"),
        (4.81e-6, "4.81e-06"),
    ],
)
def test_a_number_has_three_digits(value: float, written: str) -> None:
    assert digits(value) == written


@given(st.floats(1e-9, 1e12).flatmap(lambda size: st.sampled_from([size, -size])))
def test_what_is_written_is_the_number_to_half_a_percent(value: float) -> None:
    assert float(digits(value).replace(",", "")) == pytest.approx(value, rel=0.00501)


def test_an_interval_is_written_after_its_point() -> None:
    estimate = Estimate(point=1.2, low=1.0, high=1.314, n=6, method="t")
    assert with_interval(estimate, 1000) == "1,200 [1,000, 1,310]"


@pytest.mark.parametrize(
    ("value", "written"), [(0.0, "0"), (6.0, "6"), (4.25, "4.2"), (5.96, "6.0"), (1200.0, "1,200")]
)
def test_a_mean_of_counts_has_a_decimal_only_where_it_is_not_whole(value: float, written: str) -> None:
    assert mean_count(value) == written
