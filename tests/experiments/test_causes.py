"""Causes that did not act, and runs unlike the claims, are told: of planted runs that have one number a metric."""

from collections.abc import Iterator
from typing import Any

import pytest
from chapters import planted_numbers

from benchbook import lab
from benchbook.chapters import checkpoints, cold_starts, config_ladder, io_cliff, memory_pressure, round_trips
from benchbook.chapters import positive_controls as controls
from benchbook.chapters import row_access as rows
from benchbook.chapters import shared_buffers as pools
from benchbook.chapters import three_rounds as rounds
from benchbook.measuring import features
from benchbook.measuring.pgbench.ladder import states
from benchbook.numbers.summary import Summary

TIMEOUT, EMPTIED = checkpoints.NUMBERS["timeout"], rounds.NUMBERS["emptied"]
PER_PAGE = {"transactions": 3 * 40 * 1_640}


def huge_pages(summary: Any) -> str:
    answers = summary.chapter.answers.by_claim()
    [why] = {pools.untestable(summary, answers[claim]) for claim in ("R045", "R063")}
    return why


def departs(summary: Any) -> str:
    return "; ".join(cold_starts.departing(summary, ""))


def unsound(summary: Any) -> str:
    return "; ".join(gate.reason for gate in controls.checks(summary) if not gate.passed)


def disagreeing(summary: Any) -> str:
    gates = [summary.counts_agree([rows.ALL]), summary.addresses_agree(["load_uniform"])]
    return "; ".join(gate.name for gate in gates if not gate.passed)


