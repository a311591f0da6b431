"""A run says on which machine it was measured, in its provenance and in each session; another machine's is another."""

from __future__ import annotations

import importlib
import json
import platform
from typing import Any

import pytest

from benchbook import project, runner, store
from benchbook.provenance.identity import machine_id

OTHER = "f" * 16


def measured(experiment: Any, more: int | None = None) -> Any:
    return runner.run(experiment, experiment.Parameters(blocks=3), profile="custom", more=more)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Any:
    """From when it is called, this is another machine of the same kind."""
    module = importlib.import_module("benchbook.provenance.host")
    return lambda: monkeypatch.setattr(module, "machine_id", lambda: OTHER)


def test_it_stands_in_the_record_and_nothing_else_names_the_machine(experiment: Any) -> None:
    run = measured(experiment)
    text = (project.runs() / "made_up" / run.id / "run.json").read_text()
    record = json.loads(text)
    assert record["provenance"]["machine_id"] == machine_id()
    assert [each["machine_id"] for each in record["sessions"]] == [machine_id()]
    assert run.machines == (machine_id(),) * 3
    assert f'"{platform.node()}"' not in text


def test_what_another_machine_completed_is_not_made_here(experiment: Any, elsewhere: Any) -> None:
    first = measured(experiment)
    assert measured(experiment).id == first.id
    elsewhere()
    assert measured(experiment).id != first.id


def test_blocks_that_another_machine_adds_within_the_hour_are_another_session(experiment: Any, elsewhere: Any) -> None:
    runs = [measured(experiment), measured(experiment, more=2)]
    assert store.sessions_of(store.pooled(runs)).tolist() == [0] * 5
    elsewhere()
    runs.append(measured(experiment, more=2))
    assert store.sessions_of(store.pooled(runs)).tolist() == [0] * 5 + [1] * 2


def test_a_machine_without_an_id_measures_too(experiment: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("benchbook.provenance.host")
    monkeypatch.setattr(module, "machine_id", lambda: None)
    run = measured(experiment)
    assert run.provenance["machine_id"] is None
    assert run.machines == ()
    assert measured(experiment).id == run.id
