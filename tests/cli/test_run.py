"""A tiny run from the command line to its notebook, then everything that can be done with it."""

import json
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sealing import list_published, reseal, rewrite

from benchbook import lab, project, store
from benchbook.book.assembly import publishing, run_notebook
from benchbook.book.assembly.execution import Job, execute
from benchbook.book.records import run_facts
from benchbook.runner import Progress
from benchbook.runner.lock import host_lock
from benchbook.store import schema

pytestmark = pytest.mark.engine

TRIALS = 28
LATER = "2027-01-01T00:00:00+00:00"


@pytest.fixture(scope="module")
def first(module_home: Path, tiny_run: tuple[Any, Path]) -> Any:
    """What the command said that measured the run which all tests here share."""
    said, runs = tiny_run
    shutil.copytree(runs, project.runs())
    return said


@pytest.fixture
def folder(first: Any) -> Path:
    """The shared run's folder."""
    return next((project.runs() / "hot_cold_keys").glob("*/run.json")).parent


@pytest.fixture
def copy(folder: Path) -> Iterator[Path]:
    """A copy of the run under an id of its own, to be damaged."""
    target = folder.with_name(f"{folder.name[:12]}-20270101T000000")
    shutil.copytree(folder, target)
    rewrite(target, id=target.name, started_at=LATER, finished_at=LATER)
    yield target
    shutil.rmtree(target)


def test_a_run_of_two_blocks_says_where_it_is_and_decides_and_offers_nothing(first: Any, folder: Path) -> None:
    assert first.exit_code == 0, first.stderr
    assert f"{TRIALS} trials measured" in first.stdout
    assert folder.name in first.stdout
    assert "verdicts  none: 2 blocks decide nothing" in first.stdout
    assert "to be published, measure the standard profile: benchbook run hot_cold_keys" in first.stdout
    assert "benchbook publish" not in first.stdout
    told = [line for line in first.stderr.splitlines() if " trials stored, about " not in line]  # of a slow machine
    assert told[:2] == [f"hot_cold_keys: measuring {TRIALS} trials", f"hot_cold_keys: all {TRIALS} trials are stored"]


def test_the_executed_notebook_lies_beside_the_run_without_a_path_of_this_machine(folder: Path) -> None:
    text = (folder / "hot_cold_keys.ipynb").read_text()
    notebook = json.loads(text)
    assert notebook["metadata"]["benchbook"]["run"] == folder.name
    assert notebook["metadata"]["papermill"]["parameters"]["rows_per_table"] == 1000
    assert any(cell.get("outputs") for cell in notebook["cells"])
    assert str(project.root()) not in text
    assert "/tmp/" not in json.dumps(notebook["metadata"])


def test_the_book_takes_the_notebook_and_would_make_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = json.loads((folder / schema.RUN).read_text())
    given = lab.experiment("hot_cold_keys").Parameters.given(record["parameters"]).model_dump(mode="json")
    saved = run_notebook.saved("hot_cold_keys", given)
    assert saved is not None
    root = project.root()
    environment = {"BENCHBOOK_HOME": str(root), "BENCHBOOK_SOURCE": "local", "BENCHBOOK_MEASURE": "never"}
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        job = Job("hot_cold_keys", run_notebook.source("hot_cold_keys"), given, environment)
        made = pool.submit(execute, job).result()
    assert made.failure is None
    assert publishing.clean(saved, root)[0] == publishing.clean(made.notebook, root)[0]
    assert run_notebook.saved("hot_cold_keys", given | {"seed": 4_321}) is None, "no such run is stored"
    monkeypatch.setattr(run_notebook.inputs, "of_verdicts", lambda root, code: {"package": "another"})
    assert run_notebook.saved("hot_cold_keys", given) is None, "the code has changed since"


def test_the_same_parameters_measure_nothing_and_execute_nothing(benchbook: Any, tiny: str, folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in project.runs().rglob("*")}
    result = benchbook("run", "hot_cold_keys", "-f", tiny, code=0)
    told = f"run {folder.name} was completed on this machine, so nothing was measured; --fresh measures again"
    assert told in result.stdout
    quiet = benchbook("run", "hot_cold_keys", "-f", tiny, "--quiet")
    assert Path(quiet.stdout.strip()) == folder
    assert quiet.stderr == result.stderr == ""
    assert {path: path.stat().st_mtime_ns for path in project.runs().rglob("*")} == before


