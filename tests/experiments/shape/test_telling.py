"""What a chapter says of the plan of its run: sessions and blocks that were written down before they were seen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook.experiments import plans
from benchbook.experiments.parameters import key_of
from benchbook.experiments.shape.telling import planned
from benchbook.model import Run

PARAMETERS = {"blocks": 8, "seed": 1}


@dataclass(frozen=True)
class Summarized:
    """As much of a summary as is asked."""

    run: Run
    sessions: np.ndarray


def summarized(blocks: int, sessions: int) -> Any:
    empty = pd.DataFrame()
    run = Run("id", "scale", 2, PARAMETERS, "standard", 1, blocks, {}, empty, empty, empty)
    return Summarized(run, np.sort(np.resize(np.arange(sessions), blocks)))


@pytest.mark.parametrize(
    ("blocks", "sessions", "so_far"), [(8, 1, "there is 1, with 8"), (16, 3, "there are 3, with 16")]
)
def test_a_plan_is_told_with_what_is_there_of_it(home: Path, blocks: int, sessions: int, so_far: str) -> None:
    assert planned(summarized(blocks, sessions)) == "", "nobody planned anything"
    plans.fix(plans.FixedPlan("scale", key_of("scale", 2, PARAMETERS), "2026-11-23", 4, 3, "budget 1h", "pilot", 8))
    said = planned(summarized(blocks, sessions))
    assert said.startswith(
        " Planned on 2026-11-23, after the first 8 blocks (budget 1h): 4 sessions an hour or more apart"
    )
    assert "the others of 3 blocks." in said
    assert said.endswith(f"So far {so_far} blocks in all.")


def test_an_amendment_of_a_plan_is_told_with_its_reason(home: Path) -> None:
    key = key_of("scale", 2, PARAMETERS)
    plans.fix(plans.FixedPlan("scale", key, "2026-11-23", 3, 3, "budget 1h", "pilot", 2))
    more = plans.FixedPlan(
        "scale", key, "2026-11-24", 2, 3, "budget 2h", "pilot", 8, "a session is the replicate from four on"
    )
    plans.fix(more)
    said = planned(summarized(8, 3))
    assert "Amended on 2026-11-24, when 8 blocks had been seen: 1 more session of 3 blocks, because a session" in said
    assert said.endswith("from four on. So far there are 3, with 8 blocks in all.")
