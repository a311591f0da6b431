"""Which keys are asked for: popularity laws as they were asked for, and sets of row ids, disjoint and complete."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchbook.errors import BenchbookError
from benchbook.workloads import KeySets, hash_keys, hot_share, scattered, zipf, zipf_weights

EXPONENTS = (0.05, 0.5, 0.8, 0.99, 1.0, 1.2, 3.0)


@given(keys=st.integers(1, 5_000), exponent=st.floats(1e-3, 8))
def test_zipf_weights_are_a_falling_distribution_for_any_exponent(keys: int, exponent: float) -> None:
    weights = zipf_weights(keys, exponent)
    assert weights.shape == (keys,)
    assert weights.sum() == pytest.approx(1, rel=1e-12)
    assert (np.diff(weights) < 0).all()
    assert (weights > 0).all()
    assert weights[0] / weights[-1] == pytest.approx(float(keys) ** exponent, rel=1e-9)


@pytest.mark.parametrize("exponent", [0, -1.0])
def test_a_zipf_exponent_that_orders_nothing_is_refused(exponent: float) -> None:
    with pytest.raises(BenchbookError, match="exponent"):
        zipf_weights(10, exponent)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_zipf_draws_follow_the_exact_probabilities(exponent: float) -> None:
    keys, count = 200, 200_000
    drawn = zipf(keys, exponent, count, np.random.default_rng(20260117))
    expected = np.arange(1, keys + 1, dtype=float) ** -exponent
    expected *= count / expected.sum()
    seen = np.bincount(drawn, minlength=keys).astype(float)
    common = expected >= 5  # the test's own condition; rarer ranks are taken together
    if not common.all():
        expected = np.append(expected[common], expected[~common].sum())
        seen = np.append(seen[common], seen[~common].sum())
    assert stats.chisquare(seen, expected).pvalue > 1e-3


@given(keys=st.integers(1, 300), exponent=st.floats(0.01, 6), seed=st.integers(0, 2**32))
def test_zipf_draws_are_ranks_of_existing_keys(keys: int, exponent: float, seed: int) -> None:
    drawn = zipf(keys, exponent, 500, np.random.default_rng(seed))
    assert drawn.dtype == np.int64
    assert drawn.shape == (500,)
    assert 0 <= drawn.min() <= drawn.max() < keys


@given(count=st.integers(1, 400), share=st.floats(0, 1), hot_keys=st.integers(1, 50), seed=st.integers(0, 2**32))
def test_hot_share_is_exact_and_asks_for_each_cold_key_at_most_once(
    count: int, share: float, hot_keys: int, seed: int
) -> None:
    hot, cold = np.arange(hot_keys), np.arange(10_000, 10_000 + count)
    ids = hot_share(hot, cold, share, count, np.random.default_rng(seed))
    is_hot = np.isin(ids, hot)
    assert is_hot.sum() == round(count * share)
    asked = ids[~is_hot]
    assert np.isin(asked, cold).all()
    assert len(np.unique(asked)) == len(asked)


def test_hot_requests_lie_anywhere_in_the_order() -> None:
    ids = hot_share(np.arange(10), np.arange(100, 10_100), 0.5, 10_000, np.random.default_rng(3))
    for half in np.split(ids < 100, 2):
        assert stats.binomtest(int(half.sum()), 5_000, 0.5).pvalue > 1e-3


def test_too_few_cold_keys_are_refused() -> None:
    with pytest.raises(BenchbookError, match="50 cold keys are needed, 49 are there"):
        hot_share(np.arange(5), np.arange(49), 0.5, 100, np.random.default_rng(0))


@settings(max_examples=50)
@given(keys=st.integers(1, 500), seed=st.integers(0, 2**32))
def test_scattering_ranks_is_a_bijection_that_keeps_every_frequency(keys: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    order = generator.permutation(keys) + 40
    assert sorted(scattered(np.arange(keys), order).tolist()) == list(range(40, 40 + keys))
    ranks = zipf(keys, 0.99, 300, generator)
    before = np.sort(np.bincount(ranks, minlength=keys))
    after = np.sort(np.bincount(scattered(ranks, order) - 40, minlength=keys))
    assert np.array_equal(before, after)


@given(
    first=st.integers(0, 10**9),
    cuts=st.lists(st.integers(0, 200), min_size=1, max_size=6),
    spare=st.integers(0, 100),
    seed=st.integers(0, 2**32),
)
def test_cuts_one_after_the_other_never_share_an_id(first: int, cuts: list[int], spare: int, seed: int) -> None:
    rows = sum(cuts) + spare
    sets = KeySets.shuffled(first, rows, np.random.default_rng(seed))
    parts, start = [], 0
    for count in cuts:
        parts.append(sets.cut(start, count))
        start += count
    assert [len(part) for part in parts] == cuts
    whole = [*np.concatenate(parts), *sets.cut(start, spare)]
    assert sorted(whole) == list(range(first, first + rows)), "every id once"


@given(rows=st.integers(1, 100), start=st.integers(0, 200), more=st.integers(1, 200))
def test_more_keys_than_rows_are_refused_with_both_numbers(rows: int, start: int, more: int) -> None:
    sets = KeySets.shuffled(0, rows, np.random.default_rng(1))
    count = max(0, rows - start) + more
    with pytest.raises(BenchbookError, match=f"{start + count} distinct keys .* only {rows} rows"):
        sets.cut(start, count)


def test_the_same_seed_gives_the_same_order_and_another_seed_another() -> None:
    orders = [KeySets.shuffled(0, 1_000, np.random.default_rng(seed)).order for seed in (1, 1, 2)]
    assert np.array_equal(orders[0], orders[1])
    assert not np.array_equal(orders[0], orders[2])


def test_a_key_is_the_sha256_of_the_decimal_digits() -> None:
    assert hash_keys([0, 17]) == [hashlib.sha256(b"0").hexdigest(), hashlib.sha256(b"17").hexdigest()]
    assert hash_keys(np.array([17])) == hash_keys([17])
