"""States and looks of warm_states without an engine: what is refused, counted and told of a turn."""

from __future__ import annotations

import numpy as np
import pytest

from benchbook import lab
from benchbook.chapters.warm_states import STATES, Parameters, configurations, course
from benchbook.measuring.pgbench import states
from benchbook.runner.units import units

chapter = lab.experiment("warm_states")


def test_all_states_share_one_server_in_a_block() -> None:
    assert len(units(chapter.plan(Parameters(blocks=2)).trials, turns=True)) == 2
    assert {arm.settings["state"] for arm in configurations(Parameters())} == {*STATES} - {"nothing_again"}


def test_the_course_of_a_turn_is_the_mean_over_its_turns() -> None:
    ends = np.array([100_000, 200_000, 700_000, 10_100_000, 10_600_000], dtype=np.int64)
    assert course(ends, [0, 10_000_000], 1_000) == {"half_second_01_tps": 3.0, "half_second_02_tps": 2.0}
    assert course(ends, [0, 10_000_000], 499) == {}


def test_what_nobody_counted_is_missing_and_a_state_that_takes_nothing_took_none() -> None:
    found = states.over({"user_s": 0.5, "machine_user_s": 1.0, "wall_s": 10.0, "dead_rows": 7.0}, 1_000)
    assert found["user_s_per_transaction"] == pytest.approx(5e-4)
    assert found["machine_user_per_transaction_s"] == pytest.approx(1e-3)
    assert found["disk_reads_per_transaction"] is None
    assert found["taken_processors"] == 0
    assert states.over({"taken_s": 5.0, "wall_s": 10.0, "dead_rows": 7.0}, 1)["taken_processors"] == 0.5
