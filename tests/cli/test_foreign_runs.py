"""What is foreign is foreign everywhere: one id, one content, checked when it is added, marked wherever it is shown."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sealing
from packed_runs import FIRST, PUBLISHED, SECOND, called, change, origin, pack, parameters, rows

from benchbook.store import schema


def test_one_that_comes_in_later_under_the_same_id_is_taken_for_no_other(given: Path, benchbook: Any) -> None:
    planted = shutil.copytree(PUBLISHED / SECOND, given / "foreign" / "lru" / SECOND)
    assert benchbook("compare", "lru", SECOND, "--json").exit_code == 1, "a run shares its blocks with itself"
    origin(planted, cores=7)
    for command in (("compare", "lru", SECOND), ("export", SECOND, "--out", str(given / "out")), ("verify", SECOND)):
        assert f"there are two runs {SECOND}" in benchbook(*command, code=1).stderr


def test_a_foreign_run_is_marked_in_text_json_tables_and_figures(given: Path, benchbook: Any, theirs: Path) -> None:
    origin(theirs, processor="X 9000", machine_id="a" * 16)
    assert "(lru, foreign)" in benchbook("add", str(pack(theirs)), code=0).stdout
    [row] = [line for line in benchbook("runs").stdout.splitlines() if line.startswith(FIRST)]
    assert "complete, foreign" in row
    listed = {each["run"]: each["origin"] for each in json.loads(benchbook("runs", "--json").stdout)}
    assert listed == {FIRST: "foreign", SECOND: "published"}
    assert f"{FIRST} (lru, foreign): whole" in benchbook("verify").stdout
    text = benchbook("compare", "lru", FIRST).stdout
    assert f"second  {FIRST}: foreign, " in text
    assert "second (foreign)" in text
    runs = json.loads(benchbook("compare", FIRST, "lru", "--json").stdout)["runs"]
    assert [each["origin"] for each in runs] == ["foreign", "published"]
    drawn = given / "forest.html"
    combined = benchbook("combine", "lru", "--number", "gain_zipf", "--forest", str(drawn), "--json", code=0)
    marked = {name: each["foreign"] for name, each in json.loads(combined.stdout)["machines"].items()}
    [name] = [name for name, own in marked.items() if own]
    assert name.startswith("X 9000")
    assert name.endswith(", machine aaaaaa (foreign)")
    assert name in drawn.read_text()
    assert benchbook("export", FIRST, "--out", str(given / "out")).exit_code == 0
    described = json.loads((given / "out" / "datapackage.json").read_text())
    assert described["run"]["origin"] == "foreign"
    assert "foreign run" in described["title"]
    for table in ("trials.csv", "estimates.csv"):
        assert set(pd.read_csv(given / "out" / table)["origin"]) == {"foreign"}


@pytest.mark.usefixtures("lru")
def test_what_came_in_before_is_listed_by_combine_and_stops_nothing(
    given: Path, lru: str, benchbook: Any, theirs: Path
) -> None:
    for identity, spoil in (
        ("a", lambda folder: parameters(folder, warp=9)),
        ("b", lambda folder: (folder / schema.SAMPLES).write_bytes(b"no")),
        ("c", lambda folder: sealing.rewrite(folder, measurement_version=99)),
        ("d", lambda folder: parameters(folder, zipf_exponent=0.5)),
    ):
        made = called(theirs, identity)
        spoil(made)
        shutil.copytree(made, given / "foreign" / "lru" / identity)
    result = benchbook("combine", "lru")
    assert result.exit_code == 1, "one machine alone"
    for words in (
        "left out a: warp=9",
        "left out b: foreign",
        "left out c: foreign: of version 99",
        "left out d: zipf",
    ):
        assert words in result.stderr


@pytest.mark.usefixtures("lru")
def test_equal_tables_under_several_machines_count_once(given: Path, benchbook: Any, theirs: Path) -> None:
    for letter in "bcd":
        made = called(theirs, letter)
        origin(made, machine_id=letter * 16)
        shutil.copytree(made, given / "foreign" / "lru" / letter)
        if letter == "c":  # written anew, so that its file differs and its numbers do not
            change(given / "foreign" / "lru" / letter, schema.TRIALS, lambda table: table.iloc[:, ::-1])
    result = benchbook("combine", "lru", code=1)
    assert "no number on two machines" in result.stderr
    for letter in "bcd":
        assert f"left out {letter}: its trials are those of run {FIRST}" in result.stderr


def test_only_equal_parameters_are_combined_and_p_asks_for_others(given: Path, benchbook: Any, theirs: Path) -> None:
    for letter, longer in (("b", 1.0), ("c", 2.0)):
        made = called(theirs, letter)
        parameters(made, zipf_exponent=0.8)
        origin(made, machine_id=letter * 16)
        change(made, schema.TRIALS, lambda table, by=longer: table.assign(duration_s=table["duration_s"] + by))
        shutil.copytree(made, given / "foreign" / "lru" / letter)
    assert "left out b: zipf_exponent=0.8 instead of 0.99" in benchbook("combine", "lru", "--json", code=1).stderr
    found = json.loads(benchbook("combine", "lru", "--json", "-p", "zipf_exponent=0.8", code=0).stdout)
    assert len(found["machines"]) == 2
    assert list(found["left_out"]) == [SECOND]
    assert benchbook("combine", "lru", "-p", "warp=1").exit_code == 1


@pytest.mark.parametrize("command", ["combine", "compare"])
def test_a_signal_ends_it_at_once(given: Path, theirs: Path, command: str) -> None:
    rows(9_000_000)(theirs)
    shutil.copytree(theirs, given / "foreign" / "lru" / FIRST)
    arguments = {"combine": ["lru"], "compare": ["lru", FIRST]}[command]
    process = subprocess.Popen(
        [sys.executable, "-m", "benchbook", command, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ},
    )  # fmt: skip
    maps = Path("/proc", str(process.pid), "maps")
    while process.poll() is None and "parquet" not in maps.read_text():
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    _, said = process.communicate(timeout=60)
    assert process.returncode == 143, said
    assert said.splitlines()[-1] == "stopped"
    assert "Traceback" not in said
    assert time.monotonic() - began < 15
