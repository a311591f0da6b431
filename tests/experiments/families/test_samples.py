"""What is stored of a trial: few enough, evenly taken, and told apart from what comes from all of it."""

from __future__ import annotations

import numpy as np
import pytest

from benchbook.measuring.samples import reduced, subsample


@pytest.mark.parametrize("n", [0, 1, 99, 100, 101, 200, 12_345])
def test_a_subsample_is_small_enough_in_order_and_even_from_first_to_last(n: int) -> None:
    given = np.arange(n, dtype=np.int64)
    kept = subsample(given, 100)
    assert len(kept) == min(n, 100)
    steps = np.diff(kept)
    assert (steps > 0).all()
    if n:
        assert (kept[0], kept[-1]) == (0, n - 1)
    if n > 1:
        assert steps.max() - steps.min() <= 1


def test_a_subsample_keeps_the_middle_of_what_it_is_taken_from() -> None:
    given = np.random.default_rng(3).lognormal(10, 1, 50_001).round().astype(np.int64)
    found = reduced(subsample(given, 10_000), "stored")
    assert found["stored_p50_ns"] == pytest.approx(np.median(given), rel=0.05)
    assert all(name.startswith("stored_") for name in found)
