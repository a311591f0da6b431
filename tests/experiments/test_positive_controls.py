"""Positive controls without an engine: what is asked of server and probe, and what the counts say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.positive_controls.arms import (
    BASELINE,
    CHECKPOINT,
    ENCRYPTED,
    KEY_BYTES,
    LOG_16,
    LOG_BULK,
    LOGS,
    PLAIN,
    READS,
    READS_200,
    READS_BITMAP,
    REPEATED,
    SCENARIO_A,
    SUM_A,
    SUM_BASELINE,
    TPCB,
    Parameters,
    configurations,
)
from benchbook.chapters.positive_controls.badger_part import metrics, request_of
from benchbook.chapters.positive_controls.numbers import BITMAPS, FULL, LOOKUPS, WORKERS
from benchbook.chapters.positive_controls.postgres_part import settings_of
from benchbook.claims.ledger import load_claims
from benchbook.measuring.pgbench.tables import Tables
from benchbook.model import Evidence, Outcome, Run, Verdict
from benchbook.pages.lessons import TOO_SHORT

chapter = lab.experiment("positive_controls")

BLOCKS = 6
ARMS = {arm.name: arm for arm in configurations(Parameters())}


def tables(**changed: Any) -> Tables:
    whole: dict[str, Any] = dict.fromkeys(("binaries", "cluster", "template", "paths", "facts"))
    sizes = {"heap_bytes": 270_000_000, "index_bytes": 45_000_000, "wal_compression": "lz4"}
    return Tables(**(whole | sizes | changed))


def settings(name: str, **parameters: int) -> dict[str, Any]:
    return settings_of(Parameters.given(parameters), tables(), ARMS[name])


def made(**changed: dict[str, float]) -> Run:
    """A run with plain numbers. changed: configuration to metrics that are other ones."""
    counts = {
        **{arm: {"operations": 4_000.0, WORKERS: 0.0, "parallel_workers": 0.0} for arm in TPCB},
        SUM_BASELINE: {"operations": 5.0, WORKERS: 4.0, "parallel_workers": 20.0},
        SUM_A: {"operations": 5.0, WORKERS: 7.0, "parallel_workers": 35.0},
        PLAIN: {"operations": 20_000.0, LOOKUPS: 0.0, "index_cache_lookups": 0.0, "index_cache_misses": 0.0},
        **{arm: {"operations": 20_000.0, LOOKUPS: 21.0, "index_cache_lookups": 420_000.0} for arm in ENCRYPTED},
        **{arm: {"operations": 4_000.0, FULL: 0.0, BITMAPS: 0.0, "tps": 1_000.0} for arm in (*LOGS, *READS)},
        LOG_BULK: {"operations": 1.0, FULL: 9_000.0, BITMAPS: 0.0},
        READS_BITMAP: {"operations": 5.0, FULL: 0.0, BITMAPS: 100.0},
        CHECKPOINT: {
            "dirty_pages_before": 4_000.0, "dirty_pages_after": 0.0, "resident_pages_before": 38_000.0,
            "resident_pages_after": 38_000.0, "data_pages": 38_000.0, "autovacuums": 0.0,
        },
    }  # fmt: skip
    written = {"transactions": 4_000.0, "server_transactions": 4_000.0}
    rows = []
    for block in range(BLOCKS):
        for place, name in enumerate(ARMS):
            more = written if name in (*TPCB, *LOGS, *READS, CHECKPOINT) else {}
            names = {"trial": block * len(ARMS) + place, "block": block, "configuration": name, "session": 0}
            rows.append(names | {"seed": block} | counts[name] | more | changed.get(name, {}))
    empty = pd.DataFrame({"trial": [], "series": [], "latency_ns": []})
    return Run(
        "made", chapter.name, chapter.version, Parameters().model_dump(mode="json"), "standard", 1, BLOCKS,
        {"data_bytes": 315_000_000}, pd.DataFrame(rows), empty, pd.DataFrame(),
    )  # fmt: skip


def judged(run: Run) -> dict[str, Verdict]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}


def outcome(run: Run) -> Outcome:
    return judged(run)["R095"].outcome


def test_the_two_workloads_have_the_same_settings_and_the_pair_differs_in_the_workers_alone() -> None:
    assert settings(BASELINE) == settings(REPEATED) == settings(SUM_BASELINE)
    assert settings(SCENARIO_A) == settings(SUM_A)
    differ = {name: (value, settings(SCENARIO_A)[name]) for name, value in settings(BASELINE).items()}
    assert {name: pair for name, pair in differ.items() if pair[0] != pair[1]} == {
        "max_worker_processes": (8, 32), "max_parallel_workers": (8, 32), "max_parallel_workers_per_gather": (4, 8),
    }  # fmt: skip


@pytest.mark.parametrize(("scale", "threshold"), [(5, "32kB"), (20, "128kB"), (1250, "8192kB"), (2500, "16384kB")])
def test_a_scan_becomes_parallel_in_proportion_to_the_notes_table(scale: int, threshold: str) -> None:
    assert settings(SUM_A, scale=scale)["min_parallel_table_scan_size"] == threshold


def test_autovacuum_is_off_at_the_checkpoint_and_the_pool_holds_the_data() -> None:
    found = settings(CHECKPOINT)
    assert found["autovacuum"] is False
    assert found["checkpoint_timeout"] == "1h", "no other checkpoint comes between"
    pool_kib = int(str(found["shared_buffers"]).removesuffix("kB"))
    assert 315_000_000 / (pool_kib * 1024) == pytest.approx(0.92, rel=1e-3)


def test_the_stores_differ_in_the_key_alone_and_the_trials_in_the_size_of_the_index_cache() -> None:
    def request(name: str) -> dict[str, Any]:
        own = ARMS[name].settings
        return request_of(Parameters(), int(own["encryption_key_bytes"] or 0), int(own["index_mib"] or 0) << 20, 1)

    plain, *encrypted = (request(name)["options"] for name in (PLAIN, *ENCRYPTED))
    assert plain.pop("encryption_key_bytes") == 0
    assert [each.pop("encryption_key_bytes") for each in encrypted] == [KEY_BYTES] * 3
    assert [each.pop("index_cache_bytes") >> 20 for each in (plain, *encrypted)] == [1024, 1, 32, 1024]
    assert all(each == plain for each in encrypted)
    assert plain["read_only"], "no trial changes what the next one finds"


def totals(hits: int, misses: int, gets: int) -> dict[str, Any]:
    return {"index_cache": {"hits": hits, "misses": misses}, "gets": gets, "checked_reads": gets}


def test_the_index_cache_is_counted_from_the_opened_store_on() -> None:
    found = metrics({"warm": totals(9, 60, 0), "run": totals(2_109, 160, 100)})
    assert found["index_cache_lookups"] == 2_200
    assert found[LOOKUPS] == 22
    assert found["index_cache_misses"] == 100
    assert found["index_cache_hit_ratio"] == pytest.approx(2_100 / 2_200)
    assert found["index_cache_opening_lookups"] == 69


def test_a_cache_that_nobody_asked_has_no_hit_ratio_and_one_that_is_not_there_no_counts() -> None:
    nobody = metrics({"warm": totals(0, 0, 0), "run": totals(0, 0, 100)})
    assert nobody["index_cache_lookups"] == 0
    assert nobody["index_cache_hit_ratio"] is None
    absent = {"index_cache": None, "gets": 100, "checked_reads": 100}
    assert "index_cache_lookups" not in metrics({"warm": absent | {"gets": 0}, "run": absent})


def test_the_claim_has_moved_here_with_autovacuum_off() -> None:
    claim = load_claims()["R095"]
    assert claim.chapter == chapter.name
    assert "autovacuum off" in claim.estimand


def test_a_checkpoint_that_leaves_nothing_dirty_reproduces_the_claim_and_one_that_leaves_a_tenth_does_not() -> None:
    assert outcome(made()) is Outcome.REPRODUCED
    assert outcome(made(checkpoint={"dirty_pages_after": 400.0})) is Outcome.CONTRADICTED


def test_without_dirty_pages_the_cause_did_not_act() -> None:
    assert outcome(made(checkpoint={"dirty_pages_before": 0.0})) is Outcome.DESIGN


@pytest.mark.parametrize(
    ("metrics", "words"),
    [
        ({"autovacuums": 1.0}, "autovacuum was at work in 6 trials"),
        ({"resident_pages_before": 30_000.0}, "the pool lacked some of the data in 6 trials"),
        ({"server_transactions": 3_999.0}, "count otherwise in 6 trials"),
    ],
)
def test_a_trial_that_is_not_what_the_claim_names_decides_nothing(metrics: dict[str, float], words: str) -> None:
    verdict = judged(made(checkpoint=metrics))["R095"]
    assert verdict.outcome is Outcome.CHECK
    assert words in verdict.reason


def test_buffers_that_are_never_full_and_bitmaps_that_nobody_asks_for_have_no_effect() -> None:
    found = judged(made())
    assert {found[each].outcome for each in ("R019", "R065")} == {Outcome.NO_EFFECT}
    assert {found[each].evidence for each in ("R019", "R065")} == {Evidence.CONSTRUCTION}
    assert "full 0 times in 12 trials; one large transaction found 64 kB full 9,000 times" in found["R065"].reason
    assert "found 0 rows in 12 trials; ranges that are looked up by one found 100 rows" in found["R019"].reason


@pytest.mark.parametrize(
    ("claim", "changed"),
    [
        ("R065", {LOG_BULK: {FULL: 0.0}}), ("R065", {LOG_16: {FULL: 1.0}}),
        ("R019", {READS_BITMAP: {BITMAPS: 0.0}}), ("R019", {READS_200: {BITMAPS: 1.0}}),
    ],
)  # fmt: skip
def test_a_counter_that_moves_or_a_control_that_does_not_shows_no_construction(
    claim: str, changed: dict[str, dict[str, float]]
) -> None:
    assert judged(made(**changed))[claim].evidence is Evidence.MEASURED


def test_the_pairs_differ_in_their_setting_alone_and_the_controls_are_asked() -> None:
    for (one, other), name in ((LOGS, "wal_buffers"), (READS, "effective_io_concurrency")):
        pair = settings(one), settings(other)
        assert {key for key in pair[0] if pair[0][key] != pair[1][key]} == {name}
    assert settings(LOG_BULK)["wal_buffers"] == "64kB"


def test_the_title_says_that_a_setting_cannot_act_only_where_the_counters_show_it() -> None:
    told = chapter.lesson(chapter.summarize(made())).title
    assert told.startswith("Four of the notes' settings cannot act")
    for changed in ({BASELINE: {"parallel_workers": 1.0}}, {SUM_A: {"parallel_workers": 0.0}}):
        assert chapter.lesson(chapter.summarize(made(**changed))).title == TOO_SHORT


def test_the_sentences_have_the_counts() -> None:
    summary = chapter.summarize(made())
    text = chapter.say(summary, "answer").text
    assert "launched 0 parallel workers in 72,000 transactions" in text
    assert "launched 4 with 8 allowed and 7 with 32" in text
    assert "0 times in 120,000 look-ups, an encrypted one 21 times in each" in text
    assert "Of 4,000 dirty pages, 0 are still dirty" in chapter.say(summary, "checkpoint").text


def test_a_server_that_does_not_count_workers_leaves_the_sentence_out() -> None:
    run = made()
    older = replace(run, trials=run.trials.drop(columns=["parallel_workers", WORKERS]))
    text = chapter.say(chapter.summarize(older), "answer").text
    assert "parallel workers" not in text
    assert "index cache" in text


def test_disk_grows_with_tables_and_stores() -> None:
    needs = chapter.needs(Parameters())
    assert chapter.needs(Parameters(scale=40)).disk_bytes > needs.disk_bytes
    assert chapter.needs(Parameters(rows=600_000)).disk_bytes > needs.disk_bytes
    assert np.isfinite(needs.minutes or np.nan)
