"""The ladder's configurations, design and counters, and the causes of config_ladder."""

import json

import numpy as np
import pytest
import scipy.linalg

from benchbook.engines.pgbench import Waits
from benchbook.measuring.pgbench.ladder import arms, counted, course, screening, singles
from benchbook.measuring.pgbench.ladder.arms import Parameters, configurations
from benchbook.model import Effect

ARMS = {arm.name: arm for arm in configurations(Parameters())}


def test_what_a_single_setting_is_compared_with_stands_in_its_group_and_differs_in_that_alone() -> None:
    together = {"max_worker_processes", "max_parallel_workers"}
    for words, (above, below) in {**singles.OF_002, **singles.OF_003}.items():
        top, bottom = ARMS[above], ARMS[below]
        differs = {name for name in top.settings if top.settings[name] != bottom.settings[name]} - {"runs"}
        assert len([differs] if differs == together else differs) == (0 if "A/A" in words else 1), words
        assert top.group == bottom.group, words
    for name, (_, changed) in arms.OF_B.items():
        assert {k: v for k, v in ARMS[name].settings.items() if ARMS["scenario_b"].settings[k] != v} == changed


def test_the_design_is_the_hadamard_matrix_of_order_16_and_aliases_lie_on_their_column() -> None:
    signs = np.array([[1 if screening.high(run, column) else -1 for column in range(16)] for run in range(16)])
    assert (signs == scipy.linalg.hadamard(16)).all()
    for column in screening.FACTORS:
        products = [abs(int(signs[:, column] @ (signs[:, j] * signs[:, k]))) for j, k in screening.aliases(column)]
        assert products == [16] * 7
    assert len({json.dumps(screening.settings(run), sort_keys=True) for run in range(screening.RUNS)}) == 16


def test_counters_are_taken_per_transaction_and_what_is_not_counted_is_missing() -> None:
    before = {"flushes": 10.0, "log_writes": 10.0, "backend_writes": 0.0, "parallel_workers": None}
    after = {"flushes": 60.0, "log_writes": 20.0, "backend_writes": 25.0, "parallel_workers": None}
    found = counted.metrics(before, after, 100, 2, 1.0, 5_000.0)
    wanted = {"commits_per_flush": 2, "log_bytes_per_write": 500, "backend_writes_per_transaction": 0.25}
    assert {name: found[name] for name in wanted} == wanted
    assert found["parallel_workers"] is found["cpu_busy_share"] is None
    assert counted.metrics(after, after, 100, 2, 1.0, 0.0)["commits_per_flush"] is None
    waits = Waits({"IO:DataFileRead": 5, "Lock:tuple": 3, "Lock:transactionid": 2}, looks=10, seconds=0.1)
    assert (
        counted.of_waits(waits, clients=4)["wait_read_share"] == counted.of_waits(waits, 4)["wait_lock_share"] == 1 / 8
    )
    assert counted.of_waits(Waits({}, 0, 0.0), 4)["wait_read_share"] is None
    along = course.of_course(np.array([1.0, 3.0] * 6))
    assert (along["start_tps"], along["first_over_mean"], along["mean_over_peak"]) == (2, 0.5, pytest.approx(2 / 3))


def test_changes_are_sorted_by_what_their_intervals_say() -> None:
    half = {"up": (1.1, 0.05), "none": (1.0, 0.01), "open": (1.0, 0.2)}
    found = singles.Sorted({k: Effect(p, p - h, p + h, 6, "t", 0.95, "ratio", 0.1) for k, (p, h) in half.items()})
    assert ([*found.moved], [*found.small]) == (["up"], ["none"])
