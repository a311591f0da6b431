"""A sweep of real runs, and a published one replicated: what is measured, in which order, and what is said of it."""

import ast
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchbook import store
from benchbook.engines import kv
from benchbook.errors import BenchbookError, MachineError, NoStoredRunError

try:
    kv.versions()
except MachineError as missing:
    pytestmark = [pytest.mark.engine, pytest.mark.skip(reason=f"{missing.problem}; {missing.mend}")]
else:
    pytestmark = [pytest.mark.engine]

TINY = (
    "--profile", "quick", "-p", "rows=4000", "-p", "rounds=2", "-p", "small_entries=10", "-p", "middle_entries=200",
    "-p", "large_entries=1000", "-p", "lookups=300", "-p", "warm_lookups=500", "-p", "once_lookups=300",
)  # fmt: skip
SWEEP = ("sweep", "lru", *TINY, "-g", "zipf_exponent=0.6,1.2", "--blocks", "3")


@pytest.fixture(scope="module")
def swept(module_home: Path, benchbook: Any) -> dict[str, Any]:
    table = module_home / "response.csv"
    result = benchbook(*SWEEP, "--json", "--quiet", "--table", str(table), code=0)
    return json.loads(result.stdout)


def test_every_point_has_its_blocks_in_runs_that_took_turns(swept: dict[str, Any]) -> None:
    assert [point["values"]["zipf_exponent"] for point in swept["points"]] == [0.6, 1.2]
    assert [point["blocks"] for point in swept["points"]] == [3, 3]
    runs = store.catalogue("lru")
    assert sorted(entry.record["blocks"] for entry in runs if entry.record) == [1, 1, 2, 2]
    by_time = [entry.record["parameters"]["zipf_exponent"] for entry in runs if entry.record]
    assert set(by_time[:2]) == set(by_time[2:]) == {0.6, 1.2}, "a pass goes over all points before the next begins"
    assert len({entry.record["seed"] for entry in runs if entry.record}) == 1


def test_the_numbers_follow_the_parameter(swept: dict[str, Any], module_home: Path) -> None:
    assert swept["numbers"]
    table = pd.read_csv(module_home / "response.csv")
    assert set(table["zipf_exponent"]) == {0.6, 1.2}
    assert table["confidence"].eq(1 - 0.05 / 2).all(), "the intervals of two points hold together"
    for name, estimates in swept["numbers"].items():
        rows = table[table["number"] == name]
        assert [each["point"] for each in estimates if each] == pytest.approx(rows["point"].tolist())
    assert swept["changes"], "a steeper popularity is served from a smaller cache"


def test_the_same_command_measures_nothing_again(swept: dict[str, Any], benchbook: Any) -> None:
    before = [entry.id for entry in store.catalogue("lru")]
    assert "nothing is measured" in benchbook(*SWEEP, code=0).stderr
    assert [entry.id for entry in store.catalogue("lru")] == before


def test_a_published_run_is_replicated_with_its_own_parameters(swept: dict[str, Any], benchbook: Any) -> None:
    first = next(entry for entry in store.catalogue("lru") if entry.record and entry.record["first_block"] == 0)
    store.publish(first.id)
    assert benchbook("replicate", "lru", "--blocks", "4").exit_code == 1, "nobody answered the question"
    found = json.loads(benchbook("replicate", "lru", "--blocks", "4", "--yes", "--json", "--quiet", code=0).stdout)
    here = store.find_entry(found["here"])
    assert here.record["parameters"] == first.record["parameters"] | {"blocks": 4}
    assert {claim["answer"] for claim in found["claims"]} == {"open in the book"}, "two tiny blocks decide nothing"
    assert all(claim["here"] is not None for claim in found["claims"])
    before = [entry.id for entry in store.catalogue("lru")]
    every = benchbook("replicate", "--all", "--blocks", "4", "--json", "--quiet", code=0)
    assert json.loads(every.stdout) == {"lru": found["claims"]}, "the only one that is published here"
    assert [entry.id for entry in store.catalogue("lru")] == before


def test_the_notebook_of_a_sweep_shows_what_is_stored(
    swept: dict[str, Any], benchbook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchbook.reuse.swept import sweep

    monkeypatch.setenv("BENCHBOOK_MEASURE", "never")
    given = dict(each.split("=") for each in TINY[3::2])
    fixed = {name: int(value) for name, value in given.items()}
    found = sweep("lru", "zipf_exponent=0.6,1.2", profile_name="quick", blocks=3, **fixed)
    assert {*found.responses} == {*swept["numbers"]}
    assert len(found.table) == sum(each is not None for own in swept["numbers"].values() for each in own)
    changed = next(iter(swept["changes"]))
    assert len(found.changes(changed)) == 1
    assert "from zipf_exponent=0.6 to 1.2" in found.changes(changed)[0]
    (line,) = found.drawing(changed).data
    assert list(line.x) == [0.6, 1.2]
    assert list(line.y) == pytest.approx([each["point"] for each in swept["numbers"][changed]])
    with pytest.raises(BenchbookError, match="did you mean"):
        found.drawing(f"{changed}x")
    with pytest.raises(NoStoredRunError, match=r"zipf_exponent=0\.9"):
        sweep("lru", "zipf_exponent=0.9,1.2", profile_name="quick", blocks=3, **fixed)


def test_its_notebook_has_the_parameters_that_it_names() -> None:
    notebook = Path(__file__).parents[2] / "notebooks/tools/sweep.ipynb"
    cells = json.loads(notebook.read_text())["cells"]
    (parameters,) = (cell for cell in cells if "parameters" in cell["metadata"].get("tags", []))
    names = [each.targets[0].id for each in ast.parse("".join(parameters["source"])).body]
    assert names == ["experiment", "grid", "profile", "blocks", "number"]
    assert not any(cell.get("outputs") for cell in cells)