READ = {"waits_reading": 0.6, "reading_first": 0.9, "read_cap_iops": 1.147}
EVICTING = {
    "evictions": 5e3,
    "limit_reached": 1,
}
WROTE = config_ladder.wrote_in_each_session
HALF, HOUR = ("half_minute", "checkpoints"), ("hour", "checkpoints")
QUARTER, LARGER, LEFT = "ram_25", "ram_37_5", "least_available_share"
NOTED, FEW = {"transactions_per_account_page": 0.9, "storage_write_iops": 0.41}, {"transactions_per_account_page": 0.4}
READING, MISSED = "L001 L010 L052 L053 L056 L057 L060 L061", ("disjoint", "pool_misses_per_request")
HELD = "blocks_in_pool_at_start"
CONTROLLED = {
    "autovacuums": 0,
    "data_pages": 38,
    "resident_pages_before": 38,
    "transactions": 9,
    "server_transactions": 9,
}
COUNTED = "server_transactions", "transactions", "littles_ratio", "latency_mean_ns", "latency_sd_ns"
SOUND: dict[Any, Any] = dict.fromkeys((*COUNTED, "pool_used_share", "data_blocks", "pool_blocks"), 1)
SOUND |= {"memory": "bounded to 2.19 GiB (control group v1)", "dirty_start_bytes": 1e6, "dirty_limit_bytes": 4.7e7}
CASES: list[tuple[str, Any, dict[Any, Any], str]] = [
    ("checkpoints", TIMEOUT.idle, {HALF: 2, HOUR: 0}, ""),
    ("checkpoints", TIMEOUT.idle, {HALF: 0, HOUR: 0}, "had no checkpoint"),
    ("checkpoints", TIMEOUT.idle, {HALF: 2, HOUR: 1}, "had a checkpoint"),
    ("checkpoints", TIMEOUT.departs, PER_PAGE | {HALF: 2}, ""),
    ("checkpoints", TIMEOUT.departs, PER_PAGE | {HALF: 30}, "0.1 transactions per page"),
    ("cold_starts", cold_starts.bound_by_reads, READ, ""),
    ("cold_starts", cold_starts.bound_by_reads, {"waits_reading": 0.06}, "6.0% of the clients wait for a read"),
    ("cold_starts", cold_starts.bound_at_first, READ, ""),
    ("cold_starts", cold_starts.bound_at_first, READ | {"reading_first": 0.06}, "at most 6.0% do"),
    ("cold_starts", departs, READ, ""),
    ("cold_starts", departs, READ | {"read_cap_iops": 9.0}, "where the claim names 1.15"),
    ("config_ladder", WROTE, {"backend_writes_per_transaction": [0, 0.1, 0, 0.1, 0, 0]}, ""),
    ("config_ladder", WROTE, {"backend_writes_per_transaction": [0, 0, 0, 0.1, 0, 0]}, "in 1 of 2 sessions"),
    ("io_cliff", io_cliff.nothing_slowed(io_cliff.A), EVICTING, ""),
    ("io_cliff", io_cliff.nothing_slowed(io_cliff.A), {"evictions": 0}, "evicted no page in 6 of 6 trials"),
    ("io_cliff", io_cliff.nothing_slowed(io_cliff.A), {"limit_reached": 0}, "slows writers in only 0 of 6 trials"),
    ("io_cliff", io_cliff.same_pools, {(io_cliff.B, "evictions"): 0}, ""),
    ("io_cliff", io_cliff.same_pools, {"evictions": 5e3, (io_cliff.B, "evictions"): 6e3},
     "the larger pool evicted 6,000 pages in a trial and the smaller one 5,000"),
    ("io_cliff", io_cliff.background_not_reached, {"dirty_peak_bytes": 1e8, "dirty_background_bytes": 1e8}, ""),
    ("io_cliff", io_cliff.background_not_reached, {"dirty_peak_bytes": 8.9e7, "dirty_background_bytes": 1e8},
     "from which the kernel writes in the background in only 0 of 6 trials"),
    ("io_cliff", io_cliff.unlike_course, {"transactions_per_account_page": 0.3},
     "0.30 transactions per page of the accounts where the claim names 0.62"),
    ("hot_cold_keys", f"{READING} idle", {MISSED: [50, 0.9, 50, 50, 50, 50], "pool_misses_per_request": 0},
     "both did the same work"),
    ("hot_cold_keys", f"{READING} idle", {MISSED: [50, 1, 50, 50, 50, 50], "pool_misses_per_request": 0}, ""),
    ("hot_cold_keys", features.same_reads("disjoint", "same_keys", share=0.01),
     {MISSED: [50, 0.9, 50, 50, 50, 50], "pool_misses_per_request": 0}, ""),
    ("hot_cold_keys", "L066 idle", {("true_cold_probed", HELD): 29, ("true_cold", HELD): 0},
     "brought 29 blocks of 30 tables"),
    ("hot_cold_keys", "L066 idle", {("true_cold_probed", HELD): 30, ("true_cold", HELD): 0}, ""),
    ("memory_pressure", memory_pressure.evicts, {}, ""),
    ("memory_pressure", memory_pressure.evicts, {"evictions": 0}, "evicted nothing in 6 of 6 trials"),
    ("memory_pressure", memory_pressure.presses, {"disk_reads_per_transaction": 0.1}, ""),
    ("memory_pressure", memory_pressure.presses, {"disk_reads_per_transaction": 0}, "read as few as 0 pages"),
    ("memory_pressure", memory_pressure.departs, {"transactions_per_account_page": 1.5}, ""),
    ("memory_pressure", memory_pressure.departs, {"transactions_per_account_page": 0.1}, "0.10 transactions per page"),
    ("positive_controls", unsound, CONTROLLED, ""),
    ("positive_controls", unsound, CONTROLLED | {"autovacuums": 1}, "autovacuum was at work in 6 trials"),
    ("positive_controls", unsound, CONTROLLED | {"resident_pages_before": 30}, "lacked some of the data in 6 trials"),
    ("positive_controls", unsound, CONTROLLED | {"server_transactions": 8}, "count otherwise in"),
    ("positive_controls", "C055 idle", {"pauses_per_flush": 0.9}, ""),
    ("positive_controls", "C056 idle", {("commit_b_siblings_5", "pauses_per_flush"): 0.2, "pauses_per_flush": 0.9},
     "in some trial only 20% of the flushes of the log waited"),
    ("positive_controls", "C055 R070 departs", {}, ""),
    ("positive_controls", controls.nothing_to_write, CONTROLLED, ""),
    ("positive_controls", controls.nothing_to_write, {"dirty_pages_before": 0}, "wrote nothing"),
    ("round_trips", round_trips.fewer_trips, {"trips_serial_all": 30}, ""),
    ("round_trips", round_trips.fewer_trips, {"trips_serial_all": 30, "trips_pipeline_all": 30},
     "the pipeline waited for the server 30 times"),
    ("round_trips", round_trips.overlap_unseen, {"statements_at_once_control": 4}, ""),
    ("round_trips", round_trips.overlap_unseen, {}, "no more than 1 were seen at once either"),
    ("round_trips", round_trips.disjoint_read, {}, "did the same work"),
    ("row_access", rows.same_bytes, {}, "returned only 0.0 bytes"),
    ("row_access", rows.same_bytes, {(rows.ALL, "returned_bytes"): 9}, ""),
    ("row_access", rows.same_order, {}, "by only 0.00"),
    ("row_access", rows.same_order, {("load_uniform", "hash_correlation"): 0}, ""),
    ("row_access", rows.KEYS, {("load_uniform", "hash_correlation"): 0}, ""),
    ("row_access", rows.in_small_pool(lambda *asked: "", f"{rows.ALL}_small", f"{rows.THREE}_small"),
     {(f"{rows.THREE}_small", "evictions"): 0},
     "in one block the pool of “three columns, 1 KB, small pool” evicted no page"),
    ("row_access", disagreeing, {(rows.ALL, "index_scans"): 4}, ""),
    ("row_access", disagreeing, {}, "counts agree"),
    ("row_access", disagreeing, {(rows.ALL, "index_scans"): 4, ("load_uniform", "distinct_heap_pages"): 2},
     "pages agree"),
    ("three_rounds", EMPTIED.idle, {"data_in_pool_start": 0, "data_in_os_cache_start": 0}, ""),
    ("three_rounds", EMPTIED.idle, {"data_in_pool_start": 0.5, "data_in_os_cache_start": 0}, "was up to 50%"),
    ("shared_buffers", "C031 idle", {("scenario_a", "evictions"): [1, 1, 1, 1, 0, 1]},
     "evicted nothing in 1 of 6 trials"),
    ("shared_buffers", "C008 idle", {("scenario_a", "evictions"): [1, 1, 1, 1, 0, 1]}, ""),
    ("shared_buffers", "C044 idle", {("scenario_b", "data_in_pool_end"): 0.8, "data_in_pool_end": 0.2}, ""),
    ("shared_buffers", "C044 idle", {}, "in some block the pool of 100 % held no more of the data"),
    ("shared_buffers", "C080 idle", {}, ""),
    ("shared_buffers", "C080 idle", {"device_reads_per_transaction": 0.0026},
     "read at most 0.0026 blocks per transaction from the device"),
    ("shared_buffers", "R042 R043 R045 R077 idle", {(QUARTER, LEFT): 0.69, (LARGER, LEFT): 0.55}, ""),
    ("shared_buffers", "R042 R043 R045 R077 idle", {(QUARTER, LEFT): 0.69, (LARGER, LEFT): 0.66},
     "left only 3.0 % of the memory less than"),
    ("shared_buffers", "R052 idle", {(QUARTER, "full_images_per_transaction"): 1.5}, ""),
    ("shared_buffers", "R052 idle", {"full_images_per_transaction": 1.5},
     "logged 1.50 full page images, without one 1.50"),
    ("shared_buffers", "R057 idle", {}, ""),
    ("shared_buffers", "R057 idle", {"dirty_before_checkpoint": 0}, "no page was dirty before the CHECKPOINT"),
    ("shared_buffers", "R063 idle", {(QUARTER, "huge_page_bytes"): 8193, "huge_page_bytes": 0}, ""),
    ("shared_buffers", "R063 idle", {}, "differed by less than the pool"),
    ("shared_buffers", "C031 C039 C049 C057 R077 R052 departs", NOTED, ""),
    ("shared_buffers", "C031 departs", NOTED | {("scenario_a", "transactions_per_account_page"): 0.2}, ""),
    ("shared_buffers", "C031 C039 C049 C057 departs", NOTED | FEW,
     "0.40 transactions per page of the accounts where the claim names 0.62"),
    ("shared_buffers", "R077 R052 departs", NOTED | FEW, "of the accounts where the claim names 0.51"),
    ("shared_buffers", "C043 C045 C046 R057 departs", NOTED | FEW, ""),
    ("shared_buffers", "C031 departs", NOTED | {"storage_write_iops": 0.2},
     "a cap of 0.20 writes for each transaction that is made without it, where the claim names 0.41"),
    ("shared_buffers", "C029 C057 departs", NOTED | {"storage_write_iops": 0.2}, ""),
    ("shared_buffers", "C031 C034 R077 checks", SOUND, ""),
    ("shared_buffers", "C031 checks", SOUND | {("scenario_b", "server_transactions"): 0.9}, "counts agree"),
    ("shared_buffers", "R077 checks", SOUND | {("scenario_b", "server_transactions"): 0.9}, ""),
    ("shared_buffers", "C031 checks", SOUND | {("scenario_b", "dirty_start_bytes"): 9e8}, "dirty volume"),
    ("shared_buffers", "R077 checks", SOUND | {("scenario_b", "dirty_start_bytes"): 9e8}, ""),
    ("shared_buffers", "R077 checks", SOUND | {(LARGER, "pool_used_share"): 0.4}, "were not full"),
    ("shared_buffers", "R052 checks", SOUND | {(LARGER, "pool_used_share"): 0.4}, ""),
    ("shared_buffers", "R077 checks", SOUND | {"memory": "not bounded: Permission denied"}, "not bounded"),
    ("shared_buffers", "C034 C041 checks", SOUND | {("scenario_b", "littles_ratio"): [1, 0.8, 1, 1, 1, 1]},
     "1 of 12 trials miss it"),
    ("shared_buffers", "C031 C033 C044 C045 C046 R057 checks", SOUND | {("scenario_b", "littles_ratio"): 0.8}, ""),
    ("shared_buffers", "C034 checks", SOUND | {("ram_25", "littles_ratio"): 0.8}, ""),
]  # fmt: skip


