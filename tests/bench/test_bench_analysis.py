"""The contestants of the analysis find the same numbers, and a difference stops the comparison."""

from __future__ import annotations

import numpy as np
import pytest

from benchbook import statistics
from benchbook.bench import analysis
from benchbook.bench.measured import SMALL
from benchbook.errors import BenchbookError

LATENCIES = np.random.default_rng(3).lognormal(13, 0.8, 120_000).astype(np.int64)


def test_numpy_and_pandas_give_the_books_numbers() -> None:
    ours = np.array(list(statistics.describe(LATENCIES).values()), dtype=float)
    for theirs in (analysis.plain, analysis.one_by_one, analysis.by_pandas):
        np.testing.assert_allclose(theirs(LATENCIES), ours, rtol=1e-9)


def test_the_resampling_in_whole_arrays_gives_the_interval_of_the_book() -> None:
    timeline = 100 + np.random.default_rng(4).standard_normal(400)
    estimate = statistics.stationary_mean(timeline, resamples=4_000)
    low, high = analysis.resampled(timeline, 4_000)
    assert low == pytest.approx(estimate.low, abs=0.2 * (estimate.high - estimate.low))
    assert high == pytest.approx(estimate.high, abs=0.2 * (estimate.high - estimate.low))


def test_another_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "plain", lambda latencies: np.zeros(8))
    with pytest.raises(BenchbookError, match="numpy finds"):
        analysis.measure(SMALL, lambda line: None)
