"""Words that code makes: numbers with their intervals, and what the intervals are."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import statistics
from benchbook.figures import interval_name, intervals_said, mean_count, with_interval
from benchbook.figures.filling import template
from benchbook.figures.prose import digits
from benchbook.model import Estimate
from benchbook.statistics import intervals

VALUES = np.array([1.0, 1.1, 1.3, 0.9])
OTHERS = np.array([2.0, 2.1, 1.9, 2.2])
VISITS = [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("estimates", "name"),
    [
        ([], ""),
        ([statistics.geometric_mean(VALUES)] * 3, "95 % Student t on logs"),
        (
            [statistics.ratio(VALUES, OTHERS, confidence=each) for each in (0.90, 0.95)],
            "95 % and 90 % Student t on paired log differences",
        ),
        (
            statistics.many_to_one(VALUES, {"a": OTHERS, "b": 2 * OTHERS}).values(),
            "95 % Student t on paired log differences, simultaneous (Bonferroni)",
        ),
        (
            [statistics.geometric_mean([2.0, 2.0]), statistics.geometric_mean(VALUES), statistics.exact(3.0)],
            "95 % Student t on logs; no width where all values are equal; none where a number is counted",
        ),
        ([statistics.share([1.0, 1.0], 10)], "the resolution of the counts where that is wider"),
        (
            [statistics.share([1.0] * 8, 10, visits=VISITS), statistics.share([0.4, 0.6] * 4, 10, visits=None)],
            "95 % Student t on logits; the resolution of the counts where that is wider",
        ),
    ],
)
def test_intervals_are_named_by_what_the_estimates_say_of_themselves(estimates: list[Estimate], name: str) -> None:
    assert interval_name(estimates) == name


@pytest.mark.parametrize(
    ("estimates", "said"),
    [
        ([], "no intervals"),
        ([statistics.geometric_mean(VALUES)] * 3, "95 % intervals"),
        (
            [statistics.geometric_mean(VALUES), statistics.ratio(VALUES, OTHERS), statistics.exact(3.0)],
            "95 % intervals",
        ),
        (
            [statistics.geometric_mean(VALUES), statistics.ratio(VALUES, OTHERS, confidence=0.9)],
            "95 % and 90 % intervals",
        ),
        ([statistics.exact(3.0)], "no intervals"),
    ],
)
def test_a_caption_says_what_its_intervals_are(estimates: list[Estimate], said: str) -> None:
    assert intervals_said(estimates) == said


@pytest.mark.parametrize(
    ("estimate", "factor", "text"),
    [
        (Estimate(4.23, 3.61, 4.94, 8, "t"), 1.0, "4.23 [3.61, 4.94]"),
        (Estimate(0.35, 0.332, 0.369, 8, "t"), 100, "35.0 [33.2, 36.9]"),
        (Estimate(0.99998, 0.99997, 0.99999, 8, "t"), 100, "99.998 [99.997, 99.999]"),
        (Estimate(1.05, 1.0004, 1.1, 8, "t"), 1.0, "1.05 [1.0004, 1.1]"),
        (Estimate(0.9618, 0.9249, 1.0001, 8, "t"), 1.0, "0.962 [0.925, 1.00]"),
        (Estimate(0.99986, 0.99961, 1.0001, 8, "t"), 1.0, "0.99986 [0.99961, 1.0001]"),
        (Estimate(0.0, 0.0, 0.0, 8, "t"), 100, "0"),
        (statistics.exact(2.0), 1.0, "2"),
        (Estimate(54823.2, 54000.0, 55000.0, 8, "t"), 1.0, "54,800 [54,000, 55,000]"),
        (Estimate(1.1e-5, 3e-7, 2.1e-5, 8, "t"), 100, "0.00110 [below 0.0001, 0.00210]"),
        (Estimate(9.4e6, 9.3e6, 9.5e6, 8, "t"), 1e-6, "9.40 [9.30, 9.50]"),
        (statistics.share(np.zeros(8), 50_000), 100, "at most 0.00200"),
        (statistics.share(np.ones(8), 50_000), 100, "at least 99.998"),
        (Estimate(1 - 1e-10, 1 - 2e-10, 1.0, 8, intervals.RESOLUTION), 100, "at least 100"),
    ],
)
def test_numbers_have_the_digits_that_they_need_and_no_more(estimate: Estimate, factor: float, text: str) -> None:
    assert with_interval(estimate, factor) == text


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


@pytest.mark.parametrize(
    ("value", "written"), [(0.0, "0"), (6.0, "6"), (4.25, "4.2"), (5.96, "6.0"), (1200.0, "1,200")]
)
def test_a_mean_of_counts_has_a_decimal_only_where_it_is_not_whole(value: float, written: str) -> None:
    assert mean_count(value) == written


@pytest.mark.parametrize(
    ("point", "said"),
    [
        (1.35, "1.35 times the throughput of 100 / 1.35 times as long as RocksDB"),
        (0.539, "46.1 % less throughput than 100 / 46.1 % less time than RocksDB"),
        (1.0, "1.00 times the throughput of 100 / 1.00 times as long as RocksDB"),
    ],
)
def test_a_ratio_below_one_is_said_as_what_is_less(point: float, said: str) -> None:
    sentence = template('{{ a|amount("throughput", 100) }} / {{ a|taking("RocksDB") }}')
    assert sentence.render(a=Estimate(point, point, point, 6, "t")) == said


def test_what_is_less_has_an_interval_too() -> None:
    sentence = template("{{ a|taking(ends=True) }}, {{ a|amount('throughput') }}")
    assert sentence.render(a=Estimate(0.5, 0.4, 0.7, 6, "t")) == "50.0 [30.0, 60.0] % less time, 50.0 % less throughput"
    for none in (math.inf, math.nan):  # what the ends of fewer than three blocks are, on a page and on the book's own
        assert sentence.render(a=Estimate(0.5, -none, none, 2, "t")) == "50.0 % less time, 50.0 % less throughput"
    assert sentence.render(a=Estimate(0.9, 0.7, 1.2, 6, "t")) == (
        "0.900 [0.700, 1.20] times as long, 10.0 % less throughput"
    ), "an interval that reaches over 1 tells no direction"
