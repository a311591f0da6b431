import numpy as np
import pytest
from scipy import stats

from benchbook.errors import BenchbookError
from benchbook.statistics import cliff, cliff_second, dip, ratio

SETTINGS = np.array([1.0, 2.0, 4.0, 8.0, 16.0])


def sweep(noise: float = 0.02, blocks: int = 8, fall: float = 0.6, seed: int = 3) -> np.ndarray:
    """Throughput per block and setting that falls between the settings 4 and 8."""
    generator = np.random.default_rng(seed)
    level = np.where(SETTINGS > 4, fall, 1.0) * generator.lognormal(0, 0.2, (blocks, 1))
    return 1_000 * level * np.exp(noise * generator.standard_normal((blocks, SETTINGS.size)))


def test_a_clear_cliff_is_located_and_its_size_has_the_interval_of_all_pairs_together():
    values = sweep()
    found = cliff(values, SETTINGS)
    assert found.pair == (4, 8)
    assert found.locations == (((4, 8), 1.0),)
    assert found.drop.low < 0.6 < found.drop.high
    wider = ratio(values[:, 3], values[:, 2], confidence=1 - 0.05 / 4)
    assert (found.drop.low, found.drop.point, found.drop.high) == (wider.low, wider.point, wider.high)
    assert found.drop.confidence == 0.95
    assert "simultaneous" in found.drop.method


def test_without_a_cliff_the_place_is_uncertain_and_the_drop_rarely_misses_1():
    missed, sizes = 0, []
    for seed in range(200):
        found = cliff(sweep(fall=1.0, seed=seed), SETTINGS, resamples=200)
        missed += not found.drop.low <= 1 <= found.drop.high
        sizes.append(len(found.locations))
    assert missed <= 20  # 5 % of 200, and three standard errors
    assert np.mean(sizes) > 2


def test_the_places_are_the_fewest_that_reach_the_confidence():
    found = cliff(sweep(noise=0.5, blocks=6), SETTINGS, confidence=0.9, resamples=999)
    shares = [share for _, share in found.locations]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) >= 0.9 > sum(shares[:-1])
    assert found.pair in [pair for pair, _ in found.locations]


def test_a_rise_counts_like_a_fall():
    down, up = cliff(sweep(noise=0.0), SETTINGS), cliff(1 / sweep(noise=0.0), SETTINGS)
    assert down.pair == up.pair
    assert up.drop.point == pytest.approx(1 / down.drop.point)


def test_two_settings_have_one_pair():
    found = cliff([[4.0, 1.0], [4.4, 1.0]], [1, 2])
    assert found.locations == (((1, 2), 1.0),)
    plain = ratio([1.0, 1.0], [4.0, 4.4])
    assert (found.drop.low, found.drop.high) == (plain.low, plain.high)


def test_a_level_sweep_has_no_cliff_to_locate():
    with pytest.raises(BenchbookError, match="not estimable"):
        cliff(np.tile([[3.0], [4.0]], (1, 5)), SETTINGS)


def test_an_exact_step_has_no_width_and_says_so():
    found = cliff([[2.0, 1.0, 1.0], [4.0, 2.0, 2.0]], [1, 2, 3])
    assert (found.pair, found.drop.low, found.drop.high) == ((1, 2), 0.5, 0.5)
    assert found.drop.method == "all values equal"


def test_a_lasting_fall_is_found_where_the_5_second_mean_crosses_70_percent():
    series = np.r_[np.full(30, 100.0), np.full(30, 50.0)]
    # the means of the seconds 29-33 are 90, 80, 70 (not below) and 60
    assert cliff_second(series) == 33
    series[33] = 51
    assert cliff_second(series) == 33


def test_a_fall_of_less_than_ten_seconds_is_none():
    series = np.r_[np.full(30, 100.0), np.full(7, 0.0), np.full(30, 100.0)]
    assert cliff_second(series) is None
    series[30:50] = 0
    assert cliff_second(series) == 31


def test_a_fall_that_the_end_cuts_short_is_none():
    fallen = np.r_[np.full(30, 100.0), np.full(13, 50.0)]
    assert cliff_second(fallen) == 33
    assert cliff_second(fallen[:-1]) is None


def test_a_slow_start_is_no_cliff_but_a_fall_from_a_later_height_is():
    rising = np.r_[np.full(20, 40.0), np.full(20, 100.0)]
    assert cliff_second(rising) is None
    assert cliff_second(np.r_[rising, np.full(20, 40.0)]) == 42
    assert cliff_second(np.zeros(60)) is None
    assert cliff_second(np.full(15, 8.0)) is None


def test_a_dip_is_the_middle_against_the_line_between_its_sides():
    left, middle, right = np.array([[8.0, 9.0, 8.5], [4.0, 4.4, 4.1], [2.0, 2.2, 2.1]])
    effect = dip(left, middle, right)
    logs = np.log(middle) - (np.log(left) + np.log(right)) / 2
    reference = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    assert effect.point == pytest.approx(np.exp(logs.mean()))
    assert (effect.low, effect.high) == pytest.approx(np.exp(list(reference)))
    assert (effect.n, effect.scale) == (3, "ratio")
    assert effect.sd == pytest.approx(logs.std(ddof=1))


def test_a_dip_of_huge_values_does_not_overflow():
    assert dip([1e200, 2e200], [1e200, 2e200], [1e200, 2e200]).point == pytest.approx(1)
