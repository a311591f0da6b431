"""What is measured is what is read; an unfinished run holds exactly the trials that are durable."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sealing import PROVENANCE
from test_atomic import PowerCut, full

from benchbook.errors import MachineError, StoredRunError
from benchbook.store import RunWriter, catalogue, find_unfinished, read_run


def cut_at(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, call: int) -> None:
    """Let the ``call``-th call of a function, from 0, be a power cut."""
    real = getattr(owner, name)
    calls = iter(range(10**6))

    def counted(*arguments: Any, **options: Any) -> Any:
        if next(calls) == call:
            raise PowerCut
        return real(*arguments, **options)

    monkeypatch.setattr(owner, name, counted)


def test_a_run_comes_back_as_it_was_measured(make_run: Any, make_trial: Any) -> None:
    run = read_run(make_run(), published=False)
    assert (run.experiment, run.seed, run.blocks, run.profile) == ("made_up", 7, 2, "custom")
    assert run.parameters == {"size": 3, "shares": [1, 2]}
    assert run.trials["trial"].tolist() == [0, 1, 2, 3]
    assert run.trials["session"].tolist() == [0, 0, 0, 0]
    assert run.trials["p999_ns"].isna().all(), "a missing value is missing"
    assert run.trials["p999_ns"].dtype == "float64"
    assert run.canary["read_p50_ns"].isna().all()
    for index in range(4):
        trial = make_trial(index)
        row = run.trials.loc[index]
        assert (row["block"], row["configuration"]) == (index // 2, f"c{index % 2}")
        assert (row["p50_ns"], row["cache_state"]) == (trial.metrics["p50_ns"], "hot")
        for series, latencies in trial.samples.items():
            stored = run.samples.loc[(run.samples["trial"] == index) & (run.samples["series"] == series), "latency_ns"]
            assert np.array_equal(stored.to_numpy(), latencies), "in the order in which they happened"


def test_a_latency_beyond_32_bits_survives(new_writer: Any, make_trial: Any) -> None:
    writer = new_writer()
    trial = make_trial(0)
    trial.samples["request"][5] = 3_000_000_000
    writer.append(trial, 0)
    run = read_run(writer.finish(PROVENANCE), published=False)
    assert run.samples["latency_ns"].max() == 3_000_000_000


@pytest.mark.parametrize("call", range(4))
def test_a_cut_while_a_trial_is_stored_loses_that_trial_alone(
    new_writer: Any, make_trial: Any, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    writer = new_writer()
    writer.append(make_trial(0), 0)
    with monkeypatch.context() as patch:
        cut_at(patch, os, "fsync", call)
        with pytest.raises(PowerCut):
            writer.append(make_trial(1), 0)
    writer.lock.close()
    durable = {0, 1} if call == 3 else {0}  # the last sync, of the folder, comes when the record is in place
    again = RunWriter.resume(writer.folder)
    assert again.done == durable
    for index in {0, 1, 2, 3} - durable:
        again.append(make_trial(index), again.begin_session({}))
    run = read_run(again.finish(PROVENANCE), published=False)
    assert run.trials["trial"].tolist() == [0, 1, 2, 3]
    assert run.samples.groupby("trial").size().tolist() == [320] * 4


@pytest.mark.parametrize("call", range(7))
def test_a_cut_while_a_run_is_finished_is_mended_by_finishing_again(
    new_writer: Any, make_trial: Any, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    writer = new_writer()
    for index in range(4):
        writer.append(make_trial(index), 0)
    with monkeypatch.context() as patch:
        if call < 6:
            cut_at(patch, os, "fsync", call)
        else:
            cut_at(patch, shutil, "rmtree", 0)
        with pytest.raises(PowerCut):
            writer.finish(PROVENANCE)
    writer.lock.close()
    if find_unfinished("made_up", "0123456789ab") is not None:
        RunWriter.resume(writer.folder).finish(PROVENANCE)
    run = read_run(writer.folder, published=False)
    assert run.trials["trial"].tolist() == [0, 1, 2, 3]


def test_an_unfinished_run_is_never_read(new_writer: Any, make_trial: Any) -> None:
    writer = new_writer()
    writer.append(make_trial(0), 0)
    with pytest.raises(StoredRunError, match="not finished"):
        read_run(writer.folder, published=False)


def test_a_complete_run_is_not_resumed(make_run: Any) -> None:
    with pytest.raises(StoredRunError, match="complete"):
        RunWriter.resume(make_run())


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("00001.parquet", flip),
        ("00001.parquet", Path.unlink),
        ("00001.json", lambda path: path.write_text(path.read_text()[:40])),
        ("00001.json", lambda path: path.write_text("{}")),
    ],
    ids=["a bit flipped", "no samples", "half a record", "an empty record"],
)
def test_a_damaged_trial_of_an_unfinished_run_is_named_before_anything_is_measured(
    new_writer: Any, make_trial: Any, name: str, damage: Callable[[Path], object]
) -> None:
    writer = new_writer()
    for index in range(3):
        writer.append(make_trial(index), 0)
    writer.close()
    damage(writer.folder / "parts" / name)
    with pytest.raises(StoredRunError, match="00001") as caught:
        RunWriter.resume(writer.folder)
    assert "measured again" in caught.value.mend
    (writer.folder / "parts" / "00001.json").unlink()  # what the mend says
    assert RunWriter.resume(writer.folder).done == {0, 2}


def test_two_runs_begun_in_the_same_second_are_two_runs(new_writer: Any) -> None:
    folders = {new_writer().folder for _ in range(3)}
    assert len(folders) == 3
    assert len(catalogue("made_up")) == 3


def test_a_run_cut_off_while_its_folder_is_made_is_no_run(new_writer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        cut_at(patch, os, "fsync", 0)
        with pytest.raises(PowerCut):
            new_writer()
    assert catalogue() == []


def test_no_room_for_a_new_run_is_one_error(new_writer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(MachineError, match="No space left"):
        new_writer()
