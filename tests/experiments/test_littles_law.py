"""Clients that the latencies do not account for: left open where they are many, borne where they are few."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from benchbook.numbers import littles_law


def trials(*ratios: float) -> pd.DataFrame:
    """Of 1 ms transactions in a window of 100 s, so that what is unfinished hardly counts."""
    own = {"latency_mean_ns": 1e6, "latency_sd_ns": 1e5, "block": range(len(ratios))}
    return pd.DataFrame({"littles_ratio": ratios, **own})


def test_within_two_percent_nothing_is_missed_nor_borne() -> None:
    gate = littles_law.littles_gate(trials(0.99, 1.01, 0.981), 100.0)
    assert (gate.passed, gate.small, gate.blocks) == (True, 0.0, frozenset())


def test_a_small_miss_fails_and_says_what_a_comparison_has_to_bear() -> None:
    gate = littles_law.littles_gate(trials(0.99, 0.96, 1.03), 100.0)
    assert not gate.passed
    assert gate.small == pytest.approx(math.log1p(0.04), rel=1e-3)
    assert gate.blocks == {1, 2}
    assert "2 of 3 trials" in gate.reason
    assert "4.0% at most" in gate.reason


@pytest.mark.parametrize("ratio", [0.5, 1.2, np.nan])
def test_a_large_miss_and_a_trial_without_the_ratio_are_not_borne(ratio: float) -> None:
    gate = littles_law.littles_gate(trials(0.96, ratio), 100.0)
    assert (gate.passed, gate.small) == (False, 0.0)


def test_transactions_that_are_unfinished_at_the_end_count() -> None:
    table = trials(0.95).assign(latency_mean_ns=1e9, latency_sd_ns=0.0)
    assert littles_law.littles_gate(table, 10.0).passed, "half a second of each client is 5 % of ten"


def test_where_nobody_looked_at_the_loop_it_is_not_missed() -> None:
    gate = littles_law.of_shares(pd.Series([np.nan, 0.97]), pd.Series([0, 1]))
    assert gate.blocks == {1}
    assert gate.small == pytest.approx(math.log1p(0.03))