def test_a_stored_run_that_would_be_measured_another_way_today_says_so(
    benchbook: Any, tiny: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "stale" not in benchbook("run", "hot_cold_keys", "-f", tiny, "--stored").stdout
    monkeypatch.setattr(run_facts, "ledger_sha256", lambda: "0" * 64)
    result = benchbook("run", "hot_cold_keys", "-f", tiny, "--stored")
    assert "is stored, so nothing was measured; the same without --stored measures again" in result.stdout
    assert "stale     The ledger of claims has changed since." in result.stdout


def test_what_is_recomputed_from_the_notes_is_executed_again_only_when_something_changed(
    module_home: Path, benchbook: Any
) -> None:
    path = project.root() / benchbook("run", "cost", "--quiet").stdout.strip()
    first = path.stat().st_mtime_ns
    assert "8 hold" in benchbook("run", "cost").stdout
    assert path.stat().st_mtime_ns == first
    with (project.root() / "data" / "notes" / "added.csv").open("w") as file:
        file.write("one,more\n")
    benchbook("run", "cost")
    assert path.stat().st_mtime_ns > first


def test_a_whole_run_passes(benchbook: Any, folder: Path) -> None:
    result = benchbook("verify", folder.name, code=0)
    assert f"whole ({TRIALS} trials, 10,800 samples, every metric recomputed)" in result.stdout


@pytest.mark.parametrize("name", [schema.TRIALS, schema.SAMPLES])
def test_a_truncated_table_is_named_and_the_run_refused(benchbook: Any, tiny: str, copy: Path, name: str) -> None:
    path = copy / name
    path.write_bytes(path.read_bytes()[:-7])
    checked = benchbook("verify", code=6)
    assert f"{copy.name} (hot_cold_keys, local): DAMAGED" in checked.stdout
    assert name in checked.stdout
    assert "whole" in checked.stdout, "the others are checked all the same"
    used = benchbook("run", "hot_cold_keys", "-f", tiny, code=6)
    assert str(path) in used.stderr
    assert "truncated" in used.stderr
    benchbook("publish", copy.name, code=6)
    assert path.exists()
    assert not (project.published() / "hot_cold_keys").exists()


def test_an_unreadable_record_is_listed_and_refused(benchbook: Any, tiny: str, folder: Path, tmp_path: Path) -> None:
    record = folder / schema.RUN
    whole = record.read_bytes()
    record.write_bytes(whole[:100])
    try:
        assert "damaged" in benchbook("runs").stdout
        used = benchbook("run", "hot_cold_keys", "-f", tiny, code=6)
        assert f"run {folder.name} is damaged" in used.stderr
        assert "fix: restore it" in used.stderr
        assert len(list((project.runs() / "hot_cold_keys").iterdir())) == 1
    finally:
        record.write_bytes(whole)


def test_a_metric_that_the_samples_do_not_give_is_named(benchbook: Any, copy: Path) -> None:
    trials = pd.read_parquet(copy / schema.TRIALS)
    trials.loc[3, "p50_ns"] *= 1 + 1e-6
    trials.loc[4, "mean_ns"] = None
    trials.to_parquet(copy / schema.TRIALS, index=False)
    reseal(copy)
    result = benchbook("verify", copy.name, code=6)
    assert f"trial {trials.loc[3, 'trial']} stores p50_ns=" in result.stdout
    assert f"trial {trials.loc[4, 'trial']} stores mean_ns=nan" in result.stdout


def test_a_trial_that_is_missing_or_there_twice_is_named(benchbook: Any, copy: Path) -> None:
    trials = pd.read_parquet(copy / schema.TRIALS)
    changed = pd.concat([trials[trials["trial"] != 5], trials[trials["trial"] == 6]])
    changed.to_parquet(copy / schema.TRIALS, index=False)
    reseal(copy)
    result = benchbook("verify", copy.name, code=6)
    assert f"it lacks the trials {trials.loc[5, 'configuration']} of block 0" in result.stdout
    assert f"it has, beyond its plan, the trials {trials.loc[6, 'configuration']} of block 0" in result.stdout


def test_changed_parameters_and_an_unknown_ledger_are_named(benchbook: Any, copy: Path) -> None:
    record = json.loads((copy / schema.RUN).read_text())
    provenance = record["provenance"] | {"ledger_sha256": "0" * 64}
    rewrite(copy, parameters=record["parameters"] | {"n_tables": 3}, provenance=provenance)
    result = benchbook("verify", copy.name, code=6)
    assert "its key is" in result.stdout
    assert "not the ledger that it was planned against" in result.stdout, "this is no clone: nobody knows the others"


def test_of_an_older_measurement_only_files_and_schema_are_checked(
    benchbook: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = replace(lab.experiment("hot_cold_keys"), version=99)
    monkeypatch.setattr(lab, "experiment", lambda name: later)
    assert "only files and schema: it was measured by version 3" in benchbook("verify", folder.name, code=0).stdout


def test_a_published_run_is_never_overwritten(benchbook: Any, copy: Path) -> None:
    result = benchbook("publish", copy.name)
    try:
        assert result.exit_code == 0, result.stderr
        target = project.published() / "hot_cold_keys" / copy.name
        assert sorted(path.name for path in target.iterdir()) == [schema.RUN, schema.SAMPLES, schema.TRIALS]
        (row,) = (line for line in benchbook("runs").stdout.splitlines() if line.startswith(copy.name))
        assert row.split()[:5] == [copy.name, "hot_cold_keys", "custom", "complete,", "published"]
        assert "published already" in benchbook("publish", copy.name, code=1).stderr
        assert "remark: It has the custom profile" in result.stderr
    finally:
        shutil.rmtree(project.published() / "hot_cold_keys")
        list_published(project.root())


def test_a_second_measurement_refuses_or_waits(benchbook: Any, program: Any, tiny: str, folder: Path) -> None:
    with host_lock(Progress()):
        command = ("run", "hot_cold_keys", "-f", tiny, "-p", "seed=2")
        assert "another Benchbook run is measuring" in benchbook(*command, "--no-wait", code=4).stderr
        waiting = program(*command)
        assert any("waiting for it to end" in line for line in waiting.stderr)
        waiting.send_signal(signal.SIGTERM)
        _, said = waiting.communicate(timeout=30)
    assert waiting.returncode == 143, said
    assert "no trial of hot_cold_keys is stored yet; the same command starts again" in said
    assert "Traceback" not in said


@pytest.mark.long
def test_a_run_that_is_interrupted_each_way_says_what_is_stored_and_the_same_command_completes_it(
    benchbook: Any, program: Any, tiny: str, folder: Path
) -> None:
    command = ("run", "hot_cold_keys", "-f", tiny, "--fresh")
    unfinished, before = interrupt(benchbook, program(*command), signal.SIGINT, more_than=2)
    again, stored = interrupt(benchbook, program(*command), signal.SIGTERM, more_than=before + 2)
    assert again == unfinished
    assert stored > before

    resumed = benchbook(*command, code=0)
    assert f"resuming run {unfinished.name}" in resumed.stderr
    assert "hot_cold_keys: about " in resumed.stderr
    assert benchbook("verify", unfinished.name).exit_code == 0
    shutil.rmtree(unfinished)


def interrupt(benchbook: Any, running: Any, number: signal.Signals, *, more_than: int) -> tuple[Path, int]:
    """End a run that has stored more than so many trials; its folder and the number that it said itself."""
    stop = threading.Timer(120, running.kill)
    stop.start()
    while running.poll() is None and len(parts := list(project.runs().glob("*/*/parts/*.json"))) <= more_than:
        time.sleep(0.05)
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    stop.cancel()
    assert running.returncode == 128 + number, said
    unfinished = parts[0].parents[1]
    stored = len(list(unfinished.glob("parts/*.json")))
    expected = f"stopped: {stored} of {TRIALS} trials of {unfinished.name} are stored; the same command resumes it"
    assert said.splitlines()[-1] == expected
    assert "Traceback" not in said
    assert not list(Path(os.environ["BENCHBOOK_SCRATCH"]).iterdir()), "no cluster is left behind"
    assert f"unfinished, {stored} of {TRIALS} trials" in benchbook("runs").stdout
    assert "UNFINISHED" in benchbook("verify", unfinished.name, code=6).stdout
    return unfinished, stored


@pytest.mark.long
def test_without_direct_io_the_run_says_so_and_certifies_nothing_as_cold(
    benchbook: Any, tiny: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Path(tempfile.mkdtemp(prefix="benchbook-", dir="/dev/shm"))
    memory.chmod(0o755)
    monkeypatch.setenv("BENCHBOOK_SCRATCH", str(memory))
    try:
        result = benchbook("run", "hot_cold_keys", "-f", tiny, "-p", "seed=3")
    finally:
        shutil.rmtree(memory)
    assert result.exit_code == 0, result.stderr
    said = [line for line in result.stderr.splitlines() if "no direct I/O" in line]
    assert len(said) == 1
    assert "no trial can be certified cold" in said[0]
    entry = next(e for e in store.catalogue() if e.record and e.record["parameters"]["seed"] == 3)
    run = store.read_run(entry.folder, published=False)
    assert run.provenance["direct_io"] is False
    states = run.trials.set_index("configuration")["cache_state"]
    assert set(states["true_cold"]) == {"lukewarm"}
    assert "cold" not in set(states)
    shutil.rmtree(entry.folder)
