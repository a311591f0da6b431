"""A record that no run can have, or in which anything is larger than in any run, is refused, whoever sealed it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sealing

from benchbook import store
from benchbook.errors import StoredRunError
from benchbook.store import read_run, schema
from benchbook.store.record import MOST_BLOCKS, MOST_LOOKS, MOST_SESSIONS, problem
from benchbook.verification import verify

Change = Callable[[dict[str, Any]], object]
FAR = 10**30
LOOK = {"block": 0, "moment": "before", "trial": 0, "hash_p50_ns": 5.0}


def given(**values: Any) -> Change:
    return lambda record: record.update(values)


def within(name: str, **values: Any) -> Change:
    return lambda record: record[name].update(values)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


IMPOSSIBLE: dict[str, tuple[Change, str]] = {
    "no engine": (within("provenance", engine=""), "provenance.engine: "),
    "no cores": (within("provenance", cores=0), "provenance.cores: "),
    "no digest of the ledger": (within("provenance", ledger_sha256="x"), "provenance.ledger_sha256: "),
    "a branch for a commit": (within("provenance", commit="main"), "provenance.commit: "),
    "no blocks": (given(blocks=0), "blocks: "),
    "blocks that are true": (given(blocks=True), "blocks: "),
    "a seed below 0": (given(seed=-1), "seed: "),
    "a duration below 0": (given(duration_s=-0.1), "duration_s: "),
    "an end before the beginning": (given(finished_at="2001-01-01T00:00:00+00:00"), "finished before it started"),
    "an end in no time zone": (given(finished_at="2999-01-01T00:00:00"), "no time zone"),
    "a beginning in words": (given(started_at="yesterday"), "started_at: "),
    "a beginning that is a number": (given(started_at=20260117), "started_at: "),
    "no session": (given(sessions=[]), "sessions: "),
    "sessions by name": (given(sessions={}), "sessions: "),
    "a look that is a number": (given(canary=5), "canary: "),
    "a look in no block": (given(canary=[LOOK | {"block": 2}]), "block that the run does not have"),
    "a look before all blocks": (given(canary=[LOOK | {"block": -1}]), "canary.0.block: "),
    "a reading below 0": (given(canary=[LOOK | {"hash_p50_ns": -1.0}]), "canary.0.hash_p50_ns: "),
    "no files": (given(files={}), "files.trials.parquet: "),
    "files by a word": (given(files={schema.TRIALS: "x", schema.SAMPLES: "y"}), "files.trials.parquet: "),
    "files without digests": (lambda record: record["files"][schema.TRIALS].pop("sha256"), "sha256: "),
    "a name that is none": (given(experiment="Made up"), "experiment: "),
    "another field": (given(remark="mine"), "remark: "),
    "no parameters": (given(parameters=None), "parameters: "),
    "half a state": (given(state="half"), "state: "),
    "a key that is a number": (given(key=17), "key: "),
    "a profile that a spreadsheet computes": (given(profile="=1+1"), "profile: "),
}
TOO_MUCH: dict[str, tuple[Change, str]] = {
    "more blocks than a number of 64 bits": (given(blocks=FAR), "blocks: "),
    "a block more than a plan may have": (given(blocks=MOST_BLOCKS + 1), "blocks: "),
    "a first block far away": (given(first_block=10**7), "first_block: "),
    "blocks beyond the end of a plan": (given(first_block=MOST_BLOCKS - 1), "end beyond"),
    "no duration": (given(duration_s=0), "duration_s: "),
    "a duration without end": (given(duration_s=FAR**20), "duration_s: "),
    "a large seed": (given(seed=2**63), "seed: "),
    "a large version": (given(measurement_version=FAR), "measurement_version: "),
    "a long profile": (given(profile="x" * 10**6), "profile: "),
    "a long key": (given(key="x" * 10**6), "key: "),
    "a year of dinosaurs": (given(started_at="0001-01-01T00:00:00+00:00"), "started_at: "),
    "a year of science fiction": (given(finished_at="9999-12-31T23:59:59-23:59"), "finished_at: "),
    "many sessions": (given(sessions=[{}] * (MOST_SESSIONS + 1)), "sessions: "),
    "a session of many names": (given(sessions=[{str(each): 1 for each in range(2_000)}]), "sessions.0: "),
    "many looks": (given(canary=[LOOK] * (MOST_LOOKS + 1)), "canary: "),
    "a reading of a year": (given(canary=[LOOK | {"hash_p50_ns": 3e16}]), "canary.0.hash_p50_ns: "),
    "a reading of 10^400": (given(canary=[LOOK | {"hash_p50_ns": 10**400}]), "canary.0.hash_p50_ns: "),
    "a look at a trial far away": (given(canary=[LOOK | {"trial": FAR}]), "canary.0.trial: "),
    "a table of an exabyte": (lambda record: record["files"][schema.TRIALS].update(bytes=10**18), "bytes: "),
    "a large parameter": (within("parameters", rows=FAR), "parameters: "),
    "a parameter of many values": (within("parameters", rows=[1] * 10_001), "parameters: "),
    "a parameter of a long text": (within("parameters", rows="x" * 10**6), "parameters: "),
    "a parameter with a long name": (within("parameters", **{"x" * 10**6: 1}), "parameters: "),
    "many parameters": (within("parameters", **{f"p{each}": 1 for each in range(1_001)}), "parameters: "),
    "a parameter nested deep": (within("parameters", rows=nested(50)), "parameters: "),
    "many cores": (within("provenance", cores=FAR), "provenance.cores: "),
    "a large memory": (within("provenance", memory_gib=1e300), "provenance.memory_gib: "),
    "a slow timer": (within("provenance", timer_cost_ns=1e300), "provenance.timer_cost_ns: "),
    "a large number of an engine": (within("provenance", data_bytes=FAR), "provenance: "),
    "a machine by its name": (within("provenance", machine_id="db1.example.org"), "provenance.machine_id: "),
    "a machine by what its system calls it": (within("provenance", machine_id="0" * 32), "provenance.machine_id: "),
    "a session on a machine by its name": (given(sessions=[{"machine_id": "db1"}]), "sessions.0.machine_id: "),
    "two machines": (given(sessions=[{"machine_id": "0" * 16}, {"machine_id": "1" * 16}]), "names two machines"),
    "settings without end": (within("provenance", settings={"a": [1] * 10_001}), "provenance: "),
}
LARGE = ("many looks",)
"""Of which the record takes long to make."""


@pytest.mark.parametrize(
    ("change", "place"),
    [
        pytest.param(*each, id=name, marks=pytest.mark.long if name in LARGE else ())
        for name, each in (IMPOSSIBLE | TOO_MUCH).items()
    ],
)
def test_what_no_run_has_is_refused_though_it_is_sealed(make_run: Any, change: Change, place: str) -> None:
    folder = make_run()
    record = json.loads((folder / schema.RUN).read_text())
    assert problem(schema.read_record(folder)) == ""
    change(record)
    sealing.store(folder, record)
    with pytest.raises(StoredRunError) as caught:
        schema.read_record(folder)
    told = caught.value.problem.partition("is damaged: ")[2]
    assert place in told
    assert len(told) < 500
    [entry] = store.catalogue()
    assert entry.record is None


def test_a_record_of_a_gigabyte_is_not_read(make_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_run() / schema.RUN
    with path.open("r+b") as file:
        file.truncate(2**30)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("it was read"))
    with pytest.raises(StoredRunError, match="1,073,741,824 bytes, more than the 67,108,864"):
        schema.read_record(path.parent)


@pytest.mark.parametrize("duration_s", [0.5, 500.0])
def test_a_duration_that_is_not_that_of_the_trials_is_told(make_run: Any, duration_s: float) -> None:
    folder = make_run()
    sealing.rewrite(folder, duration_s=duration_s)
    [entry] = store.catalogue()
    problems = verify(entry, ledgers=frozenset({sealing.DIGEST})).problems
    assert problems == (f"its trials took 1.0 s together, and its record says {duration_s} s",)


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("started_at", "yesterday", "began at no time"),
        ("started_at", "2026-01-17T10:00:00", "began at no time"),
        ("duration_s", float("nan"), "has no duration"),
        ("trial", 2**40, "the numbers in trial go from"),
        ("trial", -1, "the numbers in trial go from"),
        ("block", 2, "the numbers in block go from"),
        ("session", 1, "the numbers in session go from"),
        ("duration_s", -1.0, "a trial has no duration"),
        ("block", 0.5, "block is not a whole number"),
    ],
)
def test_a_table_that_no_run_can_have_is_refused_though_it_is_sealed(
    make_run: Any, column: str, value: Any, told: str
) -> None:
    folder = make_run()
    path = folder / schema.TRIALS
    table = pd.read_parquet(path)
    table[column] = [value, *table[column].tolist()[1:]]
    table.to_parquet(path, index=False)
    sealing.reseal(folder)
    with pytest.raises(StoredRunError, match=told):
        read_run(folder, published=False)
