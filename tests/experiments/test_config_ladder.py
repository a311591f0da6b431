"""Arms, design, settings and reductions of config_ladder, on planted numbers."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st
from stand_in import StandIn

from benchbook import lab, statistics
from benchbook.chapters.config_ladder import tables, trials
from benchbook.claims.ledger import load_claims
from benchbook.engines.pgbench import Waits
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.pgbench.ladder import arms, counted, course, screening, second, singles, states
from benchbook.measuring.pgbench.ladder.arms import Parameters, Start, configurations, start_of
from benchbook.measuring.pgbench.ladder.conditions import Conditions
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.measuring.pgbench.summary import _value
from benchbook.measuring.pgbench.tables import Tables
from benchbook.model import Configuration, Effect
from benchbook.numbers.estimands import outermost

chapter = lab.experiment("config_ladder")

ANSWERS, LESSON = chapter.answers.given, chapter.page.teaching
DATA = 300_000_000
PARAMETERS = Parameters()
ARMS = {arm.name: arm for arm in configurations(PARAMETERS)}


def of(arm: Configuration, parameters: Parameters = PARAMETERS) -> Conditions:
    nothing: Any = None
    return Conditions(parameters, Tables(nothing, SimpleNamespace(), nothing, [], DATA, 0, "pglz", {}), arm)  # type: ignore[arg-type]


# parameters


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"scale": 1}, "MiB beside the largest pool"),
        ({"scale": 1, "bound_memory": False, "clients": 2}, ""),
        ({"parts": ["singles"]}, "must name rounds"),
        ({"parts": ["rounds", "rounds"]}, "at most once"),
        ({"threads": 40}, "exceeds clients"),
        ({"flush_ms": 0}, "flush_ms"),
        ({"storage_iops": 5}, "below"),
        ({"warm_seconds": 0}, "warm_seconds"),
    ],
)
def test_impossible_parameters_are_refused_with_the_number(values: dict[str, Any], said: str) -> None:
    if not said:
        assert Parameters.given(values).scale == 1
        return
    with pytest.raises(BenchbookError, match=said):
        Parameters.given(values)


def test_without_a_second_server_its_configurations_are_left_out() -> None:
    names = {arm.name for arm in configurations(Parameters.given({"second_server": False}))}
    assert not names & {*arms.CODECS.values()}
    assert names | {*arms.CODECS.values()} == {*ARMS}


def test_a_second_server_is_not_found_in_an_empty_folder(tmp_path: Any) -> None:
    with pytest.raises(MachineError, match="no second PostgreSQL"):
        second.find(tmp_path)


# arms


def test_every_arm_that_an_estimand_names_is_planned_and_every_claim_has_one_answer() -> None:
    testable = {c.id for c in load_claims().values() if c.chapter == "config_ladder" and str(c.testable) == "here"}
    assert {answer.claim for answer in ANSWERS} == testable
    summary = SimpleNamespace(configurations=ARMS)
    assert set().union(*(each.estimand.names(summary) for each in ANSWERS)) <= {*ARMS}
    for pairs in (singles.OF_002, singles.OF_003):
        assert {arm for pair in pairs.values() for arm in (pair.top, pair.bottom)} <= {*ARMS}


def test_only_the_a_a_arms_repeat_another_ones_settings() -> None:
    found = [(name, json.dumps(dict(arm.settings), sort_keys=True)) for name, arm in ARMS.items()]
    same = {a for a, s in found if sum(s == other for _, other in found) > 1}
    assert same == {
        arms.ROUND_2, arms.ROUND_2_AGAIN, arms.ROUND_1, arms.ROUND_1_BASE, arms.A, arms.A_AGAIN, arms.B, arms.B_AGAIN,
        arms.ROUND_1_COLD, arms.ROUND_1_COLD_AGAIN,
    }  # fmt: skip


def test_what_a_single_setting_is_compared_with_stands_in_its_group_and_differs_in_that_alone() -> None:
    together = {"max_worker_processes", "max_parallel_workers"}
    for pair in (*singles.OF_002.values(), *singles.OF_003.values()):
        top, bottom = ARMS[pair.top], ARMS[pair.bottom]
        assert top.group == bottom.group, pair.words
        differs = {name for name in top.settings if top.settings[name] != bottom.settings[name]} - {"runs"}
        wanted = 0 if "A/A" in pair.words else 1
        assert len(differs - {"max_parallel_workers"} if differs == together else differs) == wanted, pair.words


def test_each_scenario_b_configuration_puts_one_setting_back() -> None:
    for name, (_, setting, value) in arms.B_DEFAULTS.items():
        differs = {k for k, v in ARMS[name].settings.items() if ARMS[arms.B].settings[k] != v}
        assert differs == {setting}
        assert ARMS[name].settings[setting] == value


def test_pools_and_memory_are_in_the_notes_proportions() -> None:
    assert of(ARMS[arms.ROUND_2]).pool_blocks * 8192 / DATA == pytest.approx(1 / 2.5, rel=1e-3)
    assert of(ARMS[arms.ROUND_3]).pool_blocks / of(ARMS[arms.ROUND_2]).pool_blocks == pytest.approx(12 / 8, rel=1e-3)
    assert of(ARMS[arms.ROUND_1_FITS]).pool_blocks * 8192 / DATA == pytest.approx(1 / 0.92, rel=1e-3)
    assert of(ARMS[arms.A]).pool_blocks * 8192 / DATA == pytest.approx(0.2, rel=1e-3)
    assert of(ARMS[arms.A]).ram_bytes == 3 * DATA


def test_the_servers_settings_hold_none_of_the_trials_own_names() -> None:
    for arm in ARMS.values():
        given_to_server = of(arm).settings
        assert not {*given_to_server} & {*arms.TRIAL}, arm.name
        assert None not in given_to_server.values(), arm.name


def test_a_nap_is_counted_in_trials() -> None:
    assert of(ARMS[arms.ROUND_2]).settings["autovacuum_naptime"] == f"{PARAMETERS.warm_seconds}s"
    assert of(ARMS[arms.NAPTIME_10]).settings["autovacuum_naptime"] == f"{10 * PARAMETERS.warm_seconds}s"


def test_only_restarted_trials_have_the_dirty_limits_and_only_others_huge_pages() -> None:
    for arm in ARMS.values():
        restarted = start_of(arm) is Start.RESTART
        assert (of(arm).limits is not None) is restarted
        assert of(arm).huge_pages is not restarted


# the combinations


def test_the_design_is_the_hadamard_matrix_of_order_16() -> None:
    signs = np.array([[1 if screening.high(run, column) else -1 for column in range(16)] for run in range(16)])
    assert (signs == scipy.linalg.hadamard(16)).all()


def test_each_factor_is_balanced_and_free_of_the_others() -> None:
    columns = {c: np.array([1 if screening.high(run, c) else -1 for run in range(16)]) for c in screening.FACTORS}
    assert all(values.sum() == 0 for values in columns.values())
    for j, one in columns.items():
        for k, other in columns.items():
            assert one @ other == (16 if j == k else 0)


@pytest.mark.parametrize("column", screening.FACTORS)
def test_aliases_are_the_products_that_lie_on_the_column(column: int) -> None:
    own = np.array([1 if screening.high(run, column) else -1 for run in range(16)])
    found = screening.aliases(column)
    assert len(found) == 7
    for j, k in found:
        one, other = (np.array([1 if screening.high(run, c) else -1 for run in range(16)]) for c in (j, k))
        assert abs(int(own @ (one * other))) == 16


def test_combinations_differ_and_set_both_values_of_each_factor_eight_times() -> None:
    every = [screening.settings(run) for run in range(screening.RUNS)]
    assert len({json.dumps(each, sort_keys=True) for each in every}) == 16
    for factor in screening.FACTORS.values():
        assert sum(factor.high.items() <= each.items() for each in every) == 8


# reductions

tps = st.lists(st.floats(1, 1e5), min_size=INTERVALS, max_size=INTERVALS).map(np.array)


@given(tps, st.floats(0.1, 10))
def test_shapes_of_a_course_do_not_depend_on_its_level(values: np.ndarray, factor: float) -> None:
    one, other = course.of_course(values), course.of_course(factor * values)
    for name in ("cv", "early_cv", "mean_over_peak", "first_over_mean"):
        assert one[name] == pytest.approx(other[name])


@given(tps)
def test_a_course_lies_between_its_lowest_and_highest_twelfth(values: np.ndarray) -> None:
    found = {name: float(value or 0) for name, value in course.of_course(values).items()}
    for name in ("start_tps", "rest_tps", "sustained_tps", "third_quarter_tps", "fourth_quarter_tps"):
        assert found["min_tps"] * (1 - 1e-12) <= found[name] <= found["peak_tps"] * (1 + 1e-12)
    assert 0 < found["mean_over_peak"] <= 1 + 1e-12


def test_counters_are_taken_per_transaction_and_what_is_not_counted_is_missing() -> None:
    before = {"flushes": 10.0, "log_writes": 10.0, "backend_writes": 0.0, "parallel_workers": None}
    after = {"flushes": 60.0, "log_writes": 20.0, "backend_writes": 25.0, "parallel_workers": None}
    found = counted.metrics(before, after, 100, 2, 1.0, 5_000.0)
    assert found["commits_per_flush"] == 2
    assert found["log_bytes_per_write"] == 500
    assert found["backend_writes_per_transaction"] == 0.25
    assert found["parallel_workers"] is None
    assert found["cpu_busy_share"] is None


def test_no_flush_gives_no_commits_per_flush() -> None:
    same = {"flushes": 3.0, "log_writes": 3.0}
    assert counted.metrics(same, same, 100, 2, 1.0, 0.0)["commits_per_flush"] is None


def test_waits_are_shares_of_the_clients() -> None:
    waits = Waits(
        {"IO:DataFileRead": 5, "Lock:tuple": 3, "Lock:transactionid": 2, "running": 10}, looks=10, seconds=0.1
    )
    found = counted.of_waits(waits, clients=4)
    assert found["wait_read_share"] == 5 / 40
    assert found["wait_lock_share"] == 5 / 40
    assert counted.of_waits(Waits({}, 0, 0.0), 4)["wait_read_share"] is None


def test_the_largest_of_several_ratios_has_the_largest_ends() -> None:
    one, other = (
        Effect(p, low, high, 6, "t", 0.95, "ratio", 0.1) for p, low, high in ((1.1, 0.9, 1.2), (1.05, 1.0, 1.3))
    )
    found = outermost([one, other])
    assert (found.point, found.low, found.high) == (1.1, 1.0, 1.3)


@pytest.mark.parametrize(("setting", "value"), [("a", "1"), ("b", "on"), ("c", "")])
def test_a_setting_is_read_from_what_the_server_said(setting: str, value: str) -> None:
    assert _value("a=1; b=on; ab=2", setting) == value


def test_changes_are_sorted_by_what_their_intervals_say() -> None:
    def effect(point: float, half: float) -> Effect:
        return Effect(point, point - half, point + half, 6, "t", 0.95, "ratio", 0.1)

    found = singles.Sorted({"up": effect(1.1, 0.05), "none": effect(1.0, 0.01), "open": effect(1.0, 0.2)})
    assert [*found.moved] == ["up"]
    assert [*found.small] == ["none"]


def of_combinations(moving: dict[int, float]) -> Any:
    """What the lesson asks of a run whose factors move throughput by these factors, and by noise of 1 % a block."""
    generator = np.random.default_rng(3)
    low = np.exp(generator.normal(8, 0.1, 6))
    noise = {column: np.exp(generator.normal(0, 0.01, 6)) for column in screening.FACTORS}

    class Planted(StandIn):
        def effect(self, column: int) -> Effect:
            return self.estimated(statistics.ratio, low * moving.get(column, 1.0) * noise[column], low)

        def ratio(self, top: tuple[str, str], bottom: tuple[str, str]) -> Effect:
            assert (top, bottom) == ((arms.CODECS["lz4"], "tps"), (arms.CODECS["off"], "tps"))
            return self.estimated(statistics.ratio, low * 1.04, low)

    return Planted(run=SimpleNamespace(provenance={"wal_compression": "pglz"}))


def test_the_title_names_the_settings_that_moved_and_counts_those_that_did_not() -> None:
    one = LESSON.title(of_combinations({13: 0.85}))
    assert one.startswith(
        "Of 15 settings varied together, only wal_compression = pglz (15% less) changes pgbench's throughput; 14"
    )
    two = LESSON.title(of_combinations({13: 0.85, 1: 1.3}))
    assert two.startswith(
        "Of 15 settings varied together, only commit_delay (30% more) and wal_compression = pglz (15% less) change"
    )
    none = LESSON.title(of_combinations({}))
    assert none.startswith("None of 15 settings varied together is shown to change pgbench's throughput")


def test_what_compression_does_is_told_with_its_codec_and_beside_that_of_the_note() -> None:
    main_effect = LESSON.numbers[0]
    said = main_effect(of_combinations({13: 0.85}))
    assert "wal_compression off → pglz does most" in said
    assert said.endswith("; with lz4, which the notes' server had, 1.04 times.")
    assert "lz4" not in main_effect(of_combinations({1: 1.3}))
    rows = singles.rows(singles.OF_003, of_combinations({}))
    assert rows["wal_compression on instead of off"] == "wal_compression pglz instead of off"
    assert rows["wal_buffers 128 MB instead of 16"] == "wal_buffers 128 MB instead of 16"


def seen(values: dict[str, list[float]], codec: str = "pglz") -> Any:
    """A run of one configuration with two trials in each of two sessions."""
    return SimpleNamespace(
        sessions=np.array([0, 0, 1, 1]),
        values=lambda arm, metric: np.array(values[metric]),
        has=lambda arm, metric: metric in values,
        label=lambda arm: arm,
        run=SimpleNamespace(provenance={"wal_compression": codec}),
    )


def test_backends_must_write_in_every_session_but_not_in_every_trial() -> None:
    asked = trials.wrote_in_each_session
    assert not asked(seen({"backend_writes_per_transaction": [0.0, 0.1, 0.1, 0.0]}))
    none = asked(seen({"backend_writes_per_transaction": [0.0, 0.0, 0.1, 0.0]}))
    assert none == f"backends wrote no page in 1 of 2 sessions of “{arms.ROUND_1_BASE}”"


def test_another_codec_than_the_notes_is_said() -> None:
    assert states.other_codec(seen({})) == "pglz where the claim's server had lz4"
    assert not states.other_codec(seen({}, "lz4"))


def test_what_moved_among_many_settings_is_asked_of_intervals_that_hold_together() -> None:
    found = of_combinations({13: 1.011})
    assert {*tables.combined(found, together=True).moved} <= {*tables.combined(found).moved}
    one, every = tables.combined(found).every, tables.combined(found, together=True).every
    assert all(every[name].low < one[name].low and one[name].high < every[name].high for name in one)
