"""The best of some settings over the best of all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbook.statistics import best_over_best


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), blocks=st.integers(2, 12), sizes=st.integers(2, 7))
def test_the_best_of_some_is_never_better_than_the_best_of_all(seed: int, blocks: int, sizes: int) -> None:
    generator = np.random.default_rng(seed)
    values = np.exp(generator.normal(0, 0.1, (blocks, sizes)))
    picked = np.arange(sizes) < generator.integers(1, sizes + 1)
    found = best_over_best(values, picked, confidence=0.95, visits=np.zeros(blocks, dtype=int))
    assert 1 <= found.low <= found.point <= found.high
    if picked.all():
        assert found.high == 1
    moved = best_over_best(20 * values, picked, confidence=0.95, visits=np.zeros(blocks, dtype=int))
    assert moved.point == pytest.approx(found.point)


def test_the_best_of_several_covers_a_planted_ratio() -> None:
    """Of two settings far from each other the ratio is their own; its interval covers it about as often as it says."""
    generator, truth, covered = np.random.default_rng(7), 1.2, 0
    for _ in range(300):
        values = np.exp(generator.normal([np.log(truth), 0.0], 0.05, (6, 2)))
        found = best_over_best(values, np.array([True, False]), confidence=0.95, visits=np.zeros(6, dtype=int))
        covered += found.low <= truth <= found.high
    assert covered >= 270
