"""What differs between configurations of checkpoints, and when its claims stay open."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook.chapters.checkpoints import NUMBERS, Parameters, Summary, configurations
from benchbook.errors import BenchbookError
from benchbook.parameters.profiles import profile


class Stand:
    """A summary whose trials began so many checkpoints, and kept all transactions but these."""

    parameters = SimpleNamespace(scale=1)

    def __init__(self, **begun: float) -> None:
        self.begun = begun

    def values(self, arm: str, metric: str) -> np.ndarray:
        return np.full(2, self.begun.get(arm, 0.0))

    def label(self, arm: str) -> str:
        return arm

    def mean(self, arm: str, metric: str) -> float:
        return self.begun.get(arm, 0.0) if metric == "checkpoints" else 3 * 1640

    def per_page(self, arm: str) -> float:
        return Summary.per_page(self, arm)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("begun", "why"),
    [({"half_minute": 2}, ""), ({}, "2 of 2 trials of “half_minute” had no checkpoint"),
     ({"hour": 1, "half_minute": 2}, "2 of 2 trials of “hour” had a checkpoint")],
)  # fmt: skip
def test_only_trials_with_checkpoints_against_trials_without_any_compare_them(begun: Any, why: str) -> None:
    idle = NUMBERS["timeout"].idle
    assert idle is not None
    assert idle(Stand(**begun)) == why


def test_more_or_fewer_transactions_per_page_than_named_depart() -> None:
    departs = NUMBERS["timeout"].departs
    assert departs is not None
    assert departs(Stand(half_minute=2)) == ""
    assert departs(Stand(half_minute=30)).startswith("0.1 transactions per page")


def test_arms_differ_in_what_they_name_alone() -> None:
    every = {arm.name: arm.settings for arm in configurations(Parameters())}
    for name, base, setting in (
        ("half_minute", "hour", "checkpoint_timeout_s"), ("small_log", "hour", "max_wal_size_mb"),
        ("half_minute_no_images", "half_minute", "full_page_writes"), ("hour_free", "hour", "capped"),
    ):  # fmt: skip
        assert {key for key in every[name] if every[name][key] != every[base][key]} == {setting}
    assert every["hour_again"] == every["hour"]


def test_without_capped_storage_the_rest_is_measured_with_its_own_pair() -> None:
    free = Parameters.given(profile("checkpoints", "quick"))
    assert [arm.name for arm in configurations(free)] == ["hour_free", "hour_free_again", "half_minute_free"]


def test_a_delay_that_a_second_server_would_not_have_is_refused() -> None:
    with pytest.raises(BenchbookError, match="would have no delay"):
        Parameters.given({"storage_latency_ms": 1.0})
