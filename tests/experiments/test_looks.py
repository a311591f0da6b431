"""Which sessions a plan had asked for, and after which of them the verdicts of a run were looked at (item 20d1)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import project
from benchbook.model import Part, Run
from benchbook.numbers import looks, plans
from benchbook.numbers.plans import FixedPlan
from benchbook.parameters.base import key_of

PARAMETERS = {"blocks": 3, "seed": 1}
KEY = key_of("scale", 2, PARAMETERS)
PLAN = FixedPlan("scale", KEY, "2026-11-23", 4, 3, "budget 1h", "pilot", 3)
VISITS = replace(PLAN, date="2026-11-30", sessions=3, reason="it is open", visits=3)
OLD = [f"202611{day}T120000" for day in range(23, 30)]
"""Sessions from before the rule, one a day; the last began hours after it."""
NEW = [f"202612{day:02}T120000" for day in range(1, 9)]


def parts(*begun: str) -> tuple[Part, ...]:
    return tuple(Part(f"{KEY}-{each}", 3, {}) for each in begun)


def run(*begun: str) -> Run:
    nothing = pd.DataFrame()
    own = parts(*begun)
    pool = own if len(own) > 1 else ()
    return Run(
        own[-1].id, "scale", 2, PARAMETERS, "standard", 1, 3 * len(own), {}, nothing, nothing, nothing, pool=pool
    )


@pytest.fixture
def nothing_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of plans that has none yet."""
    monkeypatch.setattr(plans, "path", lambda: tmp_path / "plans.csv")


# what a plan asked for


def test_a_plan_has_asked_for_what_began_on_its_date_or_later_and_for_no_more_than_it_names() -> None:
    second = replace(PLAN, date="2026-11-26", sessions=2)
    every = parts(*OLD[:6])
    assert looks.planned_by(every, [PLAN]) == [0, 0, 0, 0, None, None]
    assert looks.planned_by(every, [PLAN, second]) == [0, 0, 0, 0, 1, None]
    assert looks.planned_by(every, [second]) == [0, None, None, 0, None, None], (
        "the first is the pilot whatever its date"
    )
    assert looks.planned_by(every, []) == [-1, *[None] * 5]
    assert looks.planned_by(parts("not a time", "nor this"), [PLAN]) == [0, None]


@given(
    days=st.lists(st.integers(0, 6), min_size=1, max_size=9).map(sorted),
    made=st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)), max_size=3),
)
def test_no_session_is_planned_by_what_was_written_after_it(days: list[int], made: list[tuple[int, int]]) -> None:
    every = [replace(PLAN, date=f"2026-11-{23 + day}", sessions=sessions) for day, sessions in made]
    found = looks.planned_by(parts(*(OLD[day] for day in days)), every)
    for day, plan in [*zip(days, found, strict=True)][1:]:
        assert plan is None or every[plan].date <= f"2026-11-{23 + day}"
    for place, plan in enumerate(every):
        assert found[1:].count(place) <= plan.sessions - 1


@pytest.mark.parametrize(
    ("name", "key", "unplanned"),
    [
        ("alex_rocksdb", "eb228c9767d8", ["20261128T104958", "20261128T123807"]),
        ("rocksdb_tuning", "4a8eba7718dd", ["20261128T114936"]),
        ("three_rounds", "a79aa5faa80d", ["20261128T084023"]),
    ],
)
def test_sessions_of_the_book_that_no_plan_had_named_are_known(name: str, key: str, unplanned: list[str]) -> None:
    folders = sorted(each.name for each in (project.published() / name).glob(f"{key}-*"))
    every = [part for part in (Part(each, 3, {}) for each in folders) if looks.begun(part) < looks.AMENDED]
    by = looks.planned_by(every, [*plans.of(name, key)])
    assert [part.id for part, plan in zip(every, by, strict=True) if plan is None] == [
        f"{key}-{each}" for each in unplanned
    ]


@pytest.mark.usefixtures("nothing_planned")
def test_unplanned_sessions_are_named_and_one_alone_needs_no_plan() -> None:
    assert looks.unplanned(run(OLD[0])) == []
    assert looks.unplanned(run(*OLD[:2])) == [f"{KEY}-{OLD[1]}"]
    plans.fix(PLAN)
    assert looks.unplanned(run(*OLD[:4])) == []
    assert looks.unplanned(run(*OLD[:5])) == [f"{KEY}-{OLD[4]}"]


# looks


@pytest.mark.usefixtures("nothing_planned")
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (1, 0, [1]), (3, 0, [3]), (4, 0, [4]), (6, 0, [4, 5, 6]),  # four were planned, whatever the file says
        (1, 2, [3]), (4, 2, [4, 6]), (5, 2, [4, 5, 7]),  # the sessions of a plan are one look
        (2, 1, [3]), (4, 1, [4, 5]),  # also while they are not all there
        (3, 2, [5]), (1, 5, [3, 6]),  # an earlier plan that lacks some has them after one that names visits
        (4, 4, [4, 6, 7, 8]),  # two beyond all plans are one each
    ],
)  # fmt: skip
def test_looks_are_the_first_four_each_further_one_and_since_then_each_plan(
    old: int, new: int, expected: list[int]
) -> None:
    plans.fix(PLAN)
    plans.fix(VISITS)
    assert looks.of(run(*OLD[:old], *NEW[:new])) == expected


@pytest.mark.usefixtures("nothing_planned")
def test_without_a_plan_each_session_since_the_rule_is_a_look() -> None:
    assert looks.of(run(*NEW[:3])) == [1, 2, 3]
    assert looks.of(run(OLD[0], *NEW[:2])) == [2, 3]
    plans.fix(replace(VISITS, reason=""))
    assert looks.of(run(*NEW[:3])) == [3]


# a plan that is none


@pytest.mark.usefixtures("nothing_planned")
def test_a_plan_that_names_no_visits_plans_nothing_from_the_day_on_which_the_rule_asks_for_them() -> None:
    late = replace(PLAN, date=plans.VISITS_SINCE, reason="more")
    for plan, without in ((PLAN, False), (late, True), (replace(late, visits=2), False)):
        assert plans.without_visits(plan) is without
    plans.fix(PLAN)
    plans.fix(late)
    assert [*plans.plans()] == [PLAN, late], "it is still read"
    assert [*plans.of("scale", KEY)] == [PLAN]
    given_: Any = run(*OLD[:4], NEW[0])
    assert looks.unplanned(given_) == [f"{KEY}-{NEW[0]}"]
    assert looks.of(given_) == [4, 5]
