"""The worked example of a trial is whole: its ledger, its published run and the verdicts that follow from it."""

import json
import shutil
from pathlib import Path

import pytest
from papermill.inspection import inspect_notebook
from test_trial import inside

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "pgbench_scale"


def test_every_claim_can_be_judged_and_is() -> None:
    inside(EXAMPLE, "trial", "check", code=0)
    judged = inside(EXAMPLE, "verdicts", "--json", code=0)
    found = json.loads(judged.stdout)
    rows = found if isinstance(found, list) else found["claims"]
    assert len(rows) == 3
    assert "not yet run" not in judged.stdout


def test_its_published_run_is_as_it_was_measured() -> None:
    assert "published): whole" in inside(EXAMPLE, "verify").stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The example, to be changed."""
    kept = shutil.ignore_patterns("_build", "runs")
    return Path(shutil.copytree(EXAMPLE, tmp_path / "example", ignore=kept))


def test_a_run_under_other_conditions_than_a_claim_names_leaves_it_open(copy: Path) -> None:
    conditions = copy / "data" / "conditions.csv"
    conditions.write_text(conditions.read_text().replace("T001,clients,16,16", "T001,clients,50,100"))
    found = {each["claim_id"]: each for each in json.loads(inside(copy, "verdicts", "--json").stdout)}
    assert found["T001"]["outcome"] == "open: condition"
    assert "departs from the claim: clients is 16 where the claim names 50 to 100" in found["T001"]["reason"]
    assert "would decide" not in found["T001"]["reason"]
    assert found["T002"]["outcome"] == "holds"
    checked = inside(copy, "trial", "check", "--ledger")
    assert "T001 stays open in the standard profile: clients is 16" in checked.stderr


def test_a_notebook_that_dies_after_measuring_is_found_by_the_check(copy: Path) -> None:
    path = copy / "notebooks" / "pgbench_scale.ipynb"
    path.write_text(path.read_text().replace("waits", "wait"))
    checked = inside(copy, "trial", "check", code=1)
    assert "notebooks/pgbench_scale.ipynb stopped at cell" in checked.stderr
    assert "KeyError: 'wait'" in checked.stderr


def test_papermills_help_has_its_parameters_too() -> None:
    shown = inspect_notebook(EXAMPLE / "notebooks" / "pgbench_scale.ipynb")
    assert shown["clients"]["inferred_type_name"] == "int"
    assert shown["clients"]["help"] == "pgbench clients where they are many"


@pytest.mark.long
def test_its_book_is_built() -> None:
    inside(EXAMPLE, "build", "--quiet", code=0)
