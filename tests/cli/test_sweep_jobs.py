"""A sweep as jobs of a workflow: what is emitted, a point alone, and what is stored put together."""

import ast
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SWEEP = ("sweep", "own_server", "--profile", "quick", "-g", "n_tables=3,6", "-p", "requests=200", "--blocks", "3")


@pytest.fixture
def emitted(home: Path, benchbook: Any) -> dict[str, Any]:
    benchbook(*SWEEP, "--emit", str(home / "sweep.yaml"), "--quiet", code=0)
    content: dict[str, Any] = yaml.safe_load((home / "sweep.yaml").read_text())
    return content


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
