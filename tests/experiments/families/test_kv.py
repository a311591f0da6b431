"""The family of the key-value probe without an engine: what a request takes, what is asked, what is recorded of it."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchbook import lab, mishaps
from benchbook.engines import kv, probe
from benchbook.errors import BenchbookError, FullDiskError, MachineError, NoEngineError
from benchbook.experiments import parts
from benchbook.measuring.kv import costs, metrics
from benchbook.measuring.kv.bench import Bench, cause, named
from benchbook.measuring.kv.requests import lookups, request, small, without_folders
from benchbook.measuring.kv.summary import compared
from benchbook.parameters.profiles import profile

RUN = {"law": "uniform", "operations": 1_000, "warm_operations": 100}


def of_rows(rows: int, engine: str = "rocksdb", **load: Any) -> dict[str, Any]:
    return request(7, {"engine": engine}, rows, RUN, **load)


def test_a_small_request_has_the_same_options_and_is_soon_answered() -> None:
    asked = of_rows(10_000_000, settle="compact")
    found = small(asked)
    assert found["options"] == asked["options"]
    assert found["load"]["settle"] == "compact"
    assert found["load"]["rows"] == 1_000
    assert lookups(found) == 256
    assert asked["load"]["rows"] == 10_000_000, "what is asked of a trial stays as it is"


@pytest.mark.parametrize("take", [costs.seconds, costs.disk_bytes, costs.memory_bytes, costs.limit_s])
def test_more_rows_take_more_of_everything(take: Any) -> None:
    assert take(of_rows(1_000)) < take(of_rows(100_000)) < take(of_rows(10_000_000))


def test_what_is_done_to_a_store_costs_time_and_disk() -> None:
    plain = of_rows(1_000_000)
    for dearer in ({"settle": "compact"}, {"keys": "random"}, {"reopen": True}, {"value_bytes": 4096}):
        assert costs.seconds(of_rows(1_000_000, **dearer)) > costs.seconds(plain), dearer
    assert costs.disk_bytes(of_rows(1_000_000, settle="compact")) > costs.disk_bytes(plain)
    query = request(7, {"engine": "sqlite", "prepare": "query"}, 1_000_000, RUN)
    assert costs.seconds(query) > costs.seconds(of_rows(1_000_000, "sqlite"))


def test_a_group_takes_the_disk_of_all_its_stores_and_the_spare_once() -> None:
    chapter = lab.experiment("read_path")
    p, probing = chapter.Parameters(), parts.module(chapter.package).PROBING
    groups: dict[str, int] = {}
    for arm in chapter.configurations(p).values():
        store = costs.disk_bytes(probing.request_of(p, arm, 0))
        groups[arm.group] = groups.get(arm.group, 0) + store
    assert max(groups.values()) > 1.1 * store
    assert chapter.needs(p).disk_bytes == max(groups.values()) + costs.SPARE_BYTES


def test_a_full_disk_is_told_before_what_followed_from_it() -> None:
    chapter = lab.experiment("turns")
    arm = next(iter(chapter.configurations(chapter.Parameters()).values()))
    died, full = (named(each, arm) for each in (MachineError("killed", "free memory"), mishaps.full(None, "no room")))
    assert cause([died, full]) is full
    assert full.problem == f"“{arm.label}”: the disk is full: no room"
    assert cause([died, named(MachineError("later", "wait"), arm)]) is died


@pytest.mark.parametrize("code", [1, 3])
def test_a_probe_without_room_says_that_the_disk_is_full(code: int, tmp_path: Path) -> None:
    found = probe.failure(tmp_path / "kv", code, "writing: No space left on device\n", tmp_path)
    assert isinstance(found, FullDiskError)
    assert found.mend.startswith("free disk space")
    assert not isinstance(probe.failure(tmp_path / "kv", code, "a wrong value\n", tmp_path), FullDiskError)


def test_a_trial_is_given_up_long_after_it_should_have_ended() -> None:
    for rows in (100, 10_000_000):
        assert costs.limit_s(of_rows(rows)) > 20 * costs.seconds(of_rows(rows))


def test_no_folder_of_the_machine_stays_in_the_options() -> None:
    held = without_folders("a=1;wal_dir=/var/tmp/x/rocksdb;b={c=/tmp/y;d=2;}")
    assert held == "a=1;wal_dir=a folder;b={c=a folder;d=2;}"


def test_a_counter_that_the_engine_does_not_tell_is_missing_and_not_0() -> None:
    assert metrics.summed({"a": 1, "b": 2}, "a", "b") == 3
    assert metrics.summed({"a": 1, "b": None}, "a", "b") is None
    assert metrics.summed({"a": 1}, "a", "b") is None


def test_answers_that_were_not_compared_fail_the_check() -> None:
    trials = pd.DataFrame({"lookups": [5.0, 5.0, None], "checked_reads": [5.0, 4.0, None]})
    [gate] = compared(trials)
    assert not gate.passed
    assert "differ in 1 trials" in gate.reason
    [gate] = compared(trials.iloc[[0, 2]])
    assert gate.passed
    assert compared(trials.drop(columns="lookups")) == []


def test_without_the_probe_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    chapter = lab.experiment("read_path")
    needs = chapter.needs(chapter.Parameters())
    with pytest.raises(NoEngineError) as caught:
        needs.check()
    assert "not built" in caught.value.problem
    assert "make probe-kv" in caught.value.mend
    (tmp_path / kv.PROGRAM).write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / kv.PROGRAM).chmod(0o755)
    with pytest.raises(MachineError, match="does not say its version"):
        needs.check()


@pytest.mark.parametrize("name", ["alex_rocksdb", "sqlite_fairness", "scale", "read_path"])
def test_the_time_is_that_of_the_published_runs_and_grows_with_the_profiles(name: str) -> None:
    chapter = lab.experiment(name)
    needs = [chapter.needs(chapter.Parameters.given(profile(name, which))) for which in ("quick", "standard", "paper")]
    quick, standard, paper = (each.minutes for each in needs)
    assert quick < 40 / 60
    assert 5 < standard < 40
    assert paper > standard


def test_what_the_probe_refuses_before_the_first_trial_names_the_configuration(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refused(*given: Any, **options: Any) -> probe.Answer:
        raise BenchbookError('kv: the request was refused: unknown field "blom_bits" in options', "correct it")

    monkeypatch.setattr(probe, "ask", refused)
    chapter = lab.experiment("read_path")
    bench = Bench(parts.module(chapter.package).PROBING, chapter.Parameters(), tmp_path / "kv", tmp_path, None)
    with pytest.raises(BenchbookError, match=r'configuration sqlite_as_run: kv: .* unknown field "blom_bits"'):
        bench.provenance()
