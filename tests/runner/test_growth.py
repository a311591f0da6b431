"""Blocks added to a stored run: the plan goes on where it stopped, machines are told apart, misfits are refused."""

import importlib
import json
import platform
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from test_running import Told

from benchbook import project, runner, store
from benchbook.errors import BenchbookError, MachineError
from benchbook.provenance.identity import machine_id
from benchbook.runner import queue, running


def measured(experiment: Any, more: int | None = None, **values: Any) -> Any:
    return runner.run(experiment, experiment.Parameters(blocks=3, **values), profile="custom", more=more)


def test_added_blocks_go_on_in_the_plan_and_are_pooled(experiment: Any) -> None:
    first = measured(experiment)
    grown = measured(experiment, more=2)
    again = measured(experiment, more=1)
    assert [(each.first_block, each.blocks) for each in (first, grown, again)] == [(0, 3), (3, 2), (5, 1)]
    whole = experiment.plan(experiment.Parameters(blocks=6)).trials
    pool = store.pooled([first, grown, again])
    columns = pool.trials[["block", "configuration", "seed"]].itertuples(index=False, name=None)
    assert list(columns) == [(each.block, each.configuration.name, each.seed) for each in whole]
    assert [part.first_block for part in pool.parts] == [0, 3, 5]
    assert store.parts(pool)[1].first_block == 3


def test_how_long_it_takes_is_said_once_and_of_the_added_blocks(
    experiment: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "stored_measuring_s", lambda folder: 30.0)
    measured(experiment)
    experiment.minutes = 99.0
    told = Told()
    runner.run(experiment, experiment.Parameters(blocks=3), profile="custom", more=2, progress=told)
    assert [text for text in told.said if "about" in text] == [
        "made_up: about 20 s of measuring after loading, as in an earlier run, and up to 0.0 GB of disk"
    ]


def test_what_was_measured_stays_the_answer_while_blocks_are_added(experiment: Any) -> None:
    first = measured(experiment)
    experiment.stopped(4, measured, more=2)
    assert measured(experiment).id == first.id, "an interrupted growth begins nothing anew"
    with pytest.raises(BenchbookError, match="adds 2 blocks, was interrupted"):
        measured(experiment, more=4)
    experiment.measured.clear()
    grown = measured(experiment, more=2)
    assert (grown.first_block, grown.blocks, sorted(experiment.measured)) == (3, 2, [4, 5])


def test_blocks_are_added_to_nothing_else(experiment: Any) -> None:
    with pytest.raises(BenchbookError, match="to add blocks to: none is stored"):
        measured(experiment, more=2)
    first = measured(experiment)
    with pytest.raises(BenchbookError, match=f"{first.id} has operations=50 instead of 60"):
        measured(experiment, more=2, operations=60)
    experiment.says["engine_version"] = "2.0"
    with pytest.raises(BenchbookError, match=r"measured with made up 1\.0 .* and here is made up 2\.0"):
        measured(experiment, more=2)
    experiment.says["engine_version"] = "1.0"
    experiment.version = 2
    with pytest.raises(BenchbookError, match="version 1 of the measurement instead of 2"):
        measured(experiment, more=2)
    experiment.version = 1
    with pytest.raises(BenchbookError, match="3 blocks are stored and 998 more are too many"):
        measured(experiment, more=998)


def test_blocks_that_would_lack_what_the_stored_ones_have_are_refused(experiment: Any) -> None:
    experiment.says["left_out"] = {"a third store": "no program has it"}
    measured(experiment)
    measured(experiment, more=1)
    del experiment.says["left_out"]
    measured(experiment, more=1)
    experiment.says["left_out"] = {"a third store": "no program has it"}
    experiment.measured.clear()
    with pytest.raises(MachineError, match="have a third store, which is left out here: no program has it"):
        measured(experiment, more=1)
    assert not experiment.measured


def test_a_run_on_another_processor_adds_blocks_and_is_told_apart(
    experiment: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = measured(experiment)
    monkeypatch.setitem(experiment.says, "processor", "another one")
    grown = measured(experiment, more=1)
    pool = store.pooled([first, grown])
    assert [each.provenance["processor"] == "another one" for each in pool.parts] == [False, True]


@pytest.fixture
def at_once(experiment: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Measures twice at once, as two machines that share the folder of the runs would: neither waits for the other.

    Both know what is stored before either begins a run, and both have begun one before either measures.
    """

    def both(*told: Told, **options: Any) -> list[Any]:
        session, measure, together = experiment.session, running._measure, threading.Barrier(2)

        @contextmanager
        def opened(parameters: Any, progress: Any) -> Iterator[Any]:
            with session(parameters, progress) as made:
                together.wait(60)
                yield made

        def measured_after_both_began(*arguments: Any) -> None:
            together.wait(60)
            measure(*arguments)

        def one(teller: Told) -> Any:
            return runner.run(experiment, experiment.Parameters(blocks=3), profile="custom", progress=teller, **options)

        with monkeypatch.context() as patch, ThreadPoolExecutor(2) as pool:
            patch.setattr(running, "host_lock", lambda *_, **__: queue.place())
            patch.setattr(running, "_APART_S", 0.2)
            patch.setattr(running, "_measure", measured_after_both_began)
            patch.setattr(experiment, "session", opened)
            return list(pool.map(one, told))

    return both


@pytest.mark.parametrize("attempt", range(3))
def test_two_growths_at_once_measure_different_blocks(experiment: Any, at_once: Any, attempt: int) -> None:
    first = measured(experiment)
    grown = at_once(Told(), Told(), more=2)
    places = [place for run in grown for place in range(run.first_block, run.first_block + run.blocks)]
    assert len(set(places)) == 4, places
    assert min(places) >= 3
    pool = store.pooled([first, *grown])
    assert not pool.trials.duplicated(["seed", "configuration"]).any()
    assert len(store.catalogue()) == 3, "what was withdrawn is gone"


def test_two_that_go_on_with_one_run_at_once_do_not_mix_in_it(experiment: Any, at_once: Any) -> None:
    experiment.stopped(4, measured)
    [begun] = store.catalogue()
    told = Told(), Told()
    runs = at_once(*told)
    assert {run.trials["trial"].tolist() == list(range(9)) for run in runs} == {True}
    assert len({run.id for run in runs}) == 2
    [resumed] = [run for run in runs if run.id == begun.id]
    assert resumed.trials["session"].tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    said = [text for teller in told for text in teller.said]
    assert [text for text in said if text == f"resuming run {begun.id}"]
    left_alone = f"run {begun.id} is being measured elsewhere, since 20"
    assert [text for text in said if left_alone in text or text.endswith(": starting a new one")]


def test_blocks_that_are_being_measured_elsewhere_are_left_to_it(experiment: Any) -> None:
    measured(experiment)
    experiment.stopped(4, measured, more=2)
    [begun] = [each for each in store.catalogue() if each.record and each.record["state"] == "measuring"]
    with store.RunWriter.resume(begun.folder):
        assert measured(experiment, more=3).first_block == 5
    experiment.measured.clear()
    assert measured(experiment, more=2).first_block == 3, "once it was given back it is gone on with"
    assert sorted(experiment.measured) == [4, 5]


# on which machine


OTHER = "f" * 16


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
