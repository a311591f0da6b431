"""Numbers as expressions: a setting that the first blocks choose is judged by the others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook import kit

time = kit.measured("query_mean_ns")


def summary(**times: list[float]) -> Any:
    """Of a run in which configurations took these times, block by block, with a pilot of one block."""

    def values(arm: str, metric: str) -> np.ndarray:
        return np.array(times[arm])

    def estimated(statistic: Any, *values: np.ndarray, of: Any) -> kit.Estimate:
        return statistic(*values, confidence=0.95)

    blocks = len(next(iter(times.values())))
    return SimpleNamespace(
        parameters=SimpleNamespace(pilot_blocks=1), run=SimpleNamespace(blocks=blocks), values=values, positive=values,
        estimated=estimated, label=str.upper,
    )  # fmt: skip


def test_the_pilot_chooses_and_does_not_judge() -> None:
    run = summary(a=[1.0, 9.0, 9.0, 9.0], b=[2.0, 3.0, 3.3, 2.7], base=[5.0, 9.0, 9.0, 9.0])
    assert kit.fastest(time, "a", "b", pilot="pilot_blocks")(run) == "a", "though the other is faster in all that judge"
    found = (kit.picked(time, "a", "b", pilot="pilot_blocks") / time["base"]).after("pilot_blocks")
    assert (found(run).point, found(run).n) == (pytest.approx(1.0), 3)
    assert found.working is not None
    assert found.working(run) == "The pilot chose “A”"


def test_a_pilot_that_leaves_one_block_judges_nothing() -> None:
    with pytest.raises(kit.NotEstimableError, match="fewer than two"):
        (time["a"] / time["b"]).after("pilot_blocks")(summary(a=[1.0, 2.0], b=[1.0, 2.0]))
