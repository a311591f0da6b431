"""``compare``, ``export`` and ``sweep``, also as jobs of a workflow, and what the listings print for a program."""

import ast
import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sealing
import yaml
from packed_runs import FIRST, called

from benchbook import lab
from benchbook.reuse.sweep import Point, measure, order
from benchbook.store import schema

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "data" / "published"


def read(result: Any) -> Any:
    assert result.exit_code == 0, result.stdout + result.stderr
    return json.loads(result.stdout)


def slower(home: Path, factor: float) -> str:
    """A second run, whose times of one configuration are larger by a factor."""
    identity = FIRST[:-1] + ("1" if FIRST[-1] != "1" else "2")
    other = called(home / "data/published/lru" / FIRST, identity)
    trials = pd.read_parquet(other / schema.TRIALS)
    numbers = lab.experiment("lru").page.names.numbers.values()
    arm = next(each.estimand.arms[0] for each in numbers if each.estimand.metric == "query_mean_ns")
    times = [name for name in trials if str(name).endswith("_ns")]
    trials.loc[trials["configuration"] == arm, times] *= factor
    trials.to_parquet(other / schema.TRIALS)
    sealing.reseal(other)
    sealing.list_published(home)
    return identity


def test_list_show_and_runs_speak_json(home: Path, lru: str, benchbook: Any) -> None:
    listed = {each["experiment"]: each for each in read(benchbook("list", "--json"))}
    assert set(listed) == set(lab.names())
    assert (listed["lru"]["local_runs"], listed["lru"]["published_runs"]) == (0, 1)
    shown = read(benchbook("show", "lru", "--json"))
    assert set(shown["parameters"]) == set(lab.experiment("lru").Parameters.model_fields)
    assert shown["parameters"]["blocks"]["minimum"] == 2
    assert set(shown["parameters"]["blocks"]["profiles"]) == {"quick", "standard", "paper"}
    (run,) = read(benchbook("runs", "--json"))
    assert (run["run"], run["state"], run["published"], run["experiment"]) == (FIRST, "complete", True, "lru")
    assert (home / "data/published/lru" / FIRST) == Path(run["folder"])


def test_plan_speaks_json_and_plans_for_one_configuration(lru: str, benchbook: Any) -> None:
    given = ("plan", "lru", "--run", FIRST, "--metric", "query_mean_ns")
    found = read(benchbook(*given, "--json"))
    assert found["pilot"] == FIRST
    names = {each["of"] for each in found["numbers"]}
    assert len(names) > 1
    one = sorted(names)[0]
    alone = read(benchbook(*given, "--json", "--arm", one))
    assert {each["of"] for each in alone["numbers"]} == {one}
    assert f"did you mean '{one}'?" in benchbook(*given, "--arm", f"{one}x", code=1).stderr


@pytest.mark.parametrize("form", ["csv", "parquet", "json"])
def test_an_export_is_a_data_package_of_its_numbers(lru: str, benchbook: Any, tmp_path: Path, form: str) -> None:
    out = tmp_path / "out"
    benchbook("export", FIRST, "--format", form, "--out", str(out), code=0)
    described = json.loads((out / "datapackage.json").read_text())
    assert {each["name"] for each in described["resources"]} == {"trials", "estimates", "configurations"}
    readers = {"csv": pd.read_csv, "parquet": pd.read_parquet, "json": pd.read_json}
    stored = pd.read_parquet(PUBLISHED / "lru" / FIRST / schema.TRIALS)
    for resource in described["resources"]:
        table = readers[form](out / resource["path"])
        assert [*table] == [field["name"] for field in resource["schema"]["fields"]]
        assert all(field["description"] for field in resource["schema"]["fields"])
        if resource["name"] == "trials":
            assert len(table) == len(stored)
            metric = next(name for name in stored if str(name).endswith("_ns"))
            assert table[metric].tolist() == pytest.approx(stored[metric].tolist(), rel=1e-12)
            (field,) = (each for each in resource["schema"]["fields"] if each["name"] == metric)
            assert field["unit"] == "ns"
        if resource["name"] == "estimates":
            assert (table["low"] <= table["point"]).all()
            assert (table["point"] <= table["high"]).all()
            assert len(table) > 3
            (gain,) = table[table["number"] == "gain_zipf"].to_dict("records")
            top, bottom = (
                stored.loc[stored["configuration"] == arm, gain["metric"]] for arm in gain["configurations"].split(";")
            )
            assert gain["point"] == pytest.approx(np.exp(np.log(top).mean() - np.log(bottom).mean()), rel=1e-12)
    assert "exists already" in benchbook("export", FIRST, "--format", form, "--out", str(out), code=1).stderr


