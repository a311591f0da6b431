"""Cold starts without an engine: arms, the cap's proportion, what looks become, and what a planted run says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.cold_starts import arms, looks, measure, trials
from benchbook.chapters.cold_starts.arms import FREE, Parameters, configurations
from benchbook.claims.ledger import load_claims
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.pgbench.ladder import arms as ladder
from benchbook.measuring.pgbench.ladder.arms import ROUND_1, ROUND_1_COLD, ROUND_1_FITS, ROUND_2_COLD
from benchbook.measuring.pgbench.metric_words import STATES
from benchbook.model import Outcome, Run
from benchbook.notes import r8g_reports

chapter = lab.experiment("cold_starts")

pytestmark = pytest.mark.usefixtures("no_reports")
WITHOUT = Parameters.given({"allow_slow_storage": False})


def test_the_proportion_is_that_of_the_notes_report() -> None:
    noted = r8g_reports.reports()[r8g_reports.ROUND_1]
    assert pytest.approx(noted.reads / 60 / noted.course["tps"].max(), abs=5e-4) == arms.NOTE_READS_PER_TRANSACTION
    assert measure.in_proportion(2_000) == round(2_000 * arms.NOTE_READS_PER_TRANSACTION)
    assert measure.in_proportion(0) == 20


def test_settings_are_those_of_the_ladder_run_once() -> None:
    known = {arm.name: arm for arm in ladder.configurations(ladder.Parameters(second_server=False))}
    for arm in configurations(Parameters()):
        own, base = dict(arm.settings), known[ROUND_1_COLD if arm.name == FREE else arm.name]
        assert own.pop("capped") is (arm.name != FREE)
        assert own.pop("runs") == 1
        assert own == {name: value for name, value in base.settings.items() if name != "runs"}


def test_what_is_compared_differs_in_one_thing() -> None:
    settings = {arm.name: arm.settings for arm in configurations(Parameters())}

    def apart(one: str, other: str) -> set[str]:
        return {name for name, value in settings[one].items() if settings[other].get(name) != value}

    assert apart(ROUND_1_COLD, FREE) == {"capped"}
    assert apart(ROUND_1_COLD, ROUND_1) == {"start"}
    assert apart(ROUND_1_COLD, ROUND_1_FITS) == {"pool_over_data", "ram_over_data"}
    assert len(apart(ROUND_1_COLD, ROUND_2_COLD)) == 5
    assert apart(ROUND_1_COLD, ladder.ROUND_1_COLD_AGAIN) == set()


def test_without_slow_storage_only_starts_without_a_cap_are_left() -> None:
    assert {arm.name for arm in configurations(WITHOUT)} == {FREE, arms.FREE_AGAIN}
    assert not any(arm.settings["capped"] for arm in configurations(WITHOUT))


def test_every_claim_has_an_answer_on_arms_that_are_planned() -> None:
    claims = {each.id for each in load_claims().values() if each.chapter == "cold_starts"}
    assert {each.claim for each in chapter.answers.given} == claims
    planned = {arm.name for arm in configurations(Parameters())}
    assert {arm for each in chapter.answers.given for arm in each.estimand.arms} <= planned


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"read_iops": 10}, "read_iops=10 is below 20"),
        ({"scale": 4}, "the server and 100 clients need 364 MiB"),
        ({"threads": 30, "clients": 20}, "threads=30 exceeds clients=20"),
    ],
)
def test_a_contradiction_is_refused_with_its_numbers(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchbookError, match=said):
        Parameters.given(given)


# what looks become


def look(at_s: float, reads: float | None) -> looks.Look:
    waits = {"IO:DataFileRead": 9} if at_s <= 5 else {"running": 9}
    blocks = {name: (int(100 * at_s), int(10 * at_s)) for name in ("pgbench", "postgres")}
    return looks.Look(at_s, waits, 12, 10, blocks, (at_s, 0.0, 0.0, 2 * at_s), 8_192.0 * at_s, reads, 2 * at_s)


def test_reads_of_the_device_are_counted_in_each_twelfth() -> None:
    seen = [look(float(s), 100.0 * min(s, 5) + 10.0 * max(0, s - 5)) for s in range(61)]
    found = looks.metrics(seen, 10, 60.0)
    assert found["device_read_iops_01"] == pytest.approx(100)
    assert found["device_read_iops_12"] == pytest.approx(10)
    assert found["device_read_iops"] == pytest.approx((500 + 550) / 60)
    assert found["device_read_iops_most"] == pytest.approx(100)
    assert found["paced_iops"] == pytest.approx(2)
    assert found["paced_iops_07"] == pytest.approx(2)
    assert found["reading_first"] == pytest.approx(0.9)
    assert found["waits_12_reading"] == 0


def test_where_nobody_counts_the_devices_reads_none_are_told() -> None:
    found = looks.metrics([look(float(s), None) for s in range(61)], 10, 60.0)
    assert found["device_read_iops"] is None
    assert found["device_read_iops_most"] is None
    assert found["reading_first"] == pytest.approx(0.9)


def test_a_pace_that_is_not_kept_fails_the_trial() -> None:
    measure.check_kept(1_000.0, 20_100, 20.0)
    measure.check_kept(None, 90_000, 20.0)
    with pytest.raises(MachineError, match="1,060 reads a second had a turn instead of 1,000"):
        measure.check_kept(1_000.0, 21_200, 20.0)


def test_the_kernels_count_is_that_of_the_device(tmp_path: Path) -> None:
    listed = tmp_path / "diskstats"
    listed.write_text("   7       0 loop0 123 4 5 6 7 8 9 10 11 12 13\n 253       0 vda 99 0 0 0 0 0 0 0 0 0 0\n")
    assert looks.reads_done((7, 0), listed) == 123
    assert looks.reads_done((7, 1), listed) is None
    assert looks.reads_done((7, 0), tmp_path / "none") is None


# a planted run

FACTS = {
    "engine_version": "18.6",
    "memory_bound": "bounded",
    "wal_compression": "pglz",
    "cores": 2,
    "data_bytes": 1.5e9,
}
COURSE = {ROUND_1: np.ones(12), FREE: np.linspace(0.9, 1.0, 12)}
SLOW = np.array([0.58, 0.62, 0.68, 0.74, 0.8, 0.86, 0.92, 0.96, 1.0, 1.0, 1.0, 1.0])


def planted(**other: float) -> Run:
    """Six blocks of what the defaults plan, in which every cold start under the cap is bound by reads."""
    parameters = Parameters.given({"blocks": 6})
    generator = np.random.default_rng(5)
    rows: list[dict[str, Any]] = []
    for trial in chapter.plan(parameters).trials:
        name = trial.configuration.name
        course = 2_500 * COURSE.get(name, SLOW) * np.exp(generator.normal(0, 0.01))
        cold, capped = trial.configuration.settings["start"] == "cold", bool(trial.configuration.settings["capped"])
        waiting = {True: 0.6, False: 0.05}[cold and capped]
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": name, "seed": trial.seed, "session": 0,
                "started_at": "2026-01-17T10:00:00+00:00", "duration_s": 1.0, "state": "measured",
                "memory": "bounded to 2.4 GiB (control group v1)",
                "settings": f"wal_writer_flush_after={'2MB' if name == ROUND_2_COLD else '1MB'}",
                **{f"interval_{place:02}_tps": value for place, value in enumerate(course, start=1)},
                "tps": course.mean(), "peak_tps": course.max(), "first_over_mean": course[0] / course.mean(),
                "latency_mean_ns": 4e7, "latency_sd_ns": 3e7 * float(np.exp(generator.normal(0, 0.01))),
                "littles_ratio": 1.0, "transactions_per_account_page": 0.4, "transactions": 1e5,
                "server_transactions": 1e5, "data_in_pool_start": 0.0 if cold else 0.4,
                "data_in_os_cache_start": 0.0 if cold else 1.0, "pool_used_share": 1.0, "reading_first": 0.9,
                "extending_most": 0.01, "clients_looked_at": 100.0, "clients_looked_at_first": 500.0,
                "read_cap_iops": 2_870.0 if capped else np.nan, "storage_read_iops": 30_000.0,
                "device_reads_per_transaction": 1.4,
                "device_read_iops": 2_800.0, "paced_iops": 2_700.0, "cpu_busy_share": 0.8,
                **{f"device_read_iops_{place:02}": 2_800.0 for place in range(1, 13)},
                **{f"waits_{state}": waiting for state in STATES},
                **{f"waits_{place:02}_{state}": waiting for state in STATES for place in range(1, 13)},
                **other,
            }
        )  # fmt: skip
    return Run(
        "0123456789ab-20260117T100000", "cold_starts", 1, parameters.model_dump(mode="json"), "standard",
        parameters.seed, 6, {**FACTS, "read_iops": 2_870, "read_ahead_kib": 64}, pd.DataFrame(rows),
        pd.DataFrame({"trial": [0], "series": ["transaction"], "latency_ns": [1]}), pd.DataFrame(),
    )  # fmt: skip


def test_a_whole_run_answers_every_claim_and_fills_every_figure_and_sentence() -> None:
    summary = chapter.summarize(planted())
    for verdict in chapter.judge(summary):
        if verdict.outcome is Outcome.NOT_TESTABLE:
            continue
        assert verdict.estimate is not None, (verdict.claim_id, verdict.reason)
        assert verdict.outcome not in (Outcome.DESIGN,), (verdict.claim_id, verdict.reason)
        assert verdict.outcome is not Outcome.OPEN_CONDITION, (verdict.claim_id, verdict.reason)
    for figure in chapter.figures(summary).values():
        assert not figure.lacks, figure.id
        assert not figure.blank, figure.id
    for name in ("answer", "causes", "design", "noise", "caches"):
        text = chapter.say(summary, name).text
        assert text
        assert "nan" not in text.split(), name
    for name in ("counters", "overview", "settings"):
        assert len(chapter.table(summary, name))
    assert summary.per_transaction == pytest.approx(2_870 / 2_500, rel=0.02)


@pytest.mark.parametrize(
    ("claim", "other", "why"),
    [
        ("R028", {"waits_reading": 0.06}, "6.0% of the clients wait for a read (at most 6.0%, 6 trials)"),
        ("R087", {"data_in_os_cache_start": 0.3}, "was up to 30%"),
        ("R011", {"reading_first": 0.06}, "at most 6.0% do"),
        ("R024", {"settings": "wal_writer_flush_after=1MB"}, "wal_writer_flush_after had the same value"),
    ],
)
def test_a_start_that_reads_do_not_bind_decides_nothing(claim: str, other: dict[str, Any], why: str) -> None:
    found = next(each for each in chapter.judge(chapter.summarize(planted(**other))) if each.claim_id == claim)
    assert found.outcome is Outcome.DESIGN
    assert why in found.reason


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"read_cap_iops": 9_000.0}, "reads for each transaction that is made on a warm pool"),
        ({"transactions_per_account_page": 0.1}, "0.10 transactions per page of the accounts"),
    ],
)
def test_another_cap_or_shorter_trials_depart_from_the_claims(other: dict[str, float], why: str) -> None:
    for verdict in chapter.judge(chapter.summarize(planted(**other))):
        if verdict.outcome is not Outcome.NOT_TESTABLE:
            assert verdict.outcome is Outcome.OPEN_CONDITION
            assert f"departs from the claim: {why.split(' ')[0]}" in verdict.reason or why in verdict.reason


def test_the_note_says_how_many_clients_waited() -> None:
    summary = chapter.summarize(planted(waits_reading=0.06))
    assert "the report of the note's first run has 32%" in trials.bound_by_reads(summary)
    assert not trials.bound_by_reads(chapter.summarize(planted()))
