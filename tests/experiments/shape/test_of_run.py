"""What further measuring an open claim would take, in time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook.experiments.shape.of_run import costed
from benchbook.model import Outcome, Verdict

BLOCKS, BLOCK_S = 8, 300.0


def of_run(sessions: int, block_s: float | None = BLOCK_S) -> Any:
    summary = SimpleNamespace(
        run=SimpleNamespace(blocks=BLOCKS), sessions=np.repeat(np.arange(sessions), BLOCKS // sessions)
    )
    return SimpleNamespace(summary=summary, block_s=block_s)


@pytest.mark.parametrize(
    ("needed", "sessions", "said"),
    [
        ({"sessions_needed": 3}, 4, "30 min"),  # two blocks a session
        ({"trials_needed": 20}, 2, "60 min"),  # twelve blocks more
        ({"outcome": Outcome.ENVIRONMENT, "w": 0.2}, 2, "40 min"),  # two sessions more
    ],
)
def test_what_would_decide_a_claim_is_told_in_time(needed: dict[str, Any], sessions: int, said: str) -> None:
    asked = {"outcome": Outcome.INCONCLUSIVE, **needed}
    found = costed(of_run(sessions), Verdict("L001", reason="It is open.", **asked))
    assert found.reason == f"It is open (about {said} of measuring)."


@pytest.mark.parametrize(
    "given",
    [
        {"outcome": Outcome.REPRODUCED},
        {"outcome": Outcome.INCONCLUSIVE},
        {"outcome": Outcome.INCONCLUSIVE, "trials_needed": BLOCKS},
        {"outcome": Outcome.ENVIRONMENT, "w": 0.2, "failed": ("A/A",)},
        {"outcome": Outcome.ENVIRONMENT, "w": None},
    ],
)
def test_what_has_no_number_has_no_time(given: dict[str, Any]) -> None:
    verdict = Verdict("L001", reason="So it is.", **given)
    assert costed(of_run(2), verdict) == verdict


def test_a_run_that_does_not_say_how_long_it_took_promises_nothing() -> None:
    verdict = Verdict("L001", Outcome.INCONCLUSIVE, "So it is.", trials_needed=20)
    assert costed(of_run(2, None), verdict) == verdict
