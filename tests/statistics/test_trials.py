import numpy as np
import pytest

from benchbook.statistics import describe, estimable, note_quantile, quantile


def latencies(n: int) -> np.ndarray:
    """They are left as they were: what writes into them fails."""
    found = np.random.default_rng(7).lognormal(11, 0.5, n).astype(np.int64)
    found.setflags(write=False)
    return found


@pytest.mark.parametrize(
    ("p", "least"), [(0.5, 200), (0.9, 1_000), (0.95, 2_000), (0.99, 10_000), (0.999, 100_000), (0.01, 10_000)]
)
def test_a_quantile_needs_a_hundred_operations_beyond_it(p, least):
    assert estimable(least, p)
    assert not estimable(least - 1, p)
    assert quantile(np.arange(least), p) == pytest.approx(p * (least - 1))
    assert quantile(np.arange(least - 1), p) is None


def test_the_notes_own_quantile_is_shown_however_few_operations_there_are():
    thousand = latencies(1_000)
    assert quantile(thousand, 0.99) is None
    assert note_quantile(thousand, 0.99) == np.quantile(thousand, 0.99)
    assert note_quantile([5], 0.99) == 5


def test_a_description_agrees_with_numpy():
    sample = latencies(100_000)
    assert describe(sample) == {
        "min_ns": sample.min(),
        "mean_ns": sample.mean(),
        "p50_ns": np.quantile(sample, 0.5),
        "p95_ns": np.quantile(sample, 0.95),
        "p99_ns": np.quantile(sample, 0.99),
        "p999_ns": np.quantile(sample, 0.999),
        "max_ns": sample.max(),
        "sd_ns": sample.std(ddof=1),
    }


def test_what_a_trial_cannot_estimate_is_none_and_not_a_number():
    one = describe([3])
    assert [one.pop(name) for name in ("min_ns", "mean_ns", "max_ns")] == [3.0] * 3
    assert {*one.values()} == {None}
    described = describe(latencies(10_000))
    assert described["p99_ns"] is not None
    assert described["p999_ns"] is None
