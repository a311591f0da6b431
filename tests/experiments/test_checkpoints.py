"""What differs between configurations of checkpoints, and when its claims stay open."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook.chapters.checkpoints import NUMBERS, Summary


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