def test_samples_are_exported_when_asked_for(lru: str, benchbook: Any, tmp_path: Path) -> None:
    assert benchbook("export", FIRST, "--samples", "--format", "parquet", "--out", str(tmp_path / "o")).exit_code == 0
    stored = pd.read_parquet(PUBLISHED / "lru" / FIRST / schema.SAMPLES)
    assert len(pd.read_parquet(tmp_path / "o" / "samples.parquet")) == len(stored)


def test_a_run_that_is_slower_is_apart_and_the_same_one_is_not(home: Path, lru: str, benchbook: Any) -> None:
    other = slower(home, 3.0)
    found = read(benchbook("compare", other, FIRST, "--json", "--claims"))
    apart = [each for each in found["numbers"] if each["apart"]]
    still = [each for each in found["numbers"] if not each["apart"]]
    assert apart
    assert all(each["second_against_first"]["point"] in (0.0, 1.0) for each in still)
    factors = {round(each["second_against_first"]["point"], 6) for each in apart}
    assert factors & {3.0, round(1 / 3, 6)}
    assert "apart" in benchbook("compare", other, FIRST, "--fail-on", "apart", code=7).stderr


def test_a_run_is_not_compared_with_itself_nor_with_another_experiments(home: Path, lru: str, benchbook: Any) -> None:
    assert "not independent" in benchbook("compare", FIRST, "lru", code=1).stderr
    hot = sorted((PUBLISHED / "hot_cold_keys").iterdir())[-1]
    sealing.publish_copy(hot, home)
    assert "one of hot_cold_keys" in benchbook("compare", FIRST, hot.name, code=1).stderr
    assert benchbook("compare", FIRST, "cost").exit_code == 1
    assert benchbook("compare", FIRST, "turns").exit_code == 5


def test_times_of_two_machines_are_not_compared(home: Path, benchbook: Any) -> None:
    runs = sorted((PUBLISHED / "own_server").iterdir())[:2]
    for run in runs:
        sealing.publish_copy(run, home)
    found = read(benchbook("compare", *(run.name for run in runs), "--json"))
    names = {each["number"] for each in found["numbers"]}
    assert {"pipeline", "joined"} <= names
    assert names.isdisjoint({"serial_ms", "pipeline_ms", "trip_ms", "block_us"})
    said = benchbook("compare", *(run.name for run in runs)).stdout
    assert "times, which are not compared: block_us, serial_ms, pipeline_ms, trip_ms" in said


def test_a_sweep_checks_every_point_first_and_tells_what_it_takes(home: Path, benchbook: Any) -> None:
    given = ("sweep", "lru", "--profile", "quick", "--blocks", "3", "--dry-run")
    result = benchbook(*given, "-g", "zipf_exponent=0.6,0.8,0.99", code=0)
    assert "3 points of 3 blocks, 9 blocks left to measure" in result.stderr
    for grid, problem in (
        ("nothing=1,2", "unknown parameter 'nothing'"),
        ("zipf_exponent=0.6,-1", "zipf_exponent"),
        ("blocks=2,3", "cannot be a parameter of the grid"),
        ("rows=2000..90000+1", "points"),
        ("seed=1,2", "cannot be a parameter of the grid"),
    ):
        assert problem in benchbook(*given, "-g", grid, code=1).stderr
    assert not list((home / "runs").glob("*")) if (home / "runs").exists() else True
    assert benchbook(*given).exit_code == 1


def test_points_are_measured_in_passes_and_what_is_stored_is_not_measured_again() -> None:
    module = lab.experiment("lru")
    points = [Point({"place": place}, module.Parameters(blocks=2, seed=7)) for place in range(4)]
    passes = list(order(points, 4, seed=7))
    assert [upto for upto, _ in passes] == [2] * 4 + [3] * 4 + [4] * 4
    assert all({id(point) for _, point in passes[at : at + 4]} == {*map(id, points)} for at in (0, 4, 8))
    assert passes == list(order(points, 4, seed=7))

    stored = {0: 3, 1: 0, 2: 2, 3: 4}
    asked: list[tuple[int, int | None]] = []

    class Known(Point):
        def blocks(self, module: Any) -> int:
            return stored[self.values["place"]]

    def obtain(point: Point, more: int | None) -> None:
        place = point.values["place"]
        asked.append((place, more))
        stored[place] += more or 2

    known = [Known(point.values, point.parameters) for point in points]
    measure(module, known, 4, obtain)
    assert len(asked) == 1 + 3 + 2
    assert set(stored.values()) == {4}
    assert [more for place, more in asked if place == 1] == [None, 1, 1]


