"""Words that code makes: numbers with their intervals, and what the intervals are."""

from __future__ import annotations

import numpy as np
import pytest

from benchbook import statistics
from benchbook.figures import interval_name, intervals_said, with_interval
from benchbook.model import Estimate

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
        (statistics.multinomial_shares({"a": 3, "b": 5}).values(), "95 % Goodman, multinomial"),
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
            [statistics.ratio(VALUES, OTHERS, confidence=each) for each in (0.90, 0.95)],
            "95 % and 90 % intervals",
        ),
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


def test_a_number_stands_before_its_interval_in_the_unit_asked_for() -> None:
    assert with_interval(Estimate(0.002961, 0.002481, 0.003519, 6, "t"), 1e3) == "2.96 [2.48, 3.52]"
