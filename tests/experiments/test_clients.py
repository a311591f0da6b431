"""The chapter on clients without an engine: parameters, configurations, what looks become, the pooler's settings."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import lab
from benchbook.chapters.clients import arms, conditions, numbers
from benchbook.chapters.clients.arms import Parameters, configurations
from benchbook.chapters.clients.summary import METRICS
from benchbook.claims.ledger import load_claims
from benchbook.engines.pgbouncer import pooler, program
from benchbook.engines.pgbouncer.running import served
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.pgbench import windows
from benchbook.measuring.pgbench.looks import Look
from benchbook.measuring.pgbench.metric_words import STATES
from benchbook.model import Estimate, Outcome, Run
from benchbook.numbers.summary import Keeping
from benchbook.pages import lessons
from benchbook.statistics import Scalability

chapter = lab.experiment("clients")

PARAMETERS = Parameters()
ANSWERS, LESSON = chapter.answers.given, chapter.page.teaching


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"counts": [1, 2_000], "pooled_counts": []},
            "2000 connections and 20 for observers are 2020, more than server_connections=1020",
        ),
        ({"counts": [4, 2]}, r"counts=\[4, 2\] must be whole numbers from 1 that increase"),
        ({"counts": [1, 100, 250], "pooled_counts": []}, "clients=100, which is measured anyway"),
        ({"pooled_counts": [17]}, r"pooled_counts=\[17\] are not in counts"),
        ({"pool_backends": 10}, "few_backends=20 exceeds pool_backends=10"),
        ({"pool_backends": 251}, "pool_backends=251"),
        ({"many_clients": 100}, "many_clients=100 must exceed"),
        ({"parts": ["pooled"]}, "must name counts"),
        ({"threads": 50, "clients": 20}, "threads=50 exceeds clients=20"),
        ({"seconds": True}, "true or false"),
    ],
)
def test_a_contradiction_is_refused_with_its_numbers(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchbookError, match=said):
        Parameters.given(given)


def test_more_clients_than_open_files_are_refused_with_the_numbers() -> None:
    conditions.check_files(PARAMETERS, limit=20_000)
    with pytest.raises(MachineError, match=r"1,000 clients need 1,200 open files in one program, the limit is 1,024"):
        conditions.check_files(PARAMETERS, limit=1_024)


def test_every_arm_that_an_estimand_names_is_planned_and_every_claim_has_an_answer() -> None:
    claims = {c.id for c in load_claims().values() if c.chapter == "clients" and c.testable == "here"}
    assert {each.claim for each in ANSWERS} == claims
    planned = {arm.name for arm in configurations(PARAMETERS)}
    named = {arm for each in ANSWERS for arm in each.estimand.arms}
    assert named <= planned


def test_only_the_a_a_arms_repeat_another_ones_settings() -> None:
    found = [(arm.name, json.dumps(dict(arm.settings), sort_keys=True)) for arm in configurations(PARAMETERS)]
    assert len({name for name, _ in found}) == len(found)
    assert {a for a, s in found if sum(s == other for _, other in found) > 1} == {*numbers.AA}


def test_the_claims_own_numbers_are_the_defaults() -> None:
    settings = {arm.name: arm.settings for arm in configurations(PARAMETERS)}
    assert settings[arms.DIRECT]["clients"] == 100
    assert settings[arms.DIRECT]["threads"] == 2 * PARAMETERS.threads
    assert (settings[arms.HALF]["clients"], settings[arms.HALF]["threads"]) == (50, PARAMETERS.threads)
    assert (settings[arms.MANY]["clients"], settings[arms.MANY]["seconds"]) == (1_000, 60)
    assert settings[arms.COLD]["seconds"] == 60
    assert chapter.needs(PARAMETERS).minutes < 31


@given(st.sets(st.integers(1, 1_000).filter(lambda n: n != 100), min_size=1, max_size=8), st.integers(1, 8))
def test_a_configuration_never_has_more_threads_than_clients(counts: set[int], threads: int) -> None:
    found = Parameters.given({"counts": sorted(counts), "pooled_counts": [], "threads": threads})
    for arm in configurations(found):
        assert 1 <= int(arm.settings["threads"] or 0) <= int(arm.settings["clients"] or 0)


# what looks become


def look(at_s: float, waits: dict[str, int], *, hits: int = 0, reads: int = 0, busy: float = 0.5) -> Look:
    cpu = (busy * at_s, busy * at_s / 2, 0.01 * at_s, 2 * at_s)
    return Look(at_s, waits, 102, 100, {"pgbench": (hits, reads), "postgres": (10, 0)}, cpu, 1e6 * at_s)


def a_minute(**first: int) -> list[Look]:
    """Looks of 60 s: these waits up to second 5, then 10 clients that run."""
    return [look(float(s), first if s <= 5 else {"running": 10}, hits=100 * s, reads=20 * min(s, 5)) for s in range(61)]


def test_shares_are_those_of_the_claims_windows() -> None:
    found = windows.metrics(a_minute(**{"IO:DataFileRead": 90, "LWLock:WALWrite": 5, "Lock:extend": 3}), 100, 60)
    assert found["reading_first"] == pytest.approx(0.9)
    assert found["wal_first"] == pytest.approx(0.05)
    assert found["extending_most"] == pytest.approx(0.03)
    assert found["reading_warm"] == 0
    assert found["clients_looked_at_first"] == 500
    assert found["clients_looked_at_warm"] == 4_000
    assert found["hit_first"] == pytest.approx(500 / 600)
    assert found["hit_last"] == 1
    assert found["hit_requests"] == 500
    assert found["cpu_user"] == pytest.approx(0.25)
    assert found["cpu_system"] == pytest.approx(0.125)
    assert found["cpu_busy"] == pytest.approx(0.375)
    assert found["cpu_iowait"] == pytest.approx(0.005)
    assert found["device_read_warm"] == pytest.approx(1e6)
    assert (found["backends_most"], found["connected_most"]) == (102, 100)
    assert found["waits_01_reading"] == pytest.approx(0.9)
    assert found["waits_12_running"] == pytest.approx(0.1)
    assert found["waits_12_client"] == pytest.approx(0.9)


events = st.dictionaries(
    st.sampled_from(["IO:DataFileRead", "LWLock:WALWrite", "Lock:tuple", "Lock:extend", "running", "IPC:X"]),
    st.integers(0, 30),
)


@given(st.lists(events, min_size=1, max_size=8), st.integers(1, 400))
def test_the_shares_of_all_states_are_one(waits: list[dict[str, int]], clients: int) -> None:
    found = windows.grouped([look(float(at), each) for at, each in enumerate(waits)], clients)
    assert sum(value or 0 for value in found.values()) == pytest.approx(1)
    assert all(0 <= (value or 0) <= 1 for value in found.values())
    assert set(found) == set(STATES) == set(windows.GROUPS)


def test_without_a_look_in_a_window_a_metric_is_missing_and_not_0() -> None:
    found = windows.metrics([look(0.0, {"running": 1})], 10, 60)
    assert found["reading_first"] is None
    assert found["cpu_user"] is None
    assert found["hit_first"] is None
    assert {name for name in found if not any(name == each for each in METRICS) and "_0" not in name} <= {
        f"waits_{place}_{state}" for place in (10, 11, 12) for state in STATES
    }


# the pooler's parts that need no program


def test_the_poolers_configuration_opens_a_private_socket_and_no_port() -> None:
    text = pooler.configuration(Path("/s"), Path("/s/pooler"), 1_000, 100)
    lines = dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)
    assert "listen_addr =\n" in text
    assert lines["unix_socket_mode"] == "0700"
    assert lines["pool_mode"] == "transaction"
    assert int(lines["max_db_connections"]) == 100
    assert int(lines["max_client_conn"]) >= 1_000


def test_a_release_before_1_21_loses_prepared_statements() -> None:
    assert not program.Program(Path("/x"), None, "1.18.0").prepares
    assert program.Program(Path("/x"), None, "1.21.0").prepares
    assert program.Program(Path("/x"), None, "2.0.1").prepares


def test_a_named_pooler_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(program.NAMED, str(tmp_path / "none"))
    with pytest.raises(MachineError, match="is no program") as caught:
        program.find()
    assert "make pooler" in caught.value.mend
    broken = tmp_path / "pgbouncer"
    broken.write_text("#!/bin/sh\necho nothing\n")
    broken.chmod(0o755)
    monkeypatch.setenv(program.NAMED, str(broken))
    with pytest.raises(MachineError, match="does not say its version"):
        program.find()


def test_served_to_the_end_are_those_with_a_transaction_in_the_last_sixth(tmp_path: Path) -> None:
    lines = [f"0 {n} 900 0 {100 + n} 0" for n in range(7)] + ["1 0 900 0 100 0", "2 0 900 0 105 500000"]
    (tmp_path / "log.1").write_text("\n".join(lines) + "\n")
    (tmp_path / "log.2").write_text("")
    assert served([tmp_path / "log.1", tmp_path / "log.2"], 6) == 2


# what a whole run says

SETTLED: dict[str, float] = {
    "start_tps": 3_000.0, "latency_mean_ns": 3e7, "latency_p95_ns": 6e7, "littles_ratio": 0.99,
    "transactions": 30_000.0, "server_transactions": 30_000.0, "pool_used_share": 0.97, "hit_requests": 1e5,
    "data_in_pool_start": 0.0, "data_in_os_cache_start": 0.0, "data_in_pool_end": 0.4, "hit_first": 0.95,
    "hit_last": 0.994, "other_hit_first": 0.99, "other_hit_last": 0.99, "reading_first": 0.9, "reading_warm": 0.1,
    "wal_first": 0.05, "wal_warm": 0.1, "extending_most": 0.0, "clients_looked_at_first": 500.0,
    "clients_looked_at": 100.0, "clients_looked_at_warm": 4_000.0, "cpu_user": 0.64, "cpu_system": 0.34,
    "cpu_iowait": 0.002, "cpu_busy": 0.98, "cpu_ticks": 8_000.0, "device_read_first": 1e8, "device_read_warm": 1e7,
    "reads_per_transaction": 1.0, "wal_bytes_per_transaction": 900.0, "clients_served": 1_000.0,
    "pooler_cpu_s": 4.0, "pooler_cpu_us_per_transaction": 130.0,
    **{f"waits_{name}": 1 / 7 for name in STATES},
    **{f"waits_{place:02}_{name}": 1 / 7 for name in STATES for place in range(1, 13)},
}  # fmt: skip


def planted(**other: float) -> Run:
    """Six blocks of what the defaults plan: throughput by an exact law, and the rest as SETTLED or as given."""
    parameters = Parameters.given({"blocks": 6})
    law, generator = Scalability(300.0, 0.05, 0.0005), np.random.default_rng(3)
    rows: list[dict[str, Any]] = []
    for trial in chapter.plan(parameters).trials:
        settings = trial.configuration.settings
        clients, backends = int(settings["clients"] or 0), int(settings["backends"] or 0)
        tps = float(law.at([min(clients, backends or clients)])[0]) * float(np.exp(generator.normal(0, 0.01)))
        connected = float(min(clients, backends or clients))
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": trial.configuration.name,
                "seed": trial.seed, "session": 0, "started_at": "2026-01-17T10:00:00+00:00", "duration_s": 1.0,
                "state": "measured", "memory": "bounded to 2.19 GiB (control group v1)", **SETTLED, "tps": tps,
                "start_tps": tps, "connected_most": connected, "backends_most": connected + 2, **other,
            }
        )  # fmt: skip
    known = {
        "engine_version": "18.6",
        "memory_bound": "bounded",
        "wal_compression": "pglz",
        "pooler": "PgBouncer 1.18.0",
    }
    return Run(
        "0123456789ab-20260117T100000", "clients", 1, parameters.model_dump(mode="json"), "standard",
        parameters.seed, 6, known, pd.DataFrame(rows),
        pd.DataFrame({"trial": [0], "series": ["transaction"], "latency_ns": [1]}), pd.DataFrame(),
    )  # fmt: skip


def test_a_whole_run_answers_every_claim_with_a_number_and_fills_every_figure() -> None:
    summary = chapter.summarize(planted())
    for verdict in chapter.judge(summary):
        if verdict.claim_id != "R059":
            assert verdict.estimate is not None, (verdict.claim_id, verdict.reason)
    by_claim = {verdict.claim_id: verdict for verdict in chapter.judge(summary)}
    assert by_claim["R079"].outcome is Outcome.REPRODUCED
    assert by_claim["R012"].estimate is not None
    assert by_claim["R012"].estimate.point == pytest.approx(0.044)
    for figure in chapter.figures(summary).values():
        assert not figure.lacks, figure.id
    assert summary.fitted == [1, 4, 8, 16, 32, 100]
    assert summary.predicted == [250, 1_000]
    for count in summary.predicted:
        assert summary.surprise(count).low < 1.02
        assert summary.surprise(count).high > 0.98
    for name in ("scaling", "waits", "through", "noise", "design"):
        text = chapter.say(summary, name).text
        assert "nan" not in text.split(), name
    assert len(chapter.lesson(summary).findings) >= 7


def test_more_backends_than_the_note_allows_serve_nobody() -> None:
    summary = chapter.summarize(planted(backends_most=251.0))
    found = next(each for each in chapter.judge(summary) if each.claim_id == "R079")
    assert found.outcome is Outcome.CONTRADICTED


@pytest.mark.parametrize(
    ("claim", "other", "why"),
    [
        ("R016", {"device_read_first": 0.0}, "the device read nothing"),
        ("R074", {"connected_most": 100.0}, "no fewer connections"),
        ("R078", {"pooler_cpu_s": 0.0}, "the pooler used"),
    ],
)
def test_a_cause_that_did_not_act_decides_nothing(claim: str, other: dict[str, float], why: str) -> None:
    found = next(each for each in chapter.judge(chapter.summarize(planted(**other))) if each.claim_id == claim)
    assert found.outcome is Outcome.DESIGN
    assert why in found.reason


def test_the_baseline_is_held_against_itself_in_what_a_claim_is_about() -> None:
    def asked(name: str) -> object:
        return lambda again, first, *metrics: (name, again, first, *metrics)

    summary: Any = SimpleNamespace(aa_gate=asked("ratio"), aa_share_gate=asked("share"))
    found = {each.claim: numbers.aa_gates(summary, each)[0][0::3] for each in ANSWERS if each.estimand.metric}  # type: ignore[index]
    assert found == {
        "R074": ("ratio", "tps"),
        "R078": ("ratio", "tps"),
        "R016": ("share", "cpu_busy"),
        "R010": ("share", "waits_flushing"),
        "R012": ("ratio", "reads_per_transaction"),
        "R013": ("share", "cpu_user"),
        "R014": ("share", "cpu_system"),
        "R015": ("share", "cpu_iowait"),
    }


@pytest.mark.parametrize(
    ("many", "kept", "title"),
    [
        (
            (0.40, 0.60),
            (1.25, 1.45),
            "1,000 clients that connect directly have 50.0 % less throughput than 100; with",
        ),
        ((0.40, 0.95), (1.25, 1.45), "With prepared statements, 100 have 1.35 [1.25, 1.45] times as much"),
        (
            (0.40, 0.60),
            (1.05, 1.45),
            "1,000 clients that connect directly have 50.0 % less throughput than 100",
        ),
        ((0.40, 0.95), (1.05, 1.45), ""),
    ],
)
def test_the_title_says_what_differs_by_more_than_equal_configurations_do(
    many: tuple[float, float], kept: tuple[float, float], title: str
) -> None:
    known = {arms.AGAIN: (0.99, 1.10), "direct_1000": many, arms.protocol_name("prepared", arms.TWICE): kept}

    class Planted(Keeping):
        direct: ClassVar = {1: "direct_1", 100: arms.DIRECT, 1_000: "direct_1000"}
        parameters = PARAMETERS

        def ratio(self, top: tuple[str, str], bottom: tuple[str, str]) -> Estimate:
            return Estimate(sum(known[top[0]]) / 2, *known[top[0]], 6, "t")

    summary: Any = Planted()
    found = lessons.titled(summary, LESSON, ())
    assert found.startswith(title) if title else found == lessons.TOO_SHORT