def asked(chapter: str, ask: Any, summary: Any) -> Iterator[str]:
    """What a function says, or of each claim why its cause was idle, how it departs, or which of its checks fail."""
    if not isinstance(ask, str):
        yield ask(summary)
        return
    *claims, what = ask.split()
    for claim in claims:
        answers = lab.experiment(chapter).answers
        answer = answers.by_claim()[claim]
        if what == "checks":
            yield "; ".join(
                f"{gate.name}: {gate.reason}" for gate in answers.checks(summary, answer) if not gate.passed
            )
        else:
            words = getattr(answer.estimand, what)
            yield words(summary) if words else ""


@pytest.mark.parametrize(("chapter", "ask", "values", "words"), CASES)
def test_what_did_not_act_or_departs_is_told_and_nothing_else(
    chapter: str, ask: Any, values: dict[Any, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for found in asked(chapter, ask, planted_numbers.even(monkeypatch, chapter, values)):
        assert words in found
        assert bool(words) is bool(found)


@pytest.mark.parametrize(
    ("chapter", "ask", "given", "words"),
    [
        ("io_cliff", io_cliff.unlike_course, {"trial_seconds": 14}, "trials of 14 s where the claim names 60 s"),
        ("memory_pressure", memory_pressure.departs, {"allow_slow_storage": False}, "where the claim names a cap"),
        ("memory_pressure", memory_pressure.departs, {"storage_iops": 9_000}, "reads capped at 9,000 a second"),
        ("shared_buffers", huge_pages, {"allow_vm_settings": False}, "allow_vm_settings=true"),
    ],
)
def test_parameters_that_are_not_the_claims_are_told(
    chapter: str, ask: Any, given: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert words in ask(planted_numbers.even(monkeypatch, chapter, {}, **given))


@pytest.mark.parametrize("ask", [EMPTIED.departs, states.other_codec])
def test_another_codec_than_the_notes_departs(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = planted_numbers.even(monkeypatch, "three_rounds", {})
    for codec, words in (("lz4", ""), ("pglz", "pglz where the claim's server had lz4")):
        summary.run.provenance["wal_compression"] = codec
        assert ask(summary) == words


@pytest.mark.parametrize(
    ("chapter", "pairs"),
    [
        ("shared_buffers", {"C031 C029 C033": pools.AA, "R063 R077": pools.AA_WARM}),
        ("three_rounds", {"R008 R023": rounds.COLD_PAIR, "R037 R049": rounds.PAIR}),
    ],
)
def test_a_claim_rests_on_the_pair_of_its_own_trials(
    chapter: str, pairs: dict[str, tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Summary, "aa_gate", lambda summary, again, first, metric: (again, first))
    summary, module = planted_numbers.summary(chapter), lab.experiment(chapter)
    for claims, pair in pairs.items():
        for claim in claims.split():
            assert module.answers.gates(summary, module.answers.by_claim()[claim]) == [pair]


def test_a_shorter_trial_counts_with_the_most_that_its_pool_could_hold_after_the_notes_transactions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for share, per_page, counts in ((0.5, 0.46, 0.75), (0.5, 1.84, 0.5)):
        values = {"data_in_pool_end": share, "transactions_per_account_page": per_page, "data_blocks": 96_000}
        found = pools.held(planted_numbers.even(monkeypatch, "shared_buffers", values))
        assert found.point == pytest.approx(counts, abs=1e-3), "what a half of the transactions missed is missed twice"
