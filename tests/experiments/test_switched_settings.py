"""Arms, turns and words of switched_settings, on planted numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook import lab
from benchbook.chapters.switched_settings import arms, measure, numbers
from benchbook.chapters.switched_settings.arms import Parameters, configurations
from benchbook.claims import load_claims
from benchbook.engines.pgbench.log import Log
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.pgbench.ladder import arms as ladder
from benchbook.measuring.pgbench.ladder import singles
from benchbook.measuring.pgbench.turns import Turns
from benchbook.model import Effect
from benchbook.parameters.planning import blocked
from benchbook.runner.units import units

chapter = lab.experiment("switched_settings")


def log(*ends_s: float) -> Log:
    end = np.array(sorted(int(1e6 * each) for each in ends_s), dtype=np.int64)
    return Log(end, np.full(end.size, 2_000), None, np.ones(end.size, dtype=bool), np.zeros(end.size, dtype=bool))


def turns(windows: list[tuple[float, float]], before: list[tuple[float, float]], **grown: float) -> Turns:
    made = Turns([], lambda: None)
    for name, given in (("windows", windows), ("before", before)):
        getattr(made, name)["arm"] = [(int(1e6 * low), int(1e6 * high)) for low, high in given]
    made.grown["arm"] = {"wal_bytes": 0.0, "cleaned": 0.0, "wall_s": 1.0} | grown
    made.took_s["arm"] = 0.01 * len(windows)
    return made


def test_only_what_ended_in_the_counting_part_of_a_turn_counts() -> None:
    seen = turns([(1.0, 2.0), (4.0, 5.0)], [(0.5, 1.0), (3.5, 4.0)], wal_bytes=400.0, server_cpu_s=0.004)
    metrics, samples = seen.told("arm", log(0.6, 0.9, 1.0, 1.5, 1.99, 2.0, 3.0, 4.5, 5.0, 6.0), clients=1)
    assert metrics["counted_transactions"] == 4
    assert metrics["tps"] == pytest.approx(2.0)
    assert metrics["early_over_kept"] == pytest.approx((2 / 1.0) / 2.0)
    assert metrics["wal_bytes_per_transaction"] == pytest.approx(100.0)
    assert metrics["cpu_per_transaction_s"] == pytest.approx(0.001)
    assert metrics["switch_s"] == pytest.approx(0.01)
    assert len(samples["transaction"]) == 4


def test_a_turn_without_a_transaction_counts_as_one_and_turns_without_any_are_none() -> None:
    seen = turns([(1.0, 2.0), (4.0, 5.0)], [(0.5, 1.0), (3.5, 4.0)])
    assert seen.told("arm", log(1.2, 1.5, 3.0), clients=1)[0]["tps"] == pytest.approx(1.0)
    with pytest.raises(MachineError, match="no transaction ended in the turns of arm"):
        seen.told("arm", log(0.5, 3.0), clients=1)


def test_a_group_is_one_unit_of_the_plan_with_its_base_and_the_base_again() -> None:
    every = configurations(Parameters())
    groups: dict[str, set[str]] = {}
    for arm in every:
        groups.setdefault(arm.group, set()).add(arm.name)
    for name, group in arms.GROUPS.items():
        assert {group.base, f"{group.base}{arms.AGAIN}", *group.members} <= groups[name]
    assert groups[""] == {f"{arms.ALONE}{name}" for name in arms.ALONE_AS}
    plan = blocked(every, 2, 1)
    sizes = sorted(len(unit) for unit in units(list(plan.trials), turns=True))
    assert sizes == sorted(2 * [len(names) for name, names in groups.items() if name] + 2 * 3 * [1])


def test_settings_are_those_of_the_ladder() -> None:
    known = {arm.name: arm for arm in ladder.configurations(ladder.Parameters())}
    for arm in configurations(Parameters()):
        name = arm.name.removeprefix(arms.ALONE).removesuffix(arms.AGAIN)
        if name == arms.CONTROL:
            assert arm.settings == {**known[ladder.ROUND_2].settings, "synchronous_commit": False}
        else:
            assert arm.settings == known[name].settings, name


def test_what_a_group_switches_can_be_switched() -> None:
    """Nothing that decides how a trial begins, how much memory it has, or that a server must be restarted for."""
    restart = {"wal_buffers", "max_worker_processes", "autovacuum_max_workers", "shared_buffers", "huge_pages"}
    fixed = {*ladder.TRIAL} - {"cache_over_data"} | restart
    known = {arm.name: arm.settings for arm in configurations(Parameters())}
    for group in arms.GROUPS.values():
        for name in group.members:
            differ = {key for key, value in known[name].items() if known[group.base].get(key) != value}
            assert differ, name
            assert not differ & fixed, name


def in_force(clients: int) -> Any:
    values = {ladder.B: {"commit_delay": "50", "commit_siblings": "10"}, "b_delay_0": {"commit_delay": "0"}}
    return SimpleNamespace(
        in_force=lambda arm, setting: [values[arm].get(setting, "10")] * 2,
        parameters=SimpleNamespace(clients=clients),
        chapter=chapter,
    )


def test_a_delay_that_changes_nothing_that_a_flush_carries_never_fired(monkeypatch: pytest.MonkeyPatch) -> None:
    carried = {ladder.B: (1.57, 1.58), "b_delay_0": (1.58, 1.59)}
    monkeypatch.setattr(numbers, "published", lambda chapter, experiment, arm, metric: carried[arm])
    asked = numbers.fired("commit_delay", ladder.B, "b_delay_0")
    assert "a flush of the log carries 1.575 commits with it and 1.585 without, in 2 trials" in asked(in_force(100))
    assert "only while 10 other transactions are open, and of 10 clients at most 9 others are" in asked(in_force(10))
    assert "at most" not in asked(in_force(100))
    carried[ladder.B] = (2.1, 2.2)
    assert not asked(in_force(100)), "it fired"
    assert asked(in_force(10)).startswith("commit_delay waits only while 10 other"), "another setting did"
    carried[ladder.B] = ()
    assert not asked(in_force(100)), "nobody counted"


def test_settings_are_counted_for_each_note_by_what_their_intervals_say(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = {"a (note 003)": (0.99, 1.01), "b (note 003)": (1.06, 1.20), "c (note 002)": (0.9, 1.1)}
    every = {name: Effect(1.0, low, high, 6, "t", 0.95, "ratio", 0.1) for name, (low, high) in ends.items()}
    monkeypatch.setattr(numbers.singles, "sort", lambda summary: singles.Sorted(every))
    assert numbers.WORDS["of_003"](None) == {"every": 2, "still": 1, "large": 1}
    assert numbers.WORDS["of_002"](None) == {"every": 1, "still": 0, "large": 0}


def test_every_claim_of_the_chapter_has_an_answer() -> None:
    claimed = {claim.id for claim in load_claims().values() if claim.chapter == "switched_settings"}
    assert {answer.claim for answer in chapter.answers.given} == claimed
    for claim in load_claims().values():
        if claim.id in claimed:
            columns = [each.column for each in claim.amendments if each.column not in ("reading", "kind")]
            assert columns[-2:] == ["estimand", "chapter"]
            assert claim.amendments[-1].data_seen


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"turn_ms": 200, "discard_ms": 200}, "discard_ms=200 leaves nothing of a turn of 200 ms"),
        ({"parts": ["alone"]}, "must name round_2"),
        ({"parts": ["round_2", "round_2"]}, "each part at most once"),
        ({"rounds": 1}, "rounds"),
    ],
)
def test_parameters_that_measure_nothing_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchbookError, match=said):
        Parameters.given(given)


def test_what_is_switched_is_not_on_the_servers_command_line() -> None:
    every = [each for each in configurations(Parameters()) if each.group == "round_2"]
    planned = [SimpleNamespace(configuration=arm) for arm in every]
    tables = SimpleNamespace(data_bytes=300_000_000, wal_compression="pglz")
    bench = measure.Bench(Parameters(allow_vm_settings=False), tables, turns=Turns(planned, lambda: None))  # type: ignore[arg-type]
    names = bench.switched()
    assert names == {
        "bgwriter_delay", "bgwriter_lru_multiplier", "commit_delay", "commit_siblings", "random_page_cost",
        "synchronous_commit", "wal_compression", "wal_writer_delay",
    }  # fmt: skip
    for arm in every:
        started, own = bench.settings(arm), bench.own_settings(arm)
        assert not {*started} & names
        assert {*own} == names
        assert started | own == bench.whole(arm)
