"""The Universal Scalability Law: exact sweeps come back, a published one nearly, and what has no law is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.statistics import Scalability, scalability

COUNTS = [1, 2, 4, 8, 16, 32, 100]


@given(st.floats(1.0, 1e5), st.floats(0.0, 0.9), st.floats(0.0, 0.05))
def test_an_exact_sweep_gives_back_its_law(single: float, contention: float, coherency: float) -> None:
    law = Scalability(single, contention, coherency)
    found = scalability(COUNTS, law.at(COUNTS))
    assert found.single == pytest.approx(single, rel=1e-6)
    assert found.contention == pytest.approx(contention, abs=1e-6)
    assert found.coherency == pytest.approx(coherency, abs=1e-7)


def test_a_published_sweep_is_near_its_published_law() -> None:
    """SPEC SDM 1991, of Gunther 2007: contention 0.0277, coherency 0.000104, best at 96, by absolute errors."""
    found = scalability([1, 18, 36, 72, 108, 144, 216], [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2])
    assert 0.005 < found.contention < 0.03
    assert found.coherency == pytest.approx(0.000104, rel=0.2)
    assert found.best_clients == pytest.approx(96, rel=0.06)


def test_the_highest_throughput_lies_where_the_law_says() -> None:
    law = Scalability(100.0, 0.05, 0.001)
    grid = np.arange(1, 200)
    assert grid[law.at(grid).argmax()] == pytest.approx(law.best_clients, abs=1)
    assert Scalability(1.0, 0.1, 0.0).best_clients == np.inf
    assert Scalability(1.0, 0.99, 0.5).best_clients >= 1
