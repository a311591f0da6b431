"""Plans that are written down: blocks by a half-width or a budget, in visits, once and never changed."""

import csv
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pytest
import sealing
from test_bad_input import refused

from benchbook import project
from benchbook.cli.formatting import seconds
from benchbook.cli.measuring import blocks_to_add
from benchbook.errors import BenchbookError
from benchbook.numbers import plans
from benchbook.numbers.plans import FixedPlan

PUBLISHED = Path(__file__).parents[2] / "data/published/label_order"
PLAN = FixedPlan("label_order", "750346c36a9b", "2026-11-23", 4, 3, "budget 3h", "750346c36a9b-20261123T062546", 6)
PILOT = ("plan", "label_order", "--metric", "kept_p50_ns", "--run")


@pytest.fixture(autouse=True)
def nothing_planned(home: Path) -> None:
    """The project of the tests has no plan yet."""
    plans.path().unlink(missing_ok=True)


@pytest.fixture
def pilot(home: Path) -> str:
    """The id of a published run."""
    return sealing.publish_copy(max(PUBLISHED.iterdir()), home).name


def test_a_budget_gives_blocks_half_widths_and_visits(pilot: str, benchbook: Any) -> None:
    result = benchbook(*PILOT, pilot, "--budget", "1h", code=0)
    assert "fit into 60 minutes" in result.stdout
    assert "As 2 visits, 12 hours apart or on another processor model: the 12 blocks that are stored" in result.stdout
    assert "then once `benchbook run label_order --blocks +" in result.stdout
    assert (
        "then 3 times, 12 hours or more apart, `" in benchbook(*PILOT, pilot, "--budget", "1h", "--visits", "4").stdout
    )
    assert not plans.path().exists(), "nobody asked for it to be written down"


def test_a_plan_is_written_down_once_with_its_visits(pilot: str, benchbook: Any) -> None:
    given = (*PILOT, pilot, "--half-width", "10%", "--fix")
    benchbook(*given, "--visits", "5", code=0)
    [plan] = plans.plans()
    assert (plan.experiment, plan.sessions, plan.pilot, plan.stored) == ("label_order", 5, pilot, 12)
    assert (plan.aim, plan.visits) == ("half-width 10 %", 5)
    assert not plans.without_visits(plan)
    assert plans.fixed("label_order", plan.key) == plan
    assert plans.fixed("label_order", "another key") is None
    assert f"5 sessions of {plan.blocks} blocks" in refused(benchbook(*given))[0]
    assert list(plans.plans()) == [plan]


def test_a_plan_of_no_further_visit_is_refused(pilot: str, benchbook: Any) -> None:
    problem, mend = refused(benchbook(*PILOT, pilot, "--half-width", "10%", "--fix", "--visits", "1"))
    assert "1 visit is stored, and the plan has 1 in all" in problem
    assert "--visits 2 or more" in mend
    assert not plans.path().exists()


def test_visits_are_added_to_a_plan_only_with_a_reason(pilot: str, benchbook: Any) -> None:
    given = (*PILOT, pilot, "--half-width", "10%")
    assert "no plan that could be amended" in refused(benchbook(*given, "--fix", "--because", "four are needed"))[0]
    assert benchbook(*given, "--because", "four are needed").exit_code == 2, "nothing is written down without --fix"
    assert benchbook(*given, "--fix", "--visits", "3").exit_code == 0
    assert benchbook(*given, "--fix", "--because", "four\nare needed").exit_code == 0
    first, added = plans.plans()
    assert (first.visits, first.reason, added.sessions, added.visits, added.reason) == (3, "", 2, 2, "four are needed")
    assert plans.fixed("label_order", first.key) == first, "the plan stays what it was"


def test_a_damaged_file_of_plans_says_which_row() -> None:
    plans.fix(PLAN)
    assert list(plans.plans()) == [PLAN]
    plans.path().write_text(f"{plans.path().read_text()}{','.join(map(str, [*astuple(PLAN)[:-2], '', 3]))}\n")
    assert list(plans.plans()) == [PLAN, replace(PLAN, visits=3)], "earlier ones name no visits"
    text = plans.path().read_text()
    plans.path().write_text(text.replace(",4,3,", ",four,3,"))
    with pytest.raises(BenchbookError, match=r"plans.csv row 1 is not a plan: sessions"):
        list(plans.plans())
    plans.path().write_text(text.replace("sessions", "meetings"))
    with pytest.raises(BenchbookError, match="does not have the columns"):
        list(plans.plans())


def test_the_plans_of_the_project_are_of_parameters_and_runs_that_it_has() -> None:
    for plan in plans.plans():
        runs = project.published() / plan.experiment
        assert any(folder.name.startswith(plan.key) for folder in runs.iterdir()), plan
        assert not plans.without_visits(plan), plan
    if plans.path().is_file():
        with plans.path().open(encoding="utf-8", newline="") as file:
            assert tuple(next(csv.reader(file))) == plans.COLUMNS


@pytest.mark.parametrize(("text", "value"), [("3h", 10_800), ("90m", 5_400), ("1.5 h", 5_400), ("60s", 60)])
def test_a_budget_is_a_time(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "h", "3", "-1h", "nanh", "infh", "3 days"])
def test_no_other_text_is_one(text: str) -> None:
    with pytest.raises(BenchbookError, match="is not a time"):
        seconds(text)


def test_blocks_to_add_have_a_sign() -> None:
    assert blocks_to_add("+12") == 12
    for text in ("", "+", "-3", "+0", "+1001", "three", "+1.5"):
        with pytest.raises(BenchbookError, match="is not a number of blocks to add"):
            blocks_to_add(text)
    with pytest.raises(BenchbookError, match="is not a number") as caught:
        blocks_to_add("12")
    assert "-p blocks=12" in caught.value.mend


def test_blocks_are_added_to_one_measured_run_only(benchbook: Any) -> None:
    assert "cost measures nothing" in refused(benchbook("run", "cost", "--blocks", "+2"))[0]


def test_a_dry_run_says_what_it_takes_and_measures_nothing(home: Path, benchbook: Any) -> None:
    assert benchbook("run", "calibration", "--dry-run", code=0).stdout.startswith("calibration: ")
    assert not list((home / "runs").glob("*/*"))
    said = "cost: nothing is measured; its notebook is executed\n"
    assert benchbook("run", "cost", "--dry-run").stdout == said
    changed = benchbook("run", "cost", "--dry-run", "-p", "lakebase_usd_day=1e1").stdout
    assert changed == f"{said}  lakebase_usd_day=10.0 instead of 360.0\n"
    for profile in ("quick", "paper"):
        usual = benchbook("run", "calibration", "--dry-run", "--profile", profile)
        assert len(usual.stdout.splitlines()) == 1, "its own values are no departure"
    seeded = benchbook("run", "calibration", "--dry-run", "--profile", "quick", "-p", "seed=007").stdout
    assert seeded.splitlines()[1:] == ["  seed=7 instead of 20260117"]
    assert benchbook("run", "calibration", "--dry-run", "-p", "blocks=0").exit_code != 0, "bad input is refused"
