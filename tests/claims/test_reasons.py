import pytest

from benchbook.claims.reasons import bounds_text, interval_text
from benchbook.model import Effect, Estimate
from benchbook.statistics import exact, geometric_mean


@pytest.mark.parametrize(
    ("point", "low", "high", "text"),
    [
        (0.3123, 0.2871, 0.3398, "0.312 [0.287, 0.340]"),
        (0.3123, 0.1, 0.9, "0.31 [0.10, 0.90]"),
        (1.0, 0.5, 2.0, "1.0 [0.5, 2.0]"),
        (123_456.7, 120_000.2, 130_000.1, "123,457 [120,000, 130,000]"),
        (12.3456, 12.3401, 12.3501, "12.35 [12.34, 12.35]"),
        (1.234e-8, 1.1e-8, 1.5e-8, "1.23e-08 [1.10e-08, 1.50e-08]"),
        (-0.004, -0.2, 0.1, "0.00 [-0.20, 0.10]"),
        (0.399, 0.0077, 20.7, "0.40 [0.0077, 21]"),
        (0.172, 0.0236, 1.25, "0.17 [0.024, 1.2]"),
    ],
)
def test_numbers_have_no_more_digits_than_their_interval_deserves(point, low, high, text):
    assert interval_text(Estimate(point, low, high, 8, "t"), []) == f"{text} (95 %, 8 trials)"


def test_there_are_enough_digits_to_see_the_side_of_an_edge():
    effect = Effect(0.41, 0.37, 0.454499, 8, "t")
    for edges, point, ends in (
        ([], "0.410", "[0.370, 0.454]"),
        ([0.454], "0.4100", "[0.3700, 0.4545]"),
        ([0.454499 + 1e-15], "0.410", "[0.370, 0.454]"),
    ):
        assert interval_text(effect, edges).startswith(f"{point} {ends}")
        assert bounds_text(effect, edges) == ends


def test_numbers_without_an_interval_stand_alone():
    assert interval_text(exact(1_000), []) == "1,000"
    assert interval_text(exact(0), []) == bounds_text(exact(0), []) == "0"
    assert interval_text(exact(1 / 3), []) == "0.333"
    assert interval_text(geometric_mean([2, 2, 2]), []) == "2 in each of 3 trials"
    assert interval_text(Estimate(0.5, 0.1, 0.9, 1, "t"), []) == "0.50 [0.10, 0.90] (95 %, 1 trial)"