SWEEP = ("sweep", "own_server", "--profile", "quick", "-g", "n_tables=3,6", "-p", "requests=200", "--blocks", "3")


@pytest.fixture
def emitted(home: Path, benchbook: Any) -> dict[str, Any]:
    benchbook(*SWEEP, "--emit", str(home / "sweep.yaml"), "--quiet", code=0)
    return yaml.safe_load((home / "sweep.yaml").read_text())


def test_what_is_emitted_is_the_same_sweep_without_its_files(emitted: dict[str, Any], benchbook: Any) -> None:
    assert emitted["points"] == 2
    assert emitted["labels"] == ["n_tables=3", "n_tables=6"]
    assert emitted["minutes"] >= 15
    assert emitted["memory_mb"] > 0
    again = benchbook("sweep", *emitted["arguments"], "--dry-run", code=0)
    assert "2 points of 3 blocks, 6 blocks left" in again.stderr


def test_lists_and_words_survive_the_command_line(home: Path, benchbook: Any) -> None:
    grid = home / "grid.yaml"
    grid.write_text("hot_shares_percent: [[90], [90, 50]]\nclient_mode: [serial, pipeline]\n")
    call = ("sweep", "hot_cold_keys", "--profile", "quick", "--grid-file", str(grid), "--quiet")
    assert benchbook(*call, "--emit", str(home / "a.yaml")).exit_code == 0
    content = yaml.safe_load((home / "a.yaml").read_text())
    assert benchbook("sweep", *content["arguments"], "--quiet", "--emit", str(home / "b.yaml")).exit_code == 0
    assert yaml.safe_load((home / "b.yaml").read_text()) == content


def test_nothing_is_measured_where_only_stored_runs_are_asked_for(home: Path, benchbook: Any) -> None:
    assert "n_tables=3" in benchbook(*SWEEP, "--stored", "--quiet", code=5).stderr


def test_one_point_is_a_job(home: Path, benchbook: Any) -> None:
    assert "1 points of 3 blocks, 3 blocks left" in benchbook(*SWEEP, "--point", "2", "--dry-run", code=0).stderr


def test_profiles_are_yaml_and_exclusive() -> None:
    slurm = yaml.safe_load((ROOT / "workflow" / "profiles" / "slurm" / "config.yaml").read_text())
    assert slurm["executor"] == "slurm"
    assert "--exclusive" in ast.literal_eval(slurm["default-resources"]["slurm_extra"])
    one = yaml.safe_load((ROOT / "workflow" / "profiles" / "one-machine" / "config.yaml").read_text())
    assert one["resources"] == ["machine=1"]


def test_on_kubernetes_every_pod_measures_one_point_of_a_sweep_that_is_accepted(home: Path, benchbook: Any) -> None:
    job = yaml.safe_load((ROOT / "workflow" / "kubernetes.yaml").read_text())
    spec = job["spec"]
    pod = spec["template"]["spec"]
    [command] = pod["containers"][0]["args"]
    words = shlex.split(command.removeprefix("exec benchbook").partition("--point")[0])
    assert spec["completionMode"] == "Indexed"
    assert job["metadata"]["name"] in str(pod["affinity"])
    for point, code in ((spec["completions"], 0), (spec["completions"] + 1, 2)):
        assert benchbook(*words, "--point", str(point), "--dry-run").exit_code == code
    assert "JOB_COMPLETION_INDEX + 1" in command


def test_snakemake_plans_a_job_for_each_point_and_one_that_gathers(emitted: dict[str, Any], home: Path) -> None:
    snakemake = ROOT / ".tools" / "snakemake" / "bin" / "snakemake"
    if not snakemake.is_file():
        pytest.skip("make snakemake installs it")
    planned = subprocess.run(
        [snakemake, "--snakefile", ROOT / "workflow" / "Snakefile", "--configfile", home / "sweep.yaml",
         "--directory", home, "--profile", ROOT / "workflow" / "profiles" / "one-machine", "--dry-run"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert planned.returncode == 0, planned.stderr
    counts = {
        line.split()[0]: line.split()[-1]
        for line in planned.stdout.splitlines()
        if line.startswith(("point", "response"))
    }
    assert counts == {"point": "2", "response": "1"}
