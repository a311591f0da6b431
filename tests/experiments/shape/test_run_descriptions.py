"""What is told of a run besides its numbers: the plan of its visits, and parameters that are not as asked."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.errors import BenchbookError
from benchbook.model import Part, Run
from benchbook.numbers import plans
from benchbook.pages.prose import planned
from benchbook.parameters.base import AnalysisParameters, key_of, other_numbers, param

PARAMETERS = {"blocks": 8, "seed": 1}
KEY = key_of("scale", 2, PARAMETERS)
PLAN = plans.FixedPlan("scale", KEY, "2026-11-23", 4, 3, "budget 1h", "pilot", 8)
pytestmark = pytest.mark.usefixtures("nothing_planned")


@pytest.fixture
def nothing_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of plans that has none yet."""
    monkeypatch.setattr(plans, "path", lambda: tmp_path / "plans.csv")


def summarized(sessions: int, visits: int = 1) -> Any:
    """Sessions of 8 blocks, one a day from 22 November on, taken for so many visits."""
    empty, blocks = pd.DataFrame(), 8 * sessions
    pool = tuple(Part(f"{KEY}-202611{22 + place}T120000", 8, {}) for place in range(sessions))
    run = Run(pool[-1].id, "scale", 2, PARAMETERS, "standard", 1, blocks, {}, empty, empty, empty)
    run = replace(run, pool=pool if sessions > 1 else ())
    return SimpleNamespace(run=run, visits=np.sort(np.resize(np.arange(visits), blocks)))


@pytest.mark.parametrize(
    ("sessions", "visits", "so_far"), [(1, 1, "is 1 visit, with 8"), (4, 3, "are 3 visits, with 32")]
)
def test_a_plan_is_told_with_what_is_there_of_it(sessions: int, visits: int, so_far: str) -> None:
    plans.fix(PLAN)
    assert planned(summarized(sessions, visits)) == (
        " Planned on 2026-11-23, after 8 blocks (budget 1h): 3 further sessions of 3 blocks. So far there "
        f"{so_far} blocks in all."
    )


def test_a_plan_that_names_no_visits_is_told_as_none() -> None:
    plans.fix(replace(PLAN, date="2026-11-30"))
    assert planned(summarized(1)).endswith(" The plan of 2026-11-30 names no visits and plans nothing.")


def test_an_amendment_is_told_with_its_visits_and_its_reason() -> None:
    plans.fix(PLAN)
    plans.fix(replace(PLAN, date="2026-11-30", sessions=2, stored=17, reason="it is open.", visits=2))
    assert (
        " Amended on 2026-11-30, after 17 blocks (budget 1h): 2 visits in all, the further of 3 blocks, because it is "
        "open. So far"
    ) in planned(summarized(2))


def test_sessions_that_no_plan_names_are_marked_and_one_alone_needs_none() -> None:
    assert planned(summarized(1)) == ""
    assert planned(summarized(3)).endswith(f" No plan names `{KEY}-20261123T120000` and `{KEY}-20261124T120000`.")
    plans.fix(PLAN)
    assert "No plan" not in planned(summarized(4))
    assert planned(summarized(5)).endswith(f" No plan names `{KEY}-20261126T120000`.")


class Parameters(AnalysisParameters):
    """Two numbers that are asked for, the second not the default, and one that nobody asks for."""

    events: int = param(50_000, 1, words="events in a store", asks="events")
    rows: int = param(5, words="rows of a table", asks="rows", wanted=10)
    keys: int = 3


@given(st.integers(1, 10**9), st.integers(0, 10**9), st.integers(0, 9))
def test_a_departure_is_told_for_each_number_that_is_not_as_asked(events: int, rows: int, keys: int) -> None:
    wanted = {"events": (events, 50_000), "rows": (rows, 10)}
    assert list(other_numbers(Parameters(events=events, rows=rows, keys=keys))) == [
        f"{has:,} {name} where {due:,} are asked" for name, (has, due) in wanted.items() if has != due
    ]


def test_what_is_asked_is_the_default_unless_another_is_given_and_keeps_its_bounds() -> None:
    assert Parameters().model_dump() == {"events": 50_000, "rows": 5, "keys": 3}
    with pytest.raises(BenchbookError, match="events=0"):
        Parameters.given({"events": 0})
