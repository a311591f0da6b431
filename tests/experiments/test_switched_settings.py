"""Arms and turns of switched_settings, and why a setting did not act."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook import lab
from benchbook.chapters import switched_settings as chapter
from benchbook.chapters.switched_settings import Bench, Parameters, configurations
from benchbook.engines.pgbench.log import Log
from benchbook.errors import MachineError
from benchbook.measuring.pgbench.ladder import arms as ladder
from benchbook.measuring.pgbench.ladder import singles
from benchbook.measuring.pgbench.turns import Turns
from benchbook.model import Effect

ARMS = {arm.name: arm for arm in configurations(Parameters())}


def told(*ends_s: float, **grown: float) -> Any:
    """What two turns of a second, each half a second after its switch, give of transactions that ended then."""
    end = np.array([int(1e6 * each) for each in ends_s], dtype=np.int64)
    log = Log(end, np.full(end.size, 2_000), np.ones(end.size, dtype=bool), end)
    turns = Turns([], lambda: None)
    none = {"wal_bytes": 0.0, "cleaned": 0.0, "wall_s": 1.0}
    for start in (1.0, 4.0):
        turns.taken("arm", (start - 0.5, start, start + 1), 0.01, dict.fromkeys(none | grown, 0.0), none | grown)
    return turns.told("arm", log, clients=1)


def test_only_what_ended_in_the_counting_part_of_a_turn_counts() -> None:
    metrics, samples = told(0.6, 0.9, 1.0, 1.5, 1.99, 2.0, 3.0, 4.5, 5.0, 6.0, wal_bytes=200.0, server_cpu_s=0.002)
    wanted = {
        "counted_transactions": 4, "tps": 2.0, "early_over_kept": 1.0, "wal_bytes_per_transaction": 100.0,
        "cpu_per_transaction_s": 0.001, "switch_s": 0.01,
    }  # fmt: skip
    assert {name: metrics[name] for name in wanted} == pytest.approx(wanted)
    assert len(samples["transaction"]) == 4
    assert told(1.2, 1.5, 3.0)[0]["tps"] == pytest.approx(1.0), "a turn without a transaction counts as one"
    with pytest.raises(MachineError, match="no transaction ended in the turns of arm"):
        told(0.5, 3.0)


def test_what_is_switched_is_not_on_the_servers_command_line() -> None:
    planned = [SimpleNamespace(configuration=arm) for arm in ARMS.values() if arm.group == "round_2"]
    tables = SimpleNamespace(data_bytes=300_000_000, wal_compression="pglz")
    bench = Bench(Parameters(allow_vm_settings=False), tables, turns=Turns(planned, lambda: None))  # type: ignore[arg-type]
    for each in planned:
        started, own = bench.settings(each.configuration), bench.switched(each.configuration)
        assert {*own} == {
            "bgwriter_delay", "bgwriter_lru_multiplier", "commit_delay", "commit_siblings", "random_page_cost",
            "synchronous_commit", "wal_compression", "wal_writer_delay",
        }  # fmt: skip
        assert not {*started} & {*own}


def test_a_delay_that_changes_nothing_that_a_flush_carries_never_fired(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"scenario_b": {"commit_delay": "50", "commit_siblings": "10"}, "b_delay_0": {"commit_delay": "0"}}
    carried: dict[str, tuple[float, ...]] = {"scenario_b": (1.57, 1.58), "b_delay_0": (1.58, 1.59)}
    monkeypatch.setattr(chapter, "published", lambda of, experiment, arm, metric: carried[arm])

    summary = SimpleNamespace(
        in_force=lambda arm, setting: [values[arm].get(setting, "10")] * 2, chapter=lab.experiment("switched_settings")
    )
    why = chapter.fired("scenario_b", "b_delay_0")
    assert "carries 1.575 commits with it and 1.585 without, in 2 trials" in why(summary)
    carried["scenario_b"] = (2.1, 2.2)
    assert not why(summary), "it fired"
    carried["scenario_b"] = ()
    assert not why(summary), "nobody counted"


def test_settings_are_counted_for_each_note_by_what_their_intervals_say(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = {"a (note 003)": (0.99, 1.01), "b (note 003)": (1.06, 1.20), "c (note 002)": (0.9, 1.1)}
    every = {name: Effect(1.0, low, high, 6, "t", 0.95, "ratio", 0.1) for name, (low, high) in ends.items()}
    monkeypatch.setattr(singles, "sort", lambda summary: singles.Sorted(every))
    assert chapter.WORDS["of_003"](SimpleNamespace()) == {"every": 2, "still": 1, "large": 1}  # type: ignore[arg-type]


def test_settings_are_those_of_the_ladder_and_what_a_group_switches_can_be_switched() -> None:
    """Nothing that decides how a trial begins, how much memory it has, or that a server must be restarted for."""
    known = {arm.name: dict(arm.settings) for arm in ladder.configurations(ladder.Parameters())}
    known["no_wait"] = known["round_2"] | {"synchronous_commit": False}
    for name, arm in ARMS.items():
        assert arm.settings == known[name.removeprefix("alone_").removesuffix("_again")], name
    restart = {"wal_buffers", "max_worker_processes", "autovacuum_max_workers", "shared_buffers", "huge_pages"}
    for base, *members in chapter.GROUPS.values():
        for name in members:
            differ = {key for key, value in ARMS[name].settings.items() if ARMS[base].settings.get(key) != value}
            assert differ, name
            assert not differ & ({*ladder.TRIAL} - {"cache_over_data"} | restart), name
