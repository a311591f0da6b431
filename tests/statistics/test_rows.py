"""Many runs at once have the intervals that each of them has alone."""

from collections.abc import Callable

import numpy as np
import pytest

from benchbook import statistics
from benchbook.model import Estimate
from benchbook.statistics.effects import stalled
from benchbook.statistics.inputs import Rows
from benchbook.statistics.intervals import student

INTERVALS: dict[str, Callable[..., Estimate]] = {
    "ratio": lambda a, b, c, s, t: statistics.ratio(a, b),
    "ratio_unblocked": lambda a, b, c, s, t: statistics.ratio_unblocked(a, b),
    "difference": lambda a, b, c, s, t: statistics.difference(a, b),
    "shares_difference": lambda a, b, c, s, t: statistics.shares_difference(s, t, 200),
    "equivalence": lambda a, b, c, s, t: statistics.equivalence(a, b),
    "many_to_one": lambda a, b, c, s, t: statistics.many_to_one(a, {"b": b, "c": c})["c"],
    "geometric_mean": lambda a, b, c, s, t: statistics.geometric_mean(a),
    "arithmetic_mean": lambda a, b, c, s, t: statistics.arithmetic_mean(a - b),
    "share": lambda a, b, c, s, t: statistics.share(s, 200),
    "geometric_sd": lambda a, b, c, s, t: statistics.geometric_sd(a),
    "median": lambda a, b, c, s, t: statistics.median(a),
    "median_ratio": lambda a, b, c, s, t: statistics.median_ratio(a, b),
    "dip": lambda a, b, c, s, t: statistics.dip(a, b, c),
}
RUNS = 40


@pytest.mark.parametrize("name", INTERVALS)
@pytest.mark.parametrize("size", [6, 11])
def test_each_row_has_the_interval_of_its_values_alone(name: str, size: int) -> None:
    rng = np.random.default_rng(size)
    shares = rng.binomial(200, 0.99, (2, RUNS, size)) / 200
    shares[:, 0] = 1.0  # hits that never differ give an interval of one count
    values = [each.view(Rows) for each in (*rng.lognormal(sigma=0.2, size=(3, RUNS, size)), *shares)]
    found = INTERVALS[name](*values)
    own = [INTERVALS[name](*(np.asarray(each[run]) for each in values)) for run in range(RUNS)]
    for end in ("point", "low", "high"):
        assert getattr(found, end) == pytest.approx([getattr(each, end) for each in own], rel=1e-9, abs=1e-12), end
    assert (found.n, found.confidence) == (own[0].n, own[0].confidence)


@pytest.mark.parametrize("confidence", [0.95, 0.99])
@pytest.mark.parametrize("visit_sd", [0.0, 0.03])
def test_each_row_has_the_wider_interval_of_its_visits_and_its_blocks(visit_sd: float, confidence: float) -> None:
    rng, visits = np.random.default_rng(12), np.repeat(range(4), 3)
    logs = (rng.normal(size=(200, 4, 3)) * 0.05 + visit_sd * rng.normal(size=(200, 4, 1))).reshape(200, -1)
    found, own = student(logs, confidence, visits=visits), [student(each, confidence, visits=visits) for each in logs]
    assert found.low == pytest.approx([each.low for each in own])
    assert found.high == pytest.approx([each.high for each in own])
    assert {each.visits for each in own} == {True, False}, "either is the wider one at times"


@pytest.mark.parametrize("size", [5, 6, 12])
def test_the_rows_with_a_block_far_out_are_found(size: int) -> None:
    logs = np.random.default_rng(10).standard_t(2, size=(200, size))
    assert np.asarray(stalled(logs)).tolist() == [stalled(each) for each in logs]
