"""Which measuring session each block of a run is of: pauses of an hour tell, and machines."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.errors import StoredRunError
from benchbook.model import Run
from benchbook.store import Entry, catalogue, parts, pooled, read_run, sessions_of, stored_visits, visits_of, without

MINUTE = 60.0
BEGINNING = datetime(2026, 1, 17, tzinfo=UTC)


def run_at(*starts_s: float, duration_s: float = MINUTE, name: str = "r") -> Run:
    """A run with a block of two trials at each of these seconds, the second when the first has ended."""
    trials = pd.DataFrame(
        [
            {
                "trial": 2 * block + second, "block": block, "session": 0, "configuration": "ab"[second],
                "started_at": (BEGINNING + timedelta(seconds=start + second * duration_s)).isoformat(),
                "duration_s": duration_s,
            }
            for block, start in enumerate(starts_s)
            for second in (0, 1)
        ]
    )  # fmt: skip
    provenance = {"started_at": trials["started_at"].min()}
    nothing = pd.DataFrame({"trial": []})
    return Run(name, "scale", 1, {}, "custom", 1, len(starts_s), provenance, trials, nothing, pd.DataFrame())


def hours(*numbers: float) -> list[float]:
    return [3_600 * number for number in numbers]


def test_a_pause_of_an_hour_begins_a_session_and_a_shorter_one_does_not() -> None:
    assert sessions_of(run_at(0, 200, 400)).tolist() == [0, 0, 0]
    end = 2 * MINUTE
    assert sessions_of(run_at(0, end + 3_599, 2 * (end + 3_599))).tolist() == [0, 0, 0]
    assert sessions_of(run_at(0, end + 3_600, end + 3_800)).tolist() == [0, 1, 1]


def test_parts_within_the_hour_are_one_session_and_a_run_that_halted_for_hours_is_two() -> None:
    parts = [run_at(*(start + each for each in (0, 200)), name=str(start)) for start in hours(0, 0.5, 3, 5)]
    assert sessions_of(pooled(parts)).tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert sessions_of(run_at(0, *hours(2, 2.1, 9))).tolist() == [0, 1, 1, 2]


def test_two_machines_that_measure_at_once_do_not_give_two_sessions() -> None:
    long, within = run_at(*hours(0, 1.5), duration_s=2_400, name="long"), run_at(*hours(0.2, 0.3), name="within")
    assert sessions_of(pooled([long, within])).tolist() == [0, 0, 0, 0]


def on(machine: str, *starts_s: float, name: str = "r") -> Run:
    """Such a run on a machine; "" for a run of before machines had an id."""
    run = run_at(*starts_s, name=name)
    return replace(run, machines=(machine,) * run.blocks if machine else ())


def sessions_on(*machines: str, apart_h: float = 0.2) -> list[int]:
    """Of a pool of runs of a block each, one so many hours after the other, on these machines."""
    runs = [on(machine, *hours(apart_h * place)) for place, machine in enumerate(machines)]
    return sessions_of(pooled(runs)).tolist()


def test_another_machine_begins_another_session_whatever_the_hour() -> None:
    assert sessions_on("A", "A", "B", "B") == [0, 0, 1, 1]
    assert sessions_on("A", "B", "C", "D") == [0, 1, 2, 3]
    assert sessions_on("A", "B", "A", "B") == [0, 1, 0, 1], "within the hour each goes on with its own"
    assert sessions_on("A", "B", "A", "B", apart_h=2) == [0, 1, 2, 3]
    long, within = run_at(*hours(0, 1.5), duration_s=2_400, name="long"), run_at(*hours(0.2, 0.3), name="within")
    both = pooled([replace(long, machines=("A", "A")), replace(within, machines=("B", "B"))])
    assert sessions_of(both).tolist() == [0, 0, 1, 1], "also where they measure at once"


def test_a_run_of_before_machines_had_an_id_may_be_of_any() -> None:
    assert sessions_on("", "", "") == [0, 0, 0]
    assert sessions_on("", "A", "A") == [0, 0, 0]
    assert sessions_on("A", "", "A") == [0, 0, 0]
    assert sessions_on("", "A", "B") == [0, 0, 1], "but not of two"
    assert sessions_on("A", "", "B") == [0, 0, 1]
    assert sessions_on("", "A", "B", apart_h=2) == [0, 1, 2]


def test_blocks_without_a_time_are_one_session_for_each_machine() -> None:
    run = replace(on("A", 0, *hours(2, 4)), machines=("A", "A", "B"))
    assert sessions_of(replace(run, trials=run.trials.drop(columns="started_at"))).tolist() == [0, 0, 1]


def test_the_machine_of_a_block_is_known_wherever_the_block_goes() -> None:
    pool = pooled([on("A", *hours(0, 0.1)), on("", *hours(0.3, 0.4)), on("B", *hours(0.6, 0.7))])
    assert pool.machines == ("A", "A", "", "", "B", "B")
    assert [each.machines for each in parts(pool)] == [("A", "A"), (), ("B", "B")]
    rest = without(pool, {0, 2, 3})
    assert rest.machines == ("A", "B", "B")
    assert sessions_of(rest).tolist() == [0, 1, 1]
    assert without(pool, {0, 1, 4, 5}).machines == ()


def test_trials_in_any_order_and_other_zones_are_of_the_same_session() -> None:
    run = run_at(0, *hours(2, 4))
    mixed = run.trials.iloc[::-1].assign(started_at=lambda t: t["started_at"].str.replace("+00:00", "Z"))
    assert sessions_of(replace(run, trials=mixed)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("column", ["started_at", "duration_s"])
def test_trials_that_do_not_say_when_they_were_are_one_session(column: str) -> None:
    run = run_at(0, *hours(2, 4))
    assert sessions_of(replace(run, trials=run.trials.drop(columns=column))).tolist() == [0, 0, 0]
    assert sessions_of(replace(run, trials=run.trials.assign(**{column: None}))).tolist() == [0, 0, 0]


@given(gaps=st.lists(st.integers(0, 20_000), max_size=12))
def test_sessions_are_numbered_on_and_each_begins_after_a_pause(gaps: list[int]) -> None:
    starts = np.concatenate([[0], np.cumsum(np.array(gaps, dtype=float) + 2 * MINUTE)])
    assert sessions_of(run_at(*starts)).tolist() == [0, *np.cumsum(np.array(gaps, dtype=int) >= 3_600).tolist()]


def test_visits_of_stored_runs_are_those_of_the_runs_pooled() -> None:
    entries = [each for each in catalogue("io_cliff") if each.published]
    plans = {(each.record or {})["key"] for each in entries}
    assert len(plans) > 1, "one of them was measured again"
    for plan in plans:
        own = [each for each in entries if (each.record or {})["key"] == plan]
        found = stored_visits(own)
        assert [len(each) for each in found] == [(each.record or {})["blocks"] for each in own]
        whole = pooled([read_run(each.folder, published=True) for each in own])
        assert [number for each in found for number in each] == visits_of(whole).tolist()
    assert stored_visits([]) == []


def test_a_stored_run_without_its_table_has_no_visits(tmp_path: Path) -> None:
    with pytest.raises(StoredRunError, match="is damaged: torn"):
        stored_visits([Entry(tmp_path / "x-1", False, None, "torn")])
    with pytest.raises(StoredRunError, match="cannot be read"):
        stored_visits([Entry(tmp_path / "x-1", False, {"blocks": 1, "provenance": {}})])
